import type { Problem } from '#kernel';
import { DomainError, refusal } from '#kernel';
import type { AccessRule } from '../access.js';
import { malformedRequest } from '../errors/refusals.js';

export const IDEMPOTENCY_KEY = 'idempotency-key';
export const REPLAYED = 'idempotency-replayed';
const KEY = /^[\x21-\x7e]{1,255}$/;

/** An answer as it went out, but for the secrets in it. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** JSON; null where there was no body. */
  readonly body: string | null;
}

export const idempotencyKeyReused = refusal(
  'idempotency_key_reused',
  422,
  () => 'This Idempotency-Key was used for another request; take a new key for a new request.',
);

export const stillRunning = refusal(
  'idempotency_still_running',
  409,
  (seconds: number) => `The first request with this Idempotency-Key is still being worked on; ask again in ${seconds} s.`,
  (seconds) => ({ retryAfterSeconds: seconds }),
);

/**
 * POSTs that act for a principal keep their answers. Those of sessions (`/api/v2/auth`) do not: their answers are secrets
 * through and through, and so are one-time links of public routes, which know nobody to keep them for.
 */
export const keepsAnswers = (method: string, path: string, rule: AccessRule | undefined): boolean =>
  method === 'POST' && rule !== undefined && rule !== 'public' && rule !== 'partial' && !path.startsWith('/api/v2/auth/');

/** @throws DomainError 400 */
export function readKey(header: string | readonly string[]): string {
  if (typeof header === 'string' && KEY.test(header)) return header;
  const problem: Problem = {
    pointer: '',
    code: 'idempotency_key_malformed',
    message: 'Idempotency-Key takes once 1 to 255 visible ASCII characters without spaces.',
  };
  throw malformedRequest([problem]);
}

/** A fault of this service or a limit says nothing about the request: it may be tried again. */
export const isWorthKeeping = (status: number): boolean => status < 500 && status !== 429;

const SECRETS = new Set(['secret', 'token', 'password', 'accessToken', 'refreshToken']);

/** Metadata is the tenant's own and holds nothing of ours. */
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

/** Thrown past the route that gave it before; the problem filter sends it as it is. */
export class Replay extends DomainError {
  constructor(readonly answer: Answer) {
    super('replayed', answer.status, 'An answer that was given before.');
  }
}
