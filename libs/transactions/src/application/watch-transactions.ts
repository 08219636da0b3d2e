import { ChainHead, ChainProfile } from '#chain';
import { type SystemTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Horizon, Sighting } from '../domain/tracked-transaction.js';
import { type OpenHash, TrackedTransactions, TransactionLookout } from '../ports.js';

/** Hashes a look takes in: two questions each to the node. */
const AT_ONCE = 400;

/** Looks at open tracked transactions and writes down what became of them. Called once per head. */
@Injectable()
export class WatchTransactions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedTransactions,
    private readonly lookout: TransactionLookout,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
  ) {}

  /** @returns how many were looked at. @throws EngineUnavailable: nothing was concluded, nothing written */
  async watch(at: Date): Promise<number> {
    const open = await this.unitOfWork.asSystem((tx) => this.tracked.open(tx, this.chain.chainId, AT_ONCE));
    if (open.length === 0) return 0;
    const { head, sightings } = await this.lookout.look([...new Set(open.map(({ txHash }) => txHash))]);
    await this.unitOfWork.asSystem(async (tx) => {
      const horizon = {
        at,
        nodeHead: head,
        projectedHead: (await this.chainHead.position(tx)).head,
        requiredConfirmations: this.chain.confirmations,
      };
      for (const [tenantId, ids] of byTenant(open)) await this.writeDown(tx, tenantId, ids, sightings, horizon);
    });
    return open.length;
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
      for (const tracked of locked) tracked.seen(sightings.get(tracked.txHash)!, horizon);
      await this.tracked.save(tenantTx, locked);
    });
  }
}

function byTenant(open: readonly OpenHash[]): Map<string, string[]> {
  const tenants = new Map<string, string[]>();
  for (const { tenantId, id } of open) tenants.set(tenantId, [...(tenants.get(tenantId) ?? []), id]);
  return tenants;
}
