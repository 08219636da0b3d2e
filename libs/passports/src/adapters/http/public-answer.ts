import { createHash } from 'node:crypto';
import type { Shown } from '../../application/show-passport.js';

/** What a route needs of Fastify's request and reply. */
export interface Asking {
  readonly protocol: string;
  readonly host: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
export interface Answering {
  code(status: number): Answering;
  header(name: string, value: string): Answering;
}

export interface Made {
  readonly body: Buffer;
  readonly etag: string;
  readonly type: string;
}

/** Kept with the passport that it was made of, so that a second reader costs nothing. */
export function made(shown: Shown, name: string, type: string, make: () => string | Buffer): Made {
  const before = shown.made.get(name) as Made | undefined;
  if (before) return before;
  const content = make();
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const made: Made = { body, type, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
  shown.made.set(name, made);
  return made;
}

/** Domain-decisions §7: five minutes, but whoever looks at recalled goods asks anew each time. */
export const cacheRule = ({ passport }: Shown): string => (passport.recalls.length > 0 ? 'no-cache' : 'public, max-age=300');

/** Nothing is loaded and nothing runs, whatever a tenant may have written. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** Sends it, or 304 to whoever has it. */
export function answer({ body, etag, type }: Made, shown: Shown, request: Asking, reply: Answering): Buffer | undefined {
  reply
    .header('etag', etag)
    .header('cache-control', cacheRule(shown))
    // Links in it begin with the host that was asked, which a proxy in front may name: no cache shows what one made up to another.
    .header('vary', 'accept, x-forwarded-host, x-forwarded-proto')
    .header('access-control-allow-origin', '*')
    // Labels are shown on pages of others.
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('content-security-policy', PAGE_POLICY);
  if (matches(request.headers['if-none-match'], etag)) {
    reply.code(304);
    return undefined;
  }
  reply.header('content-type', type);
  return body;
}

/** RFC 9110 §13.1.2: weak comparison. */
function matches(header: string | string[] | undefined, etag: string): boolean {
  const tags = (Array.isArray(header) ? header.join() : (header ?? '')).split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
