import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allOutlines, middleOfCountry } from '#geography';
import { codingFor, vary } from '#http';

/** Where tools/build.mjs puts the build of apps/portal. */
const FOLDER = fileURLToPath(new URL('../../../portal', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};
/** The chain id of local EVM nodes, whose accounts have publicly known keys and are worthless. */
const LOCAL_CHAIN = 31_337;

/** What makes the page an app: its names do not change. */
const INSTALLED = ['sw.js', 'manifest.webmanifest', 'icon-192.png', 'icon-512.png'];
/** The service worker covers `/portal` itself too, and asks nobody else. */
const SERVICE_WORKER = {
  'service-worker-allowed': '/portal',
  'content-security-policy': "default-src 'none'; connect-src 'self'",
};

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** What the page needs before a user signs in. */
export interface PortalSettings {
  readonly chainId: number;
  /** Where browsers send signed transactions: the only other address that the page may call. */
  readonly clientRpcUrl: string | null;
  /** Whether this service has the demo tenants; only then may the page sign with the accounts of a local chain. */
  readonly hasDemo: () => boolean;
}

/** Serves the portal at `/portal`: static files that use only the public API. Call it before `listen`. */
export function servePortal(app: NestFastifyApplication, { chainId, clientRpcUrl, hasDemo }: PortalSettings): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const assets = readAssets();
  const page = assets.get('index.html');
  const policy = pagePolicy(clientRpcUrl);
  const about = () => {
    const demoWallet = chainId === LOCAL_CHAIN && hasDemo();
    return { chainId, demoWallet, rpcUrl: demoWallet ? clientRpcUrl : null };
  };
  const showPage = (request: FastifyRequest, reply: FastifyReply): void => {
    if (page) send(page, request, reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer'));
    else void reply.status(404).type('text/plain; charset=utf-8').send('The portal was not built: run npm run build.\n');
  };
  fastify.get('/portal', showPage);
  // Every route of the page gets the page; a missing file gets 404.
  fastify.get('/portal/*', showPage);
  fastify.get('/portal/about.json', (_request, reply) => void reply.send(about()));
  const shell = { assets: [...assets.keys()].filter((name) => name.startsWith('assets/') && !name.endsWith('.wasm')) };
  fastify.get('/portal/shell.json', (_request, reply) => void reply.header('cache-control', 'no-store').send(shell));
  // The map is the same until the next release: it is made when somebody opens one.
  let world: Asset | null = null;
  fastify.get('/portal/world.json', (request, reply) => {
    world ??= assetOf('application/json; charset=utf-8', Buffer.from(JSON.stringify(worldOf())));
    send(world, request, reply.header('cache-control', 'public, max-age=86400'));
  });
  for (const name of INSTALLED)
    fastify.get(`/portal/${name}`, (request, reply) => {
      const asset = assets.get(name);
      if (asset) send(asset, request, reply.headers({ 'cache-control': 'no-cache', ...SERVICE_WORKER }));
      else showPage(request, reply);
    });
  fastify.get<{ Params: { file: string } }>('/portal/assets/:file', (request, reply) => {
    const asset = assets.get(`assets/${request.params.file}`);
    // The file names contain a digest of the content.
    if (asset)
      send(
        asset,
        request,
        reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', ...policyOfScript(request.params.file) }),
      );
    else void reply.status(404).type('text/plain; charset=utf-8').send('No such file.\n');
  });
}

/** A worker has a policy of its own: the reader of bar codes compiles WebAssembly, which the page may not. */
const policyOfScript = (file: string): Record<string, string> =>
  file.includes('.worker-')
    ? { 'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'" }
    : {};

function send({ type, plain, zipped }: Asset, request: FastifyRequest, reply: FastifyReply): void {
  const zips = codingFor(`${request.headers['accept-encoding'] ?? ''}, br;q=0`) === 'gzip';
  vary(reply, 'Accept-Encoding');
  void reply.type(type);
  if (zips) void reply.header('content-encoding', 'gzip');
  void reply.send(zips ? zipped : plain);
}

const assetOf = (type: string, plain: Buffer): Asset => ({ type, plain, zipped: gzipSync(plain) });

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
/** Degrees with two decimals are finer than the map. */
const coarse = ([longitude, latitude]: readonly [number, number]): readonly number[] =>
  [longitude, latitude].map((one) => Math.round(one * 100) / 100);

/** Outlines of all countries, and the middle of each by its code. */
function worldOf(): { readonly outlines: readonly (readonly number[])[][]; readonly middles: Readonly<Record<string, readonly number[]>> } {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const middles = codes.flatMap((code) => {
    const middle = middleOfCountry(code);
    return middle === null ? [] : [[code, coarse(middle)] as const];
  });
  return { outlines: allOutlines().map((ring) => ring.map(coarse)), middles: Object.fromEntries(middles) };
}

/** Half a megabyte in total, read and compressed once. */
function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const name of existsSync(FOLDER) ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }) : []) {
    const type = TYPES[extname(name)];
    if (!type) continue;
    assets.set(name.replaceAll('\\', '/'), assetOf(type, readFileSync(join(FOLDER, name))));
  }
  return assets;
}

/** Without inline scripts and styles, so that injected text is shown and never run. */
function pagePolicy(rpcUrl: string | null): string {
  const rpc = rpcUrl === null ? '' : ` ${new URL(rpcUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    `connect-src 'self'${rpc}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
