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
 * Counts per key in windows that start with the first request of each. One count for all nodes where they share a store.
 * An adapter whose store is away rejects with `EngineUnavailable`, within a fraction of a second: what then is the caller's decision.
 */
export abstract class RateLimiter {
  /** Counts one, atomically: of any number of parallel calls exactly `limit` see a `remaining` of 0 or more. */
  abstract take(allowance: Allowance): Taken | Promise<Taken>;
  /** Uncounts one of the window that is open, if any. */
  abstract giveBack(key: string): void | Promise<void>;
  abstract remember(key: string, ms: number): void | Promise<void>;
  abstract isRemembered(key: string): boolean | Promise<boolean>;
}
