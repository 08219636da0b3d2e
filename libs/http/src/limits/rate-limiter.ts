export interface Allowance {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** `remaining` is negative for the requests beyond the limit: they count too, so hammering does not pay. */
export interface Taken {
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * How long a caller waits for a shared count that is slow. `short` is a fraction of a second: for requests that go on without.
 * `long` is a few seconds, over a restart of the store too: for logins, which are refused without.
 */
export type Patience = 'short' | 'long';

/**
 * Counts per key in windows that start with the first request of each. One count for all nodes where they share a store.
 * An adapter whose store is away, or slower than the caller's patience, rejects with `EngineUnavailable`: what then is the
 * caller's decision. A call whose answer got lost may have counted, and counts again when it is repeated.
 */
export abstract class RateLimiter {
  /** Counts one, atomically: of any number of parallel calls exactly `limit` see a `remaining` of 0 or more. */
  abstract take(allowance: Allowance, patience?: Patience): Taken | Promise<Taken>;
  /** Uncounts one of the window that is open, if any. */
  abstract giveBack(key: string): void | Promise<void>;
  abstract remember(key: string, ms: number): void | Promise<void>;
  abstract isRemembered(key: string, patience?: Patience): boolean | Promise<boolean>;
}
