import { arrayParameter, type Item, type ItemType, type TenantTx, type Tx } from '#persistence';
import { LotVersion, type LotRow } from '../lots/lot.js';
import { columnParameters, readRow, unnested, CURRENT, LOT_COLUMNS } from '../lots/columns.queries.js';
import type { Edge } from '../lineage/lineage-graph.js';

const NAMES = LOT_COLUMNS.map((column) => column.name);
const INSERT = `insert into traceability.lot (${NAMES.join(', ')}) ${unnested(LOT_COLUMNS)}`;

/** What a batch of logs may touch. */
export interface Touched {
  readonly tokenIds: readonly bigint[];
  readonly recalled: readonly bigint[];
  readonly wallets: readonly string[];
}

/** Current lots: those named, those of moved wallets, everything inside them, and the containers around recalled ones. */
export async function loadTouched(tx: TenantTx, touched: Touched): Promise<LotVersion[]> {
  const { tokenIds, recalled, wallets } = touched;
  const named = wallets.length === 0 ? tokenIds : [...tokenIds, ...(await lotsOfWallets(tx, wallets))];
  if (named.length === 0 && recalled.length === 0) return [];
  const rows = await tx.sql(LOAD, [tx.tenantId, arrayParameter('bigint', named), arrayParameter('bigint', recalled)]);
  return rows.map((row) => LotVersion.of(readRow<LotRow>(LOT_COLUMNS, row)));
}

// `offset 0` keeps each read an index lookup: pulled up, it could become a join of whole tables.
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

/** The parts of some lots, and the parts of those. */
export async function partsOfLots(tx: TenantTx, tokenIds: readonly bigint[]): Promise<bigint[]> {
  if (tokenIds.length === 0) return [];
  const rows = await tx.sql<{ token_id: string }>(
    `with recursive part as (
       select n.token_id from unnest($2::bigint[]) as n(token_id)
       union
       select s.to_token from part p cross join lateral (
         select e.to_token from traceability.edge e where e.tenant_id = $1 and e.from_token = p.token_id and e.kind = 'split' offset 0) s
     )
     select token_id from part except select * from unnest($2::bigint[])`,
    [tx.tenantId, arrayParameter('bigint', tokenIds)],
  );
  return rows.map((row) => BigInt(row.token_id));
}

async function lotsOfWallets(tx: TenantTx, wallets: readonly string[]): Promise<bigint[]> {
  const rows = await tx.sql<{ token_id: string }>(
    `select token_id from traceability.lot where tenant_id = $1 and to_block is null and custodian = any($2::text[])
     union select token_id from traceability.lot where tenant_id = $1 and to_block is null and pending_custodian = any($2::text[])`,
    [tx.tenantId, wallets],
  );
  return rows.map((row) => BigInt(row.token_id));
}

export async function closeVersions(tx: TenantTx, closed: readonly LotVersion[]): Promise<void> {
  if (closed.length === 0) return;
  const column = (type: ItemType, of: (lot: LotVersion) => Item): Buffer => arrayParameter(type, closed.map(of));
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

export async function insertVersions(tx: TenantTx, opened: readonly LotVersion[]): Promise<void> {
  if (opened.length === 0) return;
  await tx.sql(INSERT, columnParameters<LotRow>(LOT_COLUMNS, opened));
}

/** Deletes the versions that later blocks opened; those that they closed are current again. */
export async function undoVersions(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from traceability.lot where chain_id = $1 and from_block > $2', [chainId, lastGoodBlock]);
  await tx.sql('update traceability.lot set to_block = null, to_log = null where chain_id = $1 and to_block > $2', [
    chainId,
    lastGoodBlock,
  ]);
}

/** One event of 300 lots in and 200 out has 60,000 edges: in parts, so that no statement outlasts the time a statement has. */
const EDGES_AT_ONCE = 10_000;

export async function insertEdges(tx: TenantTx, chainId: number, edges: readonly Edge[]): Promise<void> {
  for (let from = 0; from < edges.length; from += EDGES_AT_ONCE) await insertPart(tx, chainId, edges.slice(from, from + EDGES_AT_ONCE));
}

async function insertPart(tx: TenantTx, chainId: number, edges: readonly Edge[]): Promise<void> {
  await tx.sql(
    `insert into traceability.edge (tenant_id, chain_id, from_token, to_token, event_id, kind, quantity, block_number)
     select $1, $2, e.from_token, e.to_token, e.event_id, e.kind, e.quantity::numeric, e.block
     from unnest($3::bigint[], $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::bigint[])
          as e(from_token, to_token, event_id, kind, quantity, block)`,
    [
      tx.tenantId,
      chainId,
      arrayParameter(
        'bigint',
        edges.map((edge) => edge.fromToken),
      ),
      arrayParameter(
        'bigint',
        edges.map((edge) => edge.toToken),
      ),
      arrayParameter(
        'uuid',
        edges.map((edge) => edge.eventId),
      ),
      arrayParameter(
        'text',
        edges.map((edge) => edge.kind),
      ),
      arrayParameter(
        'text',
        edges.map((edge) => edge.quantity),
      ),
      arrayParameter(
        'bigint',
        edges.map((edge) => edge.block),
      ),
    ],
  );
}

/** @param voided outputs of voided events: all that points at them goes out of every computation */
export async function voidEdges(
  tx: TenantTx,
  voided: readonly { readonly eventId: string; readonly outputTokenIds: readonly bigint[]; readonly block: number }[],
): Promise<void> {
  const pairs = voided.flatMap(({ outputTokenIds, block }) => outputTokenIds.map((tokenId) => ({ tokenId, block })));
  if (pairs.length === 0) return;
  await tx.sql(
    `update traceability.edge e set void_block = v.block from unnest($2::bigint[], $3::bigint[]) as v(token_id, block)
     where e.tenant_id = $1 and e.to_token = v.token_id`,
    [tx.tenantId, pairs.map((pair) => pair.tokenId), pairs.map((pair) => pair.block)],
  );
}

interface NamedPair {
  readonly eventId: string;
  readonly tokenId: bigint;
  readonly block: number;
}

/** @param named each pair once */
export async function insertEventLots(tx: TenantTx, chainId: number, named: readonly NamedPair[]): Promise<void> {
  if (named.length === 0) return;
  await tx.sql(
    `insert into traceability.event_lot (tenant_id, chain_id, token_id, event_id, block_number)
     select $1, $2, n.* from unnest($3::bigint[], $4::uuid[], $5::bigint[]) as n`,
    [
      tx.tenantId,
      chainId,
      arrayParameter(
        'bigint',
        named.map((n) => n.tokenId),
      ),
      arrayParameter(
        'uuid',
        named.map((n) => n.eventId),
      ),
      arrayParameter(
        'bigint',
        named.map((n) => n.block),
      ),
    ],
  );
}

export async function undoLineage(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  const after = [chainId, lastGoodBlock];
  await tx.sql('delete from traceability.edge where chain_id = $1 and block_number > $2', after);
  await tx.sql('update traceability.edge set void_block = null where chain_id = $1 and void_block > $2', after);
  await tx.sql('delete from traceability.event_lot where chain_id = $1 and block_number > $2', after);
}
