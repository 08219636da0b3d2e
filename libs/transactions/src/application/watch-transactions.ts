import { EngineUnavailable } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { tenantByTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import type { Horizon, Sighting } from '../domain/tracked-transaction.js';
import { type OpenHash, TrackedTransactions, TransactionLookout } from '../ports.js';
import { TellOutcome } from './tell-outcome.js';
import { WatchSurroundings } from './watch-surroundings.js';

/** Hashes a look takes in: two questions each to the node, a fixed number of statements for all of them. */
const AT_ONCE = 1_000;

/** Looks at open tracked transactions and writes down what became of them. Called once per head. */
@Injectable()
export class WatchTransactions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedTransactions,
    private readonly lookout: TransactionLookout,
    private readonly around: WatchSurroundings,
    private readonly outcome: TellOutcome,
  ) {}

  /**
   * @returns how many were looked at
   * @throws EngineUnavailable: nothing was concluded of those that remain, nothing written; AggregateError when what was found of some
   * tenants could not be written, and that of the others was
   */
  async watch(at: Date): Promise<number> {
    const looked = new Set<string>();
    const failures: AggregateError[] = [];
    for (;;) {
      const open = await this.unitOfWork.asSystem((tx) => this.tracked.open(tx, this.around.chain.chainId, at, AT_ONCE));
      const fresh = open.filter(({ id }) => !looked.has(id));
      for (const { id } of fresh) looked.add(id);
      if (fresh.length > 0)
        await this.look(fresh, at).catch((error: unknown) => {
          if (!(error instanceof AggregateError)) throw error;
          failures.push(error);
        });
      // What another worker is writing comes up again: without anything new beside it, it is enough.
      if (open.length < AT_ONCE || fresh.length === 0) break;
    }
    if (failures.length > 0) throw failures[0]!;
    return looked.size;
  }

  private async look(open: readonly OpenHash[], at: Date): Promise<void> {
    const { head, sightings } = await this.lookout.look(onePerHash(open));
    const write = (tenants: readonly Open[]): Promise<void> =>
      this.unitOfWork.asSystem(async (tx) => {
        const horizon = await this.around.horizon(tx, at, head);
        for (const { tenantId, ids } of tenants) await this.writeDown(tx, tenantId, ids, sightings, horizon);
      });
    const tenants = byTenant(open);
    try {
      await write(tenants);
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error;
      // One transaction for all costs the least, but what cannot be written of one tenant must not be everybody's fault.
      await tenantByTenant(tenants, new AbortController().signal, (tenant) => write([tenant]));
    }
  }

  private writeDown(
    tx: SystemTx,
    tenantId: string,
    ids: readonly string[],
    sightings: ReadonlyMap<string, Sighting>,
    horizon: Horizon,
  ): Promise<void> {
    return tx.forTenant(tenantId, async (tenantTx) => {
      const locked = (await this.tracked.lock(tenantTx, ids)).filter((tracked) => !tracked.final);
      const moved = locked.filter((tracked) => {
        const { status, eventId } = tracked;
        tracked.seen(sightings.get(tracked.txHash)!, horizon);
        return tracked.status !== status || tracked.eventId !== eventId;
      });
      await this.tracked.save(tenantTx, locked);
      await this.outcome.tell(tenantTx, moved, horizon);
    });
  }
}

/** Two tenants may follow one hash: whoever knows more of it asks. */
function onePerHash(open: readonly OpenHash[]): OpenHash[] {
  const known = ({ blockNumber, nonce }: OpenHash): number => (blockNumber === null ? 0 : 2) + (nonce === null ? 0 : 1);
  return [...new Map(open.toSorted((a, b) => known(a) - known(b)).map((of) => [of.txHash, of])).values()];
}

interface Open {
  readonly tenantId: string;
  readonly ids: readonly string[];
}

function byTenant(open: readonly OpenHash[]): readonly Open[] {
  const tenants = new Map<string, string[]>();
  for (const { tenantId, id } of open) {
    const ids = tenants.get(tenantId);
    if (ids) ids.push(id);
    else tenants.set(tenantId, [id]);
  }
  return [...tenants].map(([tenantId, ids]) => ({ tenantId, ids }));
}
