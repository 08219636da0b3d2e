export interface RateLimit {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** `remaining` is negative for requests beyond the limit. They are counted too, so retrying immediately does not help. */
export interface RateLimitState {
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * How long a caller waits for a slow shared counter. `short`: a fraction of a second, for requests that continue without it. `long`: a few
 * seconds, enough for a restart of the store, for logins, which are refused without it.
 */
export type Patience = 'short' | 'long';

/**
 * Counts per key, in windows that start with the first request of each. Nodes that share a store have one counter. An adapter whose store
 * is unavailable, or slower than the caller's patience, rejects with `EngineUnavailable`, and the caller decides what happens. A call whose
 * answer was lost may have counted, and counts again when it is repeated.
 */
export abstract class RateLimiter {
  /** Counts one request, atomically: of any number of parallel calls, exactly `limit` get a `remaining` of 0 or more. */
  abstract consume(limit: RateLimit, patience?: Patience): RateLimitState | Promise<RateLimitState>;
  /** Subtracts one from the counter of the open window, if there is one. */
  abstract refund(key: string): void | Promise<void>;
  /** Sets a flag that expires. */
  abstract setFlag(key: string, ms: number): void | Promise<void>;
  abstract hasFlag(key: string, patience?: Patience): boolean | Promise<boolean>;
}
