import { arrayParameter, type TenantTx, type Tx } from '#persistence';
import type { Edge } from '../../domain/edge.js';

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

export interface EventLot {
  readonly eventId: string;
  readonly tokenId: bigint;
  readonly block: number;
}

/** @param named each pair once */
export async function insertEventLots(tx: TenantTx, chainId: number, named: readonly EventLot[]): Promise<void> {
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
