import type { SystemTx, TenantTx, Tx } from '#persistence';
import type { Hex } from '#kernel';
import type { ShortReason } from './custody-request.rules.js';
import type { HandOver } from './hand-over.js';
import { type Transition, Transfer, type TransferStatus } from './transfer.js';

type TransitionColumns<Prefix extends string> = {
  [Column in 'from' | 'to' | 'at' | 'block' | 'tx' | 'log' | 'tx_log' | 'event_id' | 'note' as `${Prefix}_${Column}`]: string | Date | null;
} & { [Column in 'handed_at' as `${Prefix}_${Column}`]: Date | null } & {
  [Column in 'handed_offset' as `${Prefix}_${Column}`]: string | null;
} & { [Column in 'handed_location' as `${Prefix}_${Column}`]: HandOver['location'] };

export interface TransferRow extends TransitionColumns<'offered'>, TransitionColumns<'closed'> {
  tenant_id: string;
  id: string;
  chain_id: string;
  contract: string;
  token_id: string;
  named_token_id: string;
  via_container_token_id: string | null;
  offer_no: string | null;
  status: TransferStatus;
  split_block: string | null;
  short_reason: ShortReason | null;
}

/** The open transfers of some offers, including the contents of offered containers. */
export async function openTransfers(tx: Tx, contract: string, offerNos: readonly bigint[]): Promise<Transfer[]> {
  if (offerNos.length === 0) return [];
  const rows = await tx.sql<TransferRow>(
    `select * from custody.transfer where contract = $1 and offer_no = any($2::bigint[]) and status = 'pending' order by offer_no, named_token_id, token_id <> named_token_id, token_id`,
    [contract, offerNos.map(String)],
  );
  return rows.map(toTransfer);
}

export async function saveTransfers(tx: TenantTx, transfers: readonly Transfer[]): Promise<void> {
  if (transfers.length === 0) return;
  await tx.sql(
    `insert into custody.transfer select * from json_populate_recordset(null::custody.transfer, $1::json)
     on conflict (tenant_id, id) do update set status = excluded.status,
       closed_from = excluded.closed_from, closed_to = excluded.closed_to, closed_at = excluded.closed_at,
       closed_block = excluded.closed_block, closed_tx = excluded.closed_tx, closed_log = excluded.closed_log,
       closed_tx_log = excluded.closed_tx_log, closed_event_id = excluded.closed_event_id, closed_note = excluded.closed_note,
       closed_handed_at = excluded.closed_handed_at,
       closed_handed_offset = excluded.closed_handed_offset, closed_handed_location = excluded.closed_handed_location`,
    [JSON.stringify(transfers.map(toRow))],
  );
}

/** Offers made after the block never were; offers closed after it are open again. */
export async function undoTransfers(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql(
    `delete from custody.transfer
     where chain_id = $1 and (offered_block > $2 or (offered_block is null and closed_block > $2) or split_block > $2)`,
    [chainId, lastGoodBlock],
  );
  await tx.sql(
    `update custody.transfer set status = 'pending', closed_from = null, closed_to = null, closed_at = null, closed_block = null,
       closed_tx = null, closed_log = null, closed_tx_log = null, closed_event_id = null, closed_note = null, closed_handed_at = null, closed_handed_offset = null,
       closed_handed_location = null
     where chain_id = $1 and closed_block > $2`,
    [chainId, lastGoodBlock],
  );
}

function toRow(transfer: Transfer): object {
  return {
    tenant_id: transfer.tenantId,
    id: transfer.id,
    chain_id: transfer.chainId,
    contract: transfer.contract,
    token_id: transfer.tokenId.toString(),
    named_token_id: transfer.namedTokenId.toString(),
    via_container_token_id: transfer.viaContainerTokenId?.toString() ?? null,
    offer_no: transfer.offerNo?.toString() ?? null,
    status: transfer.status,
    split_block: transfer.left?.block ?? null,
    short_reason: transfer.left?.reason ?? null,
    ...transitionColumns('offered', transfer.offered),
    ...transitionColumns('closed', transfer.closed),
  };
}

function transitionColumns(prefix: string, transition: Transition | null): object {
  if (transition === null) return {};
  return {
    [`${prefix}_from`]: transition.from,
    [`${prefix}_to`]: transition.to,
    [`${prefix}_at`]: transition.at.toISOString(),
    [`${prefix}_block`]: transition.block,
    [`${prefix}_tx`]: transition.txHash,
    [`${prefix}_log`]: transition.logIndex,
    [`${prefix}_tx_log`]: transition.txLogIndex,
    [`${prefix}_event_id`]: transition.eventId,
    [`${prefix}_note`]: transition.note,
    [`${prefix}_handed_at`]: transition.handOver?.at?.toISOString() ?? null,
    [`${prefix}_handed_offset`]: transition.handOver?.timeZoneOffset ?? null,
    [`${prefix}_handed_location`]: transition.handOver?.location ?? null,
  };
}

export function toTransfer(row: TransferRow): Transfer {
  const integer = (value: string | null): bigint | null => (value === null ? null : BigInt(value));
  return Object.assign(new Transfer(), {
    tenantId: row.tenant_id,
    id: row.id,
    chainId: Number(row.chain_id),
    contract: row.contract,
    tokenId: BigInt(row.token_id),
    namedTokenId: BigInt(row.named_token_id),
    viaContainerTokenId: integer(row.via_container_token_id),
    offerNo: integer(row.offer_no),
    status: row.status,
    left: row.split_block === null ? null : { block: Number(row.split_block), reason: row.short_reason! },
    offered: transitionOf(row, 'offered'),
    closed: transitionOf(row, 'closed'),
  });
}

function transitionOf(row: TransferRow, prefix: 'offered' | 'closed'): Transition | null {
  if (row[`${prefix}_block`] === null) return null;
  return {
    from: String(row[`${prefix}_from`]),
    to: String(row[`${prefix}_to`]),
    at: row[`${prefix}_at`] as Date,
    block: Number(row[`${prefix}_block`]),
    txHash: String(row[`${prefix}_tx`]),
    logIndex: Number(row[`${prefix}_log`]),
    txLogIndex: Number(row[`${prefix}_tx_log`]),
    eventId: row[`${prefix}_event_id`] as string | null,
    note: row[`${prefix}_note`] as Hex | null,
    handOver: handOverOf(row[`${prefix}_handed_at`], row[`${prefix}_handed_offset`], row[`${prefix}_handed_location`]),
  };
}

const handOverOf = (at: Date | null, timeZoneOffset: string | null, location: HandOver['location']): HandOver | null =>
  at === null && location === null ? null : { at, timeZoneOffset, location };
