import type { PointingEvent, PointingLot } from '../../pointers.ports.js';

export interface EventRow {
  readonly id: string;
  readonly process_type: string | null;
  readonly org_id: string | null;
  readonly output_tlc: string | null;
  readonly chain_event_id: string;
  readonly contract_address: string;
  readonly ipfs_cid: string | null;
  readonly data_hash: string;
  readonly tx_hash: string;
  readonly block_number: string;
  readonly block_hash: string;
  readonly log_index: number;
  readonly kind: string | null;
  readonly own_metadata: unknown;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

export interface LotRow {
  readonly token_id: string;
  readonly tlc: string;
  readonly contract: string;
  readonly custodian: string;
  readonly retired: boolean;
  readonly voided: boolean | null;
  readonly recalled: boolean;
  readonly used_up: boolean;
  readonly in_transit: boolean;
  readonly contained: boolean;
  readonly remaining: string | null;
}

export const eventOf = (row: EventRow): PointingEvent => ({
  id: row.id,
  subject: {
    kind: 'event',
    id: row.id,
    tokenId: null,
    tlc: row.output_tlc,
    processType: row.process_type,
    orgIds: row.org_id === null ? [] : [row.org_id],
  },
  chainEventId: row.chain_event_id,
  contract: row.contract_address,
  ipfsCid: row.ipfs_cid,
  recorded: {
    txHash: row.tx_hash,
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash,
    logIndex: row.log_index,
    dataHash: row.data_hash,
  },
  kind: row.kind,
  metadata: row.own_metadata,
  documents: row.documents,
});

export const lotOf = (row: LotRow, orgId: string | null): PointingLot => ({
  subject: {
    kind: 'lot',
    id: row.token_id,
    tokenId: Number(row.token_id),
    tlc: row.tlc,
    processType: null,
    orgIds: orgId === null ? [] : [orgId],
  },
  contract: row.contract,
  recorded: {
    tokenId: BigInt(row.token_id),
    tlc: row.tlc,
    custodian: row.custodian,
    retired: row.retired,
    voided: row.voided ?? false,
    recalled: row.recalled,
    usedUp: row.used_up,
    inTransit: row.in_transit,
    contained: row.contained,
    remaining: row.remaining === null ? null : BigInt(row.remaining),
  },
});
