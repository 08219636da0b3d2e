import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** What a page of another origin may send and read beyond what every page may. */
const SENT = ['authorization', 'x-api-key', 'content-type', 'idempotency-key', 'if-none-match', 'x-request-id'];
const READ = [
  'x-request-id',
  'etag',
  'link',
  'location',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotency-replayed',
  'deprecation',
  'sunset',
];
const YEAR_SECONDS = 31_536_000;

/**
 * The headers that keep an answer from being read, framed or run where it should not. Whatever shows a page says its own
 * content-security-policy over this one, under which nothing loads and nothing runs.
 * @param origins whose pages may ask this service from a browser; `*` any. Credentials are headers that a page sets itself: no cookie is ever sent along.
 */
export function secure(fastify: FastifyInstance, origins: readonly string[]): void {
  void fastify.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
    },
    // Other services may live below the same domain.
    strictTransportSecurity: { maxAge: YEAR_SECONDS, includeSubDomains: false },
  });
  if (origins.length === 0) return;
  void fastify.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
    allowedHeaders: SENT,
    exposedHeaders: READ,
    maxAge: 600,
    strictPreflight: false,
  });
}
