import { Readable, pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Below this, the headers and the work cost more than the bytes. */
const WORTH_BYTES = 1_024;
/** Text. Images, PDFs and archives are compressed already. */
const TEXT = /^(text\/(?!event-stream)|application\/([\w.-]+\+)?(json|xml|javascript|ld\+json|x-ndjson|linkset)|image\/svg)/i;
/** Level 11, the default of brotli, takes a hundred times as long for a tenth less. */
const BROTLI_LEVEL = 4;

const [gzipAsync, brotliAsync] = [promisify(gzip), promisify(brotliCompress)];

export type Coding = 'br' | 'gzip';

/** RFC 9110 §12.5.3: what the client takes with the highest weight; `q=0` is a refusal. Null: send the answer as it is. */
export function codingFor(accepted: string | undefined): Coding | null {
  if (accepted === undefined) return null;
  const weights = new Map(
    accepted
      .toLowerCase()
      .split(',')
      .slice(0, 20)
      .map((one) => {
        const [name, ...parameters] = one.split(';').map((part) => part.trim());
        const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
        const weight = q === undefined ? 1 : Number(q);
        return [name!, Number.isFinite(weight) ? weight : 0] as const;
      }),
  );
  const weightOf = (coding: string): number =>
    weights.get(coding) ?? (coding === 'gzip' ? weights.get('x-gzip') : undefined) ?? weights.get('*') ?? 0;
  const [br, zip] = [weightOf('br'), weightOf('gzip')];
  const identity = weights.get('identity') ?? 0;
  if (Math.max(br, zip) <= 0 || identity > Math.max(br, zip)) return null;
  return br >= zip ? 'br' : 'gzip';
}

export const compressed = (body: Buffer | string, coding: Coding): Promise<Buffer> =>
  coding === 'gzip'
    ? gzipAsync(body)
    : brotliAsync(body, {
        params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL, [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(body) },
      });

/** What `vary` needs of a reply. */
export interface VaryingReply {
  getHeader(name: string): unknown;
  header(name: string, value: string): unknown;
}

/** Adds a name to `Vary` and keeps those that are there: of CORS, of the route, of compression. */
export function vary(reply: VaryingReply, name: string): void {
  const there = reply.getHeader('vary');
  const names = (typeof there === 'string' ? there.split(',') : Array.isArray(there) ? (there as string[]) : [])
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (names.some((one) => one === '*' || one.toLowerCase() === name.toLowerCase())) return;
  void reply.header('vary', [...names, name].join(', '));
}

/**
 * Compresses answers of more than a kilobyte. Not one with a strong ETag, which names exact bytes (contents by CID, passports that others
 * check), nor those of the session routes: they consist of secrets. For others the length of a compressed answer says nothing to another
 * site (BREACH): credentials are headers, so no other site can make a browser send a request with them.
 */
export function addCompression(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload: unknown) => {
    if (!isCompressible(request, reply)) return payload;
    const size = typeof payload === 'string' ? Buffer.byteLength(payload) : Buffer.isBuffer(payload) ? payload.length : null;
    if (size === null ? !(payload instanceof Readable) : size < WORTH_BYTES) return payload;
    vary(reply, 'Accept-Encoding');
    const coding = request.method === 'HEAD' ? null : codingFor(request.headers['accept-encoding']);
    if (coding === null) return payload;
    void reply.removeHeader('content-length');
    if (!(payload instanceof Readable)) {
      void reply.header('content-encoding', coding);
      return compressed(payload as Buffer | string, coding);
    }
    // What is written as fast as it is read goes through gzip, which every client that takes brotli takes too.
    if (codingFor(withoutBrotli(request.headers['accept-encoding'])) === null) return payload;
    void reply.header('content-encoding', 'gzip');
    // An error ends both: the answer breaks off instead of ending as if it were whole.
    return pipeline(payload, createGzip(), () => undefined);
  });
}

const withoutBrotli = (accepted: string | undefined): string => `${accepted ?? ''}, br;q=0`;

function isCompressible(request: FastifyRequest, reply: FastifyReply): boolean {
  if (reply.hasHeader('content-encoding') || reply.statusCode === 204 || reply.statusCode === 304) return false;
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string' && !etag.startsWith('W/')) return false;
  if (String(reply.getHeader('cache-control') ?? '').includes('no-transform')) return false;
  if (request.routeOptions.url?.startsWith('/api/v2/auth/')) return false;
  return TEXT.test(String(reply.getHeader('content-type') ?? ''));
}
