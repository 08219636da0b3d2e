import type { SystemTx } from '#persistence';
import type { ClaimedDelivery } from '../../domain/delivery.js';
import { sharesOf } from '../../domain/shares.js';
import { AttemptBook, type Claim, type Claimed, type ClaimLimits, type Settled } from '../../ports.js';
import { CLAIM, DISCARD, FAN_OUT, INTERRUPTED, LANES, PURGE, PURGE_MESSAGES, SETTLE, STRUGGLE } from './attempt-statements.js';

interface Lane {
  readonly tenantId: string;
  readonly id: string;
  readonly cap: number;
  /** What its cap leaves it; counted before it was locked. */
  readonly room: number;
  /** Null: everything goes; else why what nobody asked for is discarded. */
  readonly closed: string | null;
  readonly deleted: boolean;
}

export class SqlAttemptBook extends AttemptBook {
  override async fanOut(tx: SystemTx, batch: number, at: Date): Promise<{ topics: number; deliveries: number }> {
    const [counts] = await tx.sql<{ topics: number; deliveries: number }>(FAN_OUT, [batch, at]);
    return counts!;
  }

  /**
   * Two statements: the first locks the subscriptions that have something due, so that the second counts what they have in
   * flight with a snapshot taken after the lock. One statement would count with an old one and overshoot the cap.
   */
  override async claim(tx: SystemTx, { slots, perSubscription, leaseMs, resting, held }: ClaimLimits, at: Date): Promise<Claimed> {
    if (slots < 1) return NOTHING;
    const lanes = await tx.sql<Lane>(LANES, [at, perSubscription, slots, resting, [...held.keys()], [...held.values()]]);
    if (lanes.length === 0) return NOTHING;
    const closed = lanes.filter((lane) => lane.closed !== null);
    if (closed.length > 0)
      await tx.sql(DISCARD, [column(closed, 'tenantId'), column(closed, 'id'), column(closed, 'closed'), column(closed, 'deleted'), at]);
    const shares = sharesOf(lanes, slots, held);
    const [tenants, ids, caps] = [column(lanes, 'tenantId'), column(lanes, 'id'), column(lanes, 'cap')];
    const claims = await tx.sql<Claim>(CLAIM, [tenants, ids, caps, shares, at, leaseMs]);
    return { claims, more: leftOver(lanes, shares, claims) };
  }

  override interrupted(tx: SystemTx, limit: number, at: Date): Promise<readonly ClaimedDelivery[]> {
    return tx.sql<ClaimedDelivery>(INTERRUPTED, [limit, at]);
  }

  override async settle(tx: SystemTx, settled: readonly Settled[], pauseAfterMs: number): Promise<void> {
    if (settled.length === 0) return;
    const of = <T>(value: (each: Settled) => T): T[] => settled.map(value);
    const [found] = await tx.sql<{ struggling: boolean }>(SETTLE, [
      of(({ delivery }) => delivery.tenantId),
      of(({ delivery }) => delivery.id),
      of(({ delivery }) => delivery.attempt),
      of(({ delivery }) => delivery.resends),
      of(({ delivery }) => delivery.manual),
      of(({ settlement }) => settlement.status),
      of(({ settlement }) => settlement.nextAttemptAt),
      of(({ settlement }) => settlement.statusCode),
      of(({ settlement }) => settlement.responseBody),
      of(({ settlement }) => settlement.error),
      of(({ delivery }) => delivery.startedAt),
      of(({ endedAt }) => endedAt),
      of(({ success }) => success),
      of(({ delivery }) => delivery.subscriptionId),
    ]);
    if (!found!.struggling) return;
    await tx.sql(STRUGGLE, [
      of(({ delivery }) => delivery.tenantId),
      of(({ delivery }) => delivery.subscriptionId),
      of(({ success }) => success),
      of(({ settlement }) => settlement.status === 'failed'),
      of(({ endedAt }) => endedAt),
      pauseAfterMs,
    ]);
  }

  override async purge(tx: SystemTx, before: Date, limit: number): Promise<number> {
    const [counts] = await tx.sql<{ purged: number }>(PURGE, [before, limit]);
    return counts!.purged;
  }

  override async purgeMessages(tx: SystemTx, before: Date, limit: number): Promise<number> {
    const [counts] = await tx.sql<{ purged: number }>(PURGE_MESSAGES, [before, limit]);
    return counts!.purged;
  }
}

const NOTHING: Claimed = { claims: [], more: false };

/** Some had less waiting than was left for them, while others could have had more. */
function leftOver(lanes: readonly Lane[], shares: readonly number[], claims: readonly Claim[]): boolean {
  if (claims.length === shares.reduce((sum, share) => sum + share, 0)) return false;
  const taken = new Map<string, number>();
  for (const { subscriptionId } of claims) taken.set(subscriptionId, (taken.get(subscriptionId) ?? 0) + 1);
  return lanes.some(({ id, room }, i) => taken.get(id) === shares[i] && shares[i]! < room);
}

const column = <Row, Key extends keyof Row>(rows: readonly Row[], key: Key): Row[Key][] => rows.map((row) => row[key]);
