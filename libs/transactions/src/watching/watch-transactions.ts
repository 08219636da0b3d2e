import { EngineUnavailable } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { forEachTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import type { Observation } from '../observation/observation.js';
import { TransactionClient } from '../observation/transactions.client.js';
import { ReadTrackingContext } from '../tracking/read-tracking-context.js';
import { type PollContext, TrackedTransaction } from '../tracking/tracked-transaction.js';
import { type OpenHash, TrackedQueries } from '../tracking/tracked-transactions.queries.js';
import { PublishOutcome } from './publish-outcome.js';

/** Hashes in one poll: two requests each to the node, a fixed number of statements for all of them. */
const AT_ONCE = 1_000;

interface OpenOfTenant {
  readonly tenantId: string;
  readonly ids: readonly string[];
}

/** Polls open tracked transactions and stores their new states. Called once per head. */
@Injectable()
export class WatchTransactions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedQueries,
    private readonly client: TransactionClient,
    private readonly context: ReadTrackingContext,
    private readonly outcome: PublishOutcome,
  ) {}

  /** Where the index is, and whether there are hashes that were never polled. */
  state(): Promise<{ readonly position: string; readonly hasNew: boolean }> {
    return this.unitOfWork.readAsSystem(async (tx) => {
      const [position, hasNew] = await Promise.all([this.context.position(tx), this.tracked.hasNew(tx, this.context.chainId)]);
      return { position, hasNew };
    });
  }

  /**
   * @param dropAfterMs a transaction that no node knew for this long is dropped
   * @returns how many were polled
   * @throws EngineUnavailable: nothing was decided or stored for the rest; AggregateError when the results of some tenants could not be
   * stored, while those of the others were
   */
  async poll(at: Date, dropAfterMs: number): Promise<number> {
    const polled = new Set<string>();
    const failures: AggregateError[] = [];
    for (let more = true; more;) {
      // Asked again for each thousand: a hash of a tenant that has few comes before the rest of one that has many.
      const open = await this.unitOfWork.readAsSystem((tx) => this.tracked.open(tx, this.context.chainId, at, AT_ONCE, polled));
      for (const { id } of open) polled.add(id);
      if (open.length > 0)
        await this.pollSome(open, at, dropAfterMs).catch((error: unknown) => {
          if (!(error instanceof AggregateError)) throw error;
          failures.push(error);
        });
      more = open.length === AT_ONCE;
    }
    if (failures.length > 0) throw failures[0]!;
    return polled.size;
  }

  private async pollSome(open: readonly OpenHash[], at: Date, dropAfterMs: number): Promise<void> {
    const { head, observations } = await this.client.observe(onePerHash(open));
    const save = (some: readonly OpenOfTenant[]): Promise<void> =>
      this.unitOfWork.asSystem(async (tx) => {
        const context = await this.context.pollContext(tx, { at, nodeHead: head, dropAfterMs });
        for (const tenant of some) await this.save(tx, tenant, observations, context);
      });
    const tenants = byTenant(open);
    try {
      await save(tenants);
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error;
      // One transaction for all tenants costs least, but the failure of one tenant must not affect the others.
      await forEachTenant(tenants, new AbortController().signal, (tenant) => save([tenant]));
    }
  }

  private save(
    tx: SystemTx,
    { tenantId, ids }: OpenOfTenant,
    observations: ReadonlyMap<string, Observation>,
    context: PollContext,
  ): Promise<void> {
    return tx.forTenant(tenantId, async (tenantTx) => {
      const locked = (await this.tracked.lock(tenantTx, ids)).filter((tracked) => !tracked.final);
      const changed: TrackedTransaction[] = [];
      const written: TrackedTransaction[] = [];
      for (const tracked of locked) {
        const before = Object.assign(new TrackedTransaction(), tracked);
        tracked.observe(observations.get(tracked.txHash)!, context);
        if (tracked.status !== before.status || tracked.eventId !== before.eventId) changed.push(tracked);
        if (mustBeWritten(before, tracked)) written.push(tracked);
      }
      await this.tracked.save(tenantTx, written);
      await this.outcome.publish(tenantTx, changed, context);
    });
  }
}

/** How old the time of the last poll may get while nothing else changes. */
const CHECKED_AGAIN_MS = 60_000;

/** A poll that changed nothing writes nothing, but for its time once a minute. */
function mustBeWritten(before: TrackedTransaction, after: TrackedTransaction): boolean {
  const [last, now] = [before.lastCheckedAt, after.lastCheckedAt];
  if (!last || !now || now.getTime() - last.getTime() >= CHECKED_AGAIN_MS) return true;
  const others = (of: TrackedTransaction): string =>
    JSON.stringify(of, (name, value: unknown) => (name === 'lastCheckedAt' ? null : value));
  return others(before) !== others(after);
}

/** Two tenants may track one hash: the request uses the record that knows more. */
function onePerHash(open: readonly OpenHash[]): OpenHash[] {
  const known = ({ blockNumber, nonce }: OpenHash): number => (blockNumber === null ? 0 : 2) + (nonce === null ? 0 : 1);
  return [...new Map(open.toSorted((a, b) => known(a) - known(b)).map((of) => [of.txHash, of])).values()];
}

function byTenant(open: readonly OpenHash[]): readonly OpenOfTenant[] {
  const tenants = new Map<string, string[]>();
  for (const { tenantId, id } of open) {
    const ids = tenants.get(tenantId);
    if (ids) ids.push(id);
    else tenants.set(tenantId, [id]);
  }
  return [...tenants].map(([tenantId, ids]) => ({ tenantId, ids }));
}
