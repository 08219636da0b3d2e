import { arrayParameter, type Item, type ItemType, type TenantTx, type Tx } from '#persistence';
import { Lot, type LotVersion } from '../../domain/lot.js';
import { columnParameters, readRow, unnested } from './columns.js';
import { LOT_COLUMNS } from './lot.schema.js';

const NAMES = LOT_COLUMNS.map((column) => column.name);
const INSERT = `insert into traceability.lot (${NAMES.join(', ')}) ${unnested(LOT_COLUMNS)}`;

/** What a batch of logs may touch. */
export interface Touched {
  readonly tokenIds: readonly bigint[];
  readonly recalled: readonly bigint[];
  readonly wallets: readonly string[];
}

/** Current lots: those named, those of moved wallets, everything inside them, and what stands around recalled ones. */
export async function loadTouched(tx: TenantTx, touched: Touched): Promise<Lot[]> {
  const { tokenIds, recalled, wallets } = touched;
  const named = wallets.length === 0 ? tokenIds : [...tokenIds, ...(await lotsOfWallets(tx, wallets))];
  if (named.length === 0 && recalled.length === 0) return [];
  const rows = await tx.sql(LOAD, [tx.tenantId, arrayParameter('bigint', named), arrayParameter('bigint', recalled)]);
  return rows.map((row) => Lot.of(readRow<LotVersion>(LOT_COLUMNS, row)));
}

/**
 * "Current" in words that no partial index claims. Where statistics are missing or old, as in a history, the planner takes the current lots
 * of a tenant for next to none, any index on them is as good to it, and a look-up by token reads them all. So only the primary key serves.
 */
export const CURRENT = 'coalesce(l.to_block, -1) < 0';

// `offset 0` keeps each look what it is, one into an index: pulled up, it could become a join of whole tables.
const LOAD = `
  with recursive inside as (
    select n.token_id from unnest($2::bigint[]) as n(token_id)
    union
    select c.token_id from inside i cross join lateral (
      select l.token_id from traceability.lot l
      where l.tenant_id = $1 and l.container_token_id = i.token_id and ${CURRENT} offset 0) c
  ), around as (
    select r.token_id from unnest($3::bigint[]) as r(token_id)
    union
    select c.token_id from around a cross join lateral (
      select l.container_token_id as token_id from traceability.lot l
      where l.tenant_id = $1 and l.token_id = a.token_id and l.container_token_id is not null and ${CURRENT} offset 0) c
  )
  select ${NAMES.map((name) => `t.${name}`).join(', ')}
  from (select token_id from inside union select token_id from around) n cross join lateral (
    select * from traceability.lot l where l.tenant_id = $1 and l.token_id = n.token_id and ${CURRENT} offset 0) t`;

async function lotsOfWallets(tx: TenantTx, wallets: readonly string[]): Promise<bigint[]> {
  const rows = await tx.sql<{ token_id: string }>(
    `select token_id from traceability.lot where tenant_id = $1 and to_block is null and custodian = any($2::text[])
     union select token_id from traceability.lot where tenant_id = $1 and to_block is null and pending_custodian = any($2::text[])`,
    [tx.tenantId, wallets],
  );
  return rows.map((row) => BigInt(row.token_id));
}

export async function closeVersions(tx: TenantTx, closed: readonly Lot[]): Promise<void> {
  if (closed.length === 0) return;
  const column = (type: ItemType, of: (lot: Lot) => Item): Buffer => arrayParameter(type, closed.map(of));
  await tx.sql(
    `update traceability.lot l set to_block = c.to_block, to_log = c.to_log
     from unnest($2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], $6::integer[])
          as c(token_id, from_block, from_log, to_block, to_log)
     where l.tenant_id = $1 and l.token_id = c.token_id and l.from_block = c.from_block and l.from_log = c.from_log`,
    [
      tx.tenantId,
      column('bigint', (lot) => lot.tokenId),
      column('bigint', (lot) => lot.fromBlock),
      column('integer', (lot) => lot.fromLog),
      column('bigint', (lot) => lot.toBlock),
      column('integer', (lot) => lot.toLog),
    ],
  );
}

export async function insertVersions(tx: TenantTx, opened: readonly Lot[]): Promise<void> {
  if (opened.length === 0) return;
  await tx.sql(INSERT, columnParameters<LotVersion>(LOT_COLUMNS, opened));
}

/** What later blocks opened vanishes, what they closed is current again. */
export async function undoVersions(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from traceability.lot where chain_id = $1 and from_block > $2', [chainId, lastGoodBlock]);
  await tx.sql('update traceability.lot set to_block = null, to_log = null where chain_id = $1 and to_block > $2', [
    chainId,
    lastGoodBlock,
  ]);
}
