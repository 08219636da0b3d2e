import { type SystemTx, type TenantTx, countOf } from '#persistence';
import { In } from 'typeorm';
import { ASLEEP_STATUSES, OPEN_STATUSES, TrackedTransaction } from '../../domain/tracked-transaction.js';
import { type OpenHash, type Owner, type TrackedFilter, type TrackedPlace, TrackedTransactions } from '../../ports.js';

const listed = (statuses: readonly string[]): string => statuses.map((status) => `'${status}'`).join(', ');

/** How often what was dropped or replaced is looked at, and for how long. */
const ASLEEP_LOOK = "interval '1 minute'";
const ASLEEP_FOR = "interval '7 days'";

const LOOKED_UP = `tenant_id as "tenantId", id, tx_hash as "txHash", from_address as "from", nonce, block_number as "blockNumber",
  block_hash as "blockHash", revert_reason as "revertReason", last_checked_at`;

/** Two halves, each along its own index. */
const OPEN = `
  (select ${LOOKED_UP} from transactions.tracked
   where chain_id = $1 and status in (${listed(OPEN_STATUSES)}) and (last_checked_at is null or last_checked_at < $2)
   order by last_checked_at nulls first limit $3)
  union all
  (select ${LOOKED_UP} from transactions.tracked
   where chain_id = $1 and status in (${listed(ASLEEP_STATUSES)}) and last_checked_at < $2::timestamptz - ${ASLEEP_LOOK}
     and coalesce(unseen_since, submitted_at) > $2::timestamptz - ${ASLEEP_FOR}
   order by last_checked_at limit $3)
  order by last_checked_at nulls first limit $3`;

// biome-ignore format: a list of names
/** Every column that a look may change, with its property. */
const SEEN = {
  status: 'status', from_address: 'from', to_address: 'to', nonce: 'nonce', block_number: 'blockNumber', block_hash: 'blockHash',
  block_time: 'blockTime', gas_used: 'gasUsed', effective_gas_price: 'effectiveGasPrice', revert_reason: 'revertReason',
  replaced_by: 'replacedBy', event_id: 'eventId', event_data_hash: 'eventDataHash', unseen_since: 'unseenSince',
  last_checked_at: 'lastCheckedAt', confirmed_at: 'confirmedAt',
} as const;

const SAVE = `update transactions.tracked t set ${Object.keys(SEEN)
  .map((column) => `${column} = r.${column}`)
  .join(', ')} from json_populate_recordset(null::transactions.tracked, $2::json) r where t.tenant_id = $1 and t.id = r.id`;

export class SqlTrackedTransactions extends TrackedTransactions {
  override async add(tx: TenantTx, tracked: TrackedTransaction): Promise<TrackedTransaction> {
    const repository = tx.repository(TrackedTransaction);
    await repository.createQueryBuilder().insert().values(tracked).orIgnore().execute();
    const { tenantId, chainId, txHash } = tracked;
    // Somebody waits for it again: the days that a dropped one is looked for begin anew.
    await tx.sql(
      `update transactions.tracked set unseen_since = $4, last_checked_at = least(last_checked_at, $4::timestamptz - ${ASLEEP_LOOK} - interval '1 second')
       where tenant_id = $1 and chain_id = $2 and tx_hash = $3 and status in (${listed(ASLEEP_STATUSES)})`,
      [tenantId, chainId, txHash, tracked.submittedAt],
    );
    await tx.leaveTrace([txHash]);
    return repository.findOneByOrFail({ tenantId, chainId, txHash });
  }

  override byId(tx: TenantTx, id: string): Promise<TrackedTransaction | null> {
    return tx.repository(TrackedTransaction).findOneBy({ tenantId: tx.tenantId, id });
  }

  override byHash(tx: TenantTx, chainId: number, txHash: string): Promise<TrackedTransaction | null> {
    return tx.repository(TrackedTransaction).findOneBy({ tenantId: tx.tenantId, chainId, txHash });
  }

  override async list(
    tx: TenantTx,
    owner: Owner,
    filter: TrackedFilter,
    place: TrackedPlace,
    limit: number,
  ): Promise<{ rows: readonly TrackedTransaction[]; counted: number }> {
    const { conditions, parameters } = conditionsOf(tx.tenantId, owner, filter);
    const query = tx
      .repository(TrackedTransaction)
      .createQueryBuilder('t')
      .where(conditions.map((condition) => condition.replaceAll('$', ':p')).join(' and '), numbered(parameters))
      .orderBy('t.submittedAt', 'DESC')
      .addOrderBy('t.id', 'DESC')
      .limit(limit);
    if ('page' in place) query.offset((place.page - 1) * limit);
    else query.andWhere('(t.submitted_at, t.id) < (:submittedAt, :id)', place.after);
    return {
      rows: await query.getMany(),
      counted: await countOf(tx, `transactions.tracked t where ${conditions.join(' and ')}`, parameters),
    };
  }

  override async open(tx: SystemTx, chainId: number, at: Date, limit: number): Promise<readonly OpenHash[]> {
    const rows = await tx.sql<OpenHash & { nonce: string | null; blockNumber: string | null }>(OPEN, [chainId, at, limit]);
    return rows.map((row) => ({ ...row, nonce: integer(row.nonce), blockNumber: integer(row.blockNumber) }));
  }

  override async hasNew(tx: SystemTx, chainId: number): Promise<boolean> {
    const rows = await tx.sql(
      `select from transactions.tracked where chain_id = $1 and status in (${listed(OPEN_STATUSES)}) and last_checked_at is null limit 1`,
      [chainId],
    );
    return rows.length > 0;
  }

  override lock(tx: TenantTx, ids: readonly string[]): Promise<readonly TrackedTransaction[]> {
    return tx.repository(TrackedTransaction).find({
      where: { tenantId: tx.tenantId, id: In([...ids]) },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  override async save(tx: TenantTx, tracked: readonly TrackedTransaction[]): Promise<void> {
    if (tracked.length === 0) return;
    const rows = tracked.map((of) => ({
      id: of.id,
      ...Object.fromEntries(Object.entries(SEEN).map(([column, property]) => [column, of[property]])),
    }));
    await tx.sql(SAVE, [tx.tenantId, JSON.stringify(rows)]);
  }
}

const integer = (value: string | null): number | null => (value === null ? null : Number(value));
const numbered = (parameters: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(parameters.map((value, i) => [`p${i + 1}`, value]));

function conditionsOf(
  tenantId: string,
  { kind, id }: Owner,
  { status, type, from, to }: TrackedFilter,
): { readonly conditions: readonly string[]; readonly parameters: readonly unknown[] } {
  const parameters: unknown[] = [tenantId, kind, id];
  const conditions = ['t.tenant_id = $1', 't.owner_kind = $2', 't.owner_id = $3'];
  const add = (condition: string, value: unknown): void => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  add('t.status =', status);
  add('t.type =', type);
  add('t.submitted_at >=', from);
  add('t.submitted_at <', to);
  return { conditions, parameters };
}
