import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Where tools/build.mjs puts what Vite made of apps/portal. */
const FOLDER = fileURLToPath(new URL('../../../portal', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};
/** The chain id of local EVM nodes, whose accounts have publicly known keys and are worth nothing. */
const LOCAL_CHAIN = 31_337;

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** What the page must know before anybody is signed in. */
export interface PortalSettings {
  readonly chainId: number;
  /** Where browsers send signed transactions: besides this service the one address that the page may ask. */
  readonly clientRpcUrl: string | null;
  /** Whether the demo tenants stand here; only then may the page sign with the accounts of a local chain. */
  readonly hasDemo: () => boolean;
}

/** Serves the portal at `/portal`: a page of files that speaks to the public API alone. Call it before `listen`. */
export function servePortal(app: NestFastifyApplication, { chainId, clientRpcUrl, hasDemo }: PortalSettings): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const assets = readAssets();
  const page = assets.get('index.html');
  const policy = pagePolicy(clientRpcUrl);
  const about = () => ({ chainId, demoWallet: chainId === LOCAL_CHAIN && hasDemo() });
  const showPage = (request: FastifyRequest, reply: FastifyReply): void => {
    if (page) send(page, request, reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer'));
    else void reply.status(404).type('text/plain; charset=utf-8').send('The portal was not built: run npm run build.\n');
  };
  fastify.get('/portal', showPage);
  // Every address of the page's own is the page; a file that is not there is not.
  fastify.get('/portal/*', showPage);
  fastify.get('/portal/about.json', (_request, reply) => void reply.send(about()));
  fastify.get<{ Params: { file: string } }>('/portal/assets/:file', (request, reply) => {
    const asset = assets.get(`assets/${request.params.file}`);
    // Their names carry a digest of their content.
    if (asset) send(asset, request, reply.header('cache-control', 'public, max-age=31536000, immutable'));
    else void reply.status(404).type('text/plain; charset=utf-8').send('No such file.\n');
  });
}

function send({ type, plain, zipped }: Asset, request: FastifyRequest, reply: FastifyReply): void {
  const zips = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  void reply.header('vary', 'accept-encoding').type(type);
  if (zips) void reply.header('content-encoding', 'gzip');
  void reply.send(zips ? zipped : plain);
}

/** Half a megabyte in all: read and compressed once. */
function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const name of existsSync(FOLDER) ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }) : []) {
    const type = TYPES[extname(name)];
    if (!type) continue;
    const plain = readFileSync(join(FOLDER, name));
    assets.set(name.replaceAll('\\', '/'), { type, plain, zipped: gzipSync(plain) });
  }
  return assets;
}

/** Without inline scripts and styles: an injected text is shown, and never run. */
function pagePolicy(rpcUrl: string | null): string {
  const rpc = rpcUrl === null ? '' : ` ${new URL(rpcUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${rpc}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
