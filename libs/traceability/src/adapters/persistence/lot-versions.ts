import type { TenantTx, Tx } from '#persistence';
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
  const rows = await tx.sql(
    `with recursive named as (
       select token_id from traceability.lot where tenant_id = $1 and to_block is null and token_id = any($2::bigint[])
       union select token_id from traceability.lot where tenant_id = $1 and to_block is null and custodian = any($4::text[])
       union select token_id from traceability.lot where tenant_id = $1 and to_block is null and pending_custodian = any($4::text[])
     ), inside as (
       select token_id from named
       union
       select l.token_id from inside i
       join traceability.lot l on l.tenant_id = $1 and l.container_token_id = i.token_id and l.to_block is null
     ), around as (
       select container_token_id as token_id from traceability.lot
       where tenant_id = $1 and to_block is null and token_id = any($3::bigint[]) and container_token_id is not null
       union
       select l.container_token_id from around a
       join traceability.lot l on l.tenant_id = $1 and l.token_id = a.token_id and l.to_block is null
       where l.container_token_id is not null
     )
     select ${NAMES.map((name) => `l.${name}`).join(', ')} from traceability.lot l
     where l.tenant_id = $1 and l.to_block is null and l.token_id in (select token_id from inside union select token_id from around)`,
    [tx.tenantId, touched.tokenIds, touched.recalled, touched.wallets],
  );
  return rows.map((row) => Lot.of(readRow<LotVersion>(LOT_COLUMNS, row)));
}

export async function closeVersions(tx: TenantTx, closed: readonly Lot[]): Promise<void> {
  if (closed.length === 0) return;
  await tx.sql(
    `update traceability.lot l set to_block = c.to_block, to_log = c.to_log
     from unnest($2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], $6::integer[])
          as c(token_id, from_block, from_log, to_block, to_log)
     where l.tenant_id = $1 and l.token_id = c.token_id and l.from_block = c.from_block and l.from_log = c.from_log`,
    [
      tx.tenantId,
      closed.map((lot) => lot.tokenId),
      closed.map((lot) => lot.fromBlock),
      closed.map((lot) => lot.fromLog),
      closed.map((lot) => lot.toBlock),
      closed.map((lot) => lot.toLog),
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
