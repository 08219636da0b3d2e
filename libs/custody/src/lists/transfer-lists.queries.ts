import type { PageRequest } from '#kernel';
import { type TenantTx, countOf } from '#persistence';
import type { Transfer, TransferStatus } from '../transfers/transfer.js';
import { type TransferRow, toTransfer } from '../transfers/transfers.queries.js';

export type Direction = 'in' | 'out';

interface TransferFilter {
  /** Of the organisation whose list it is. */
  readonly wallets: readonly string[];
  readonly statuses: readonly TransferStatus[];
  /** `in`: to these wallets, `out`: from them; absent = both. */
  readonly direction?: Direction | undefined;
}

/** The last transfer of the page before. */
export interface TransferPlace {
  readonly block: number;
  readonly log: number;
  readonly tokenId: bigint;
}

/** The place of a transfer in lists: its end, or its offer while it is open. */
export const placeOf = ({ closed, offered, tokenId }: Transfer): TransferPlace => {
  const transition = closed ?? offered!;
  return { block: transition.block, log: transition.logIndex, tokenId };
};

/** Columns of an end, or of the offer while it is open; pending transfers have indexes of their own. */
const ENDED = (column: string): string => `coalesce(t.closed_${column}, t.offered_${column})`;
const OFFERED = (column: string): string => `t.offered_${column}`;

/** What a list says about the lot of a transfer, and about who gives and takes it; null where it is unknown. */
export interface TransferContext {
  readonly tlc: string | null;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  /** Decimal text. */
  readonly remaining: string | null;
  readonly uom: string | null;
  /** ISO 8601. */
  readonly expiresAt: string | null;
  readonly fromLabel: string | null;
  readonly toLabel: string | null;
}

interface ListedTransfer {
  readonly transfer: Transfer;
  readonly context: TransferContext;
}

/**
 * Transfers of an organisation, newest first. Each wallet is read along its own index, only as far as the page needs.
 * @param after continues after this place, whatever landed meanwhile; absent = by page number
 */
export async function transfersOf(
  tx: TenantTx,
  { wallets, statuses, direction }: TransferFilter,
  request: PageRequest,
  after?: TransferPlace,
): Promise<{ readonly transfers: readonly ListedTransfer[]; readonly counted: number }> {
  const open = statuses.every((status) => status === 'pending');
  const column = open ? OFFERED : ENDED;
  const sides = ([direction !== 'in' && 'from', direction !== 'out' && 'to'] as const).filter((side) => side !== false);
  const order = `${column('block')} desc, ${column('log')} desc, t.token_id desc`;
  const where = (side: string): string =>
    `t.tenant_id = $1 and ${column(side)} = w.wallet and ${open ? "t.status = 'pending'" : 't.status = any($3::text[])'}`;
  const found = (side: string, page: string): string =>
    `select t.* from unnest($2::text[]) as w(wallet) cross join lateral (select t.* from custody.transfer t where ${where(side)} ${page}) t`;
  const own = sides.map((side) => found(side, '')).join(' union ');
  const parameters = [tx.tenantId, wallets, statuses];
  const count = countOf(tx, `(${own}) as own where $3::text[] is not null`, parameters);
  const skipped = after ? 0 : (request.page - 1) * request.limit;
  const beyond = `and ($4::bigint is null or (${column('block')}, ${column('log')}, t.token_id) < ($4, $5::integer, $6::bigint))`;
  const page = sides.map((side) => `(${found(side, `${beyond} order by ${order} limit $7`)})`).join(' union ');
  const listed = tx.sql<TransferRow & { readonly context: TransferContext }>(
    `select t.*, ${CONTEXT} as context from (select t.* from (${page}) t where $3::text[] is not null order by ${order} limit $8 offset $9) t
     left join lateral (select l.* from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = t.token_id offset 0) l on true
     order by ${order}`,
    [
      ...[...parameters, after?.block ?? null, after?.log ?? null, after?.tokenId ?? null],
      ...[skipped + request.limit, request.limit, skipped],
    ],
  );
  const [rows, counted] = await Promise.all([listed, count]);
  return { transfers: rows.map((row) => ({ transfer: toTransfer(row), context: row.context })), counted };
}

const labelOf = (side: string): string => `(select p.label from identity.party_v1 p where p.tenant_id = $1 and p.address = ${ENDED(side)})`;
const CONTEXT = `jsonb_build_object('tlc', l.tlc, 'assetType', l.asset_type, 'assetTypeName', l.asset_type_name,
       'remaining', trim_scale(l.remaining)::text, 'uom', l.uom, 'expiresAt', l.expires_at,
       'fromLabel', ${labelOf('from')}, 'toLabel', ${labelOf('to')})`;

/** All transfers of a lot, oldest first by their offer or direct move. @param skipped how many of them are before the page */
export async function transfersOfLot(
  tx: TenantTx,
  tokenId: bigint,
  skipped: number,
  limit: number,
): Promise<{ readonly transfers: readonly Transfer[]; readonly counted: number }> {
  const from = 'custody.transfer t where t.tenant_id = $1 and t.token_id = $2';
  const begun = (column: string): string => `coalesce(t.offered_${column}, t.closed_${column})`;
  const listed = tx.sql<TransferRow>(`select t.* from ${from} order by ${begun('block')}, ${begun('log')}, t.id limit $3 offset $4`, [
    tx.tenantId,
    tokenId,
    limit,
    skipped,
  ]);
  const [rows, counted] = await Promise.all([listed, countOf(tx, from, [tx.tenantId, tokenId])]);
  return { transfers: rows.map(toTransfer), counted };
}
