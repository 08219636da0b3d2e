import { DomainError, type Problem, refusal } from '#kernel';
import type { AccessRule } from '../access/access.js';
import { malformedRequest } from '../problems/refusals.js';

export const IDEMPOTENCY_KEY = 'idempotency-key';
export const REPLAYED = 'idempotency-replayed';
const KEY = /^[\x21-\x7e]{1,255}$/;

/** An answer as it was sent, without its secrets. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** JSON; null when there was no body. */
  readonly body: string | null;
}

export const idempotencyKeyReused = refusal(
  'idempotency_key_reused',
  422,
  () => 'This Idempotency-Key was already used for another request. Use a new key for each request.',
);

/** The same for every request: when the lease of the key ends is nobody's business. */
const WAIT_SECONDS = 2;

export const stillRunning = refusal(
  'idempotency_still_running',
  409,
  () => `The first request with this Idempotency-Key is still running. Try again in ${WAIT_SECONDS} s.`,
  () => ({ retryAfterSeconds: WAIT_SECONDS }),
);

/** One spelling for each path: the router decodes `%64rills` too, so both are the same request. */
export const normalisedPath = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });

const UNKEPT = /^\/api\/v2\/auth\/|^\/api\/v1\/privacy\/export\/?$/;

/**
 * Whether the answers of a route are stored: those of a POST of a principal. Not for session routes (`/api/v2/auth`), whose answers consist
 * of secrets, nor for public routes, which have no principal, nor for the values of a person (`/api/v1/privacy/export`), which nobody is to keep.
 */
export const keepsAnswers = (method: string, path: string, rule: AccessRule | undefined): boolean =>
  method === 'POST' && rule !== undefined && rule !== 'public' && rule !== 'partial' && !UNKEPT.test(path);

/** @throws DomainError 400 */
export function readKey(header: string | readonly string[]): string {
  if (typeof header === 'string' && KEY.test(header)) return header;
  const problem: Problem = {
    pointer: '',
    code: 'idempotency_key_malformed',
    message: 'Idempotency-Key must be one header with 1 to 255 visible ASCII characters without spaces.',
  };
  throw malformedRequest([problem]);
}

/** False for errors of the service and for rate limits: the same request may succeed later. */
export const isRepeatable = (status: number): boolean => status < 500 && status !== 429;

const SECRETS = new Set(['secret', 'token', 'password', 'accessToken', 'refreshToken']);

/** Metadata belongs to the tenant and contains no secrets of the service. */
export const withoutSecrets = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(stripped(value));

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRETS.has(name))
      .map(([name, member]) => [name, name === 'metadata' ? member : stripped(member)]),
  );
}

/** Thrown instead of calling the route again; the problem filter sends the stored answer. */
export class Replay extends DomainError {
  constructor(readonly answer: Answer) {
    super('replayed', answer.status, 'A stored answer.');
  }
}
