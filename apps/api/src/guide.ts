import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codingFor, vary } from '#http';

/** Where tools/build.mjs puts what tools/guide.mjs makes of `docs`. */
const FOLDER = fileURLToPath(new URL('../../../guide', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** No request leaves this service, and nothing that a page says can run. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** A picture has its styles within it. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Serves the documentation at `/guide`. Call it before `listen`. */
export function serveGuide(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const files = new Map(readFiles());
  const show = (request: FastifyRequest, reply: FastifyReply): void => {
    const name = ((request.params as { '*'?: string })['*'] ?? '').replace(/\/$/, '') || 'index';
    const file = files.get(name) ?? files.get(`${name}.html`);
    if (!file) return void reply.status(404).type('text/plain; charset=utf-8').send('No such page. The guide begins at /guide.\n');
    vary(reply, 'Accept-Encoding');
    const zips = codingFor(`${request.headers['accept-encoding'] ?? ''}, br;q=0`) === 'gzip';
    if (zips) void reply.header('content-encoding', 'gzip');
    void reply
      .header('content-security-policy', file.type === TYPES['.svg'] ? PICTURE_POLICY : POLICY)
      .header('cache-control', 'public, max-age=300')
      .type(file.type)
      .send(zips ? file.zipped() : file.plain);
  };
  fastify.get('/guide', show);
  fastify.get('/guide/*', show);
}

interface GuideFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: () => Buffer;
}

/** Some three megabytes, read at the start; each is compressed when it is first asked for. */
function* readFiles(): Generator<readonly [name: string, file: GuideFile]> {
  for (const name of existsSync(FOLDER) ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }) : []) {
    if (!statSync(join(FOLDER, name)).isFile() || name.startsWith('.')) continue;
    const plain = readFileSync(join(FOLDER, name));
    let zip: Buffer | null = null;
    yield [
      name.replaceAll('\\', '/'),
      { type: TYPES[extname(name)] ?? 'text/plain; charset=utf-8', plain, zipped: () => (zip ??= gzipSync(plain)) },
    ];
  }
}
