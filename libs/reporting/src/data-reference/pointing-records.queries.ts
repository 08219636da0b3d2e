import { ChainHead } from '#chain';
import { Parties } from '#identity';
import type { SystemTx, TenantTx } from '#persistence';
import { erasuresSeen } from '#sealed-contents';
import { Injectable } from '@nestjs/common';
import type { PointingEvent, PointingToken } from './links.rules.js';
import type { PointerCursor } from './pointers.queries.js';

/** Records to check, and the last projected block when they were read. */
export interface PointingRecords {
  readonly events: readonly PointingEvent[];
  readonly lots: readonly PointingToken[];
  readonly block: number;
  /** Erasures that they are without. */
  readonly erasures: number;
}

interface EventRow {
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

interface LotRow {
  readonly token_id: string;
  readonly tlc: string;
  readonly tlc_hash: string;
  readonly whole: string | null;
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

/** Events and lots whose records point to content, to the chain or to other systems. */
@Injectable()
export class PointingRecordQueries {
  constructor(
    private readonly chainHead: ChainHead,
    private readonly parties: Parties,
  ) {}

  /** Whether a reindex computes the records again: they are incomplete until then. */
  areRebuilt(tx: SystemTx): Promise<boolean> {
    return this.chainHead.isRebuilding(tx);
  }

  /** Final events by block, and lots by token id. */
  async batchAfter(tx: TenantTx, cursor: PointerCursor, limit: number): Promise<PointingRecords> {
    const { head, final } = await this.chainHead.position(tx);
    const events = await tx.sql<EventRow>(
      `${EVENTS} and e.block_number >= $2::bigint and e.block_number <= $4::bigint and (e.block_number, e.id) > ($2::bigint, $3::uuid)
       order by e.block_number, e.id limit $5`,
      [tx.tenantId, cursor.eventBlock, cursor.eventId ?? NIL, final, limit],
    );
    const lots = await tx.sql<LotRow>(`${LOTS} and l.token_id > $2 order by l.token_id limit $3`, [tx.tenantId, cursor.tokenId, limit]);
    return { events: events.map(eventOf), lots: await this.withOrganisations(tx, lots), block: head, erasures: await erasuresSeen(tx) };
  }

  /** The records that exist. */
  async byIds(tx: TenantTx, eventIds: readonly string[], tokenIds: readonly bigint[]): Promise<PointingRecords> {
    const events = await tx.sql<EventRow>(`${EVENTS} and e.id = any ($2::uuid[])`, [tx.tenantId, eventIds]);
    const lots = await tx.sql<LotRow>(`${LOTS} and l.token_id = any ($2::bigint[])`, [tx.tenantId, tokenIds]);
    return {
      events: events.map(eventOf),
      lots: await this.withOrganisations(tx, lots),
      block: (await this.chainHead.position(tx)).head,
      erasures: await erasuresSeen(tx),
    };
  }

  private async withOrganisations(tx: TenantTx, rows: readonly LotRow[]): Promise<readonly PointingToken[]> {
    const labels = await this.parties.labels(
      tx,
      rows.map(({ custodian }) => custodian),
    );
    return rows.map((row) => lotOf(row, labels.get(row.custodian)!.orgId));
  }
}

const eventOf = (row: EventRow): PointingEvent => ({
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

const lotOf = (row: LotRow, orgId: string | null): PointingToken => ({
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
    tlcHash: row.tlc_hash,
    whole: row.whole === null ? null : BigInt(row.whole),
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

const NIL = '00000000-0000-0000-0000-000000000000';

/** `own_metadata` and `documents` are of the event itself, not of a later correction. */
const EVENTS = `select e.id, e.process_type, e.org_id, e.output_tlc, k.chain_event_id, e.contract_address, e.ipfs_cid, e.data_hash, e.tx_hash, e.block_number,
    e.block_hash, e.log_index, e.kind, e.own_metadata, e.documents
  from traceability.event_v1 e join traceability.event_key_v1 k on k.tenant_id = e.tenant_id and k.id = e.id
  where e.tenant_id = $1 and e.block_number is not null`;

const LOTS = `select l.token_id, l.tlc, l.tlc_hash, case when l.split_from is not null then (
      select o.token_id from traceability.lot_v1 o where o.tenant_id = $1 and o.tlc_hash = l.tlc_hash and o.contract = l.contract and o.split_from is null
        and o.retire_reason is distinct from 'voided') end as whole, l.contract, l.custodian, l.retired_at is not null as retired, l.retire_reason = 'voided' as voided,
    l.recalled_at is not null as recalled, l.used_up, l.pending_custodian is not null as in_transit, l.container_token_id is not null as contained,
    (l.remaining * 1000000)::numeric(78, 0)::text as remaining
  from traceability.lot_v1 l
  where l.tenant_id = $1`;
