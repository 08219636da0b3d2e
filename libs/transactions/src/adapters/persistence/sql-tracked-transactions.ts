import type { SystemTx, TenantTx } from '#persistence';
import { In } from 'typeorm';
import { OPEN_STATUSES, TrackedTransaction } from '../../domain/tracked-transaction.js';
import { type OpenHash, TrackedTransactions } from '../../ports.js';

export class SqlTrackedTransactions extends TrackedTransactions {
  override async add(tx: TenantTx, tracked: TrackedTransaction): Promise<TrackedTransaction> {
    const repository = tx.repository(TrackedTransaction);
    await repository.createQueryBuilder().insert().values(tracked).orIgnore().execute();
    const { tenantId, chainId, txHash } = tracked;
    return repository.findOneByOrFail({ tenantId, chainId, txHash });
  }

  override byId(tx: TenantTx, id: string): Promise<TrackedTransaction | null> {
    return tx.repository(TrackedTransaction).findOneBy({ tenantId: tx.tenantId, id });
  }

  override async open(tx: SystemTx, chainId: number, limit: number): Promise<readonly OpenHash[]> {
    return tx.sql<{ tenantId: string; id: string; txHash: string }>(
      `select tenant_id as "tenantId", id, tx_hash as "txHash" from transactions.tracked
       where chain_id = $1 and status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})
       order by last_checked_at nulls first limit $2`,
      [chainId, limit],
    );
  }

  override lock(tx: TenantTx, ids: readonly string[]): Promise<readonly TrackedTransaction[]> {
    return tx.repository(TrackedTransaction).find({
      where: { tenantId: tx.tenantId, id: In([...ids]) },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  override async save(tx: TenantTx, tracked: readonly TrackedTransaction[]): Promise<void> {
    if (tracked.length > 0) await tx.repository(TrackedTransaction).upsert([...tracked], ['tenantId', 'id']);
  }
}
