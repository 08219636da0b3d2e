/** What a tier may use (api-decisions §2, Tiers). */
export interface TierQuotas {
  readonly requestsPerMinute: number;
  readonly eventsPerMonth: number;
  readonly storedBytes: number;
  readonly keys: number;
  readonly subscriptions: number;
}

/** What is counted as it is used, and what is counted where it stands. */
export type Taken = { readonly events?: number; readonly bytes?: number };
export type HeldKind = 'keys' | 'subscriptions';

export interface Usage {
  readonly tier: string;
  /** First day of the month that `events` are of, UTC. */
  readonly month: string;
  readonly limits: TierQuotas;
  readonly events: number;
  readonly storedBytes: number;
  readonly keys: number;
  readonly subscriptions: number;
}

/** First day of a moment's month, UTC, as `yyyy-mm-dd`. */
export const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;

/** Closer to a limit than this part of it, or than this much, every use is counted exactly, one after the other. */
const EDGE = 0.01;
export const EVENTS_EDGE = 100;
export const BYTES_EDGE = 16 * 1024 * 1024;
export const isNearEdge = (used: number, more: number, limit: number, edge: number): boolean =>
  used + more > limit - Math.max(edge, limit * EDGE);
