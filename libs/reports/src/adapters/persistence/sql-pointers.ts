import { Parties } from '#identity';
import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { CheckedPointer, PointerSubject } from '../../domain/data-reference/pointer.js';
import {
  type ListedPointer,
  type PointerCount,
  type PointerFilter,
  type PointerWalk,
  Pointers,
  type PointingEvent,
  type PointingLot,
} from '../../pointers.ports.js';
import { type EventRow, type LotRow, eventOf, lotOf } from './pointing-records.js';
import { countPointers, pagePointers, stalestPointers } from './pointer-reads.js';
import { savePointers } from './pointer-writes.js';

@Injectable()
export class SqlPointers extends Pointers {
  constructor(private readonly parties: Parties) {
    super();
  }

  override async take(tx: SystemTx, now: Date, leaseMs: number): Promise<string | null> {
    await tx.sql(
      `insert into reports.pointer_walk (tenant_id, lap_began_at, next_at) select t.tenant_id, $1, $1 from identity.tenant_v1 t
       where not exists (select from reports.pointer_walk w where w.tenant_id = t.tenant_id) on conflict do nothing`,
      [now],
    );
    const [taken] = await tx.sql<{ tenant_id: string }>(
      `update reports.pointer_walk w set next_at = $2
       from (select tenant_id from reports.pointer_walk where next_at <= $1 order by next_at limit 1 for update skip locked) due
       where w.tenant_id = due.tenant_id returning w.tenant_id`,
      [now, new Date(now.getTime() + leaseMs)],
    );
    return taken?.tenant_id ?? null;
  }

  override async walk(tx: TenantTx): Promise<PointerWalk> {
    const [row] = await tx.sql<Omit<PointerWalk, 'tokenId'> & { readonly tokenId: string }>(
      `select event_block::float8 as "eventBlock", event_id as "eventId", token_id as "tokenId", lap_began_at as "lapBeganAt", lap_ended_at as "lapEndedAt"
       from reports.pointer_walk where tenant_id = $1`,
      [tx.tenantId],
    );
    return row
      ? { ...row, tokenId: BigInt(row.tokenId) }
      : { eventBlock: 0, eventId: null, tokenId: 0n, lapBeganAt: new Date(0), lapEndedAt: null };
  }

  override async walked(tx: TenantTx, walk: PointerWalk, nextAt: Date): Promise<void> {
    await tx.sql(
      `update reports.pointer_walk set event_block = $2, event_id = $3, token_id = $4, lap_began_at = $5, lap_ended_at = $6, next_at = $7
       where tenant_id = $1`,
      [tx.tenantId, walk.eventBlock, walk.eventId, walk.tokenId, walk.lapBeganAt, walk.lapEndedAt, nextAt],
    );
  }

  override async eventsAfter(tx: TenantTx, walk: PointerWalk, upTo: number, limit: number): Promise<readonly PointingEvent[]> {
    const rows = await tx.sql<EventRow>(
      `${EVENTS} and e.block_number >= $2::bigint and e.block_number <= $4::bigint and (e.block_number, e.id) > ($2::bigint, $3::uuid)
       order by e.block_number, e.id limit $5`,
      [tx.tenantId, walk.eventBlock, walk.eventId ?? NIL, upTo, limit],
    );
    return rows.map(eventOf);
  }

  override async events(tx: TenantTx, ids: readonly string[]): Promise<readonly PointingEvent[]> {
    return (await tx.sql<EventRow>(`${EVENTS} and e.id = any ($2::uuid[])`, [tx.tenantId, ids])).map(eventOf);
  }

  override async lotsAfter(tx: TenantTx, tokenId: bigint, limit: number): Promise<readonly PointingLot[]> {
    return this.withParties(
      tx,
      await tx.sql<LotRow>(`${LOTS} and l.token_id > $2 order by l.token_id limit $3`, [tx.tenantId, tokenId, limit]),
    );
  }

  override async lots(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly PointingLot[]> {
    return this.withParties(tx, await tx.sql<LotRow>(`${LOTS} and l.token_id = any ($2::bigint[])`, [tx.tenantId, tokenIds]));
  }

  override async otherContainers(tx: TenantTx, events: readonly PointingEvent[]): Promise<ReadonlyMap<string, string>> {
    const packings = events.filter(({ kind }) => kind === 'aggregation').map(({ id }) => id);
    if (packings.length === 0) return new Map();
    const rows = await tx.sql<{ id: string; sscc: string; other: string }>(
      `select e.id, substring(p.value from 6) as sscc, min(o.subject_id) as other
       from unnest($2::uuid[]) as e(id)
       join reports.pointer p on p.tenant_id = $1 and p.subject_kind = 'event' and p.subject_id = e.id::text and p.kind = 'ext' and p.value like 'sscc:%'
       join reports.pointer o on o.tenant_id = $1 and o.kind = 'ext' and o.value = p.value and o.subject_kind = 'event' and o.subject_id <> p.subject_id
       join traceability.event_v1 v on v.tenant_id = $1 and v.id = o.subject_id::uuid and v.kind = 'aggregation' and v.counts
       group by 1, 2`,
      [tx.tenantId, packings],
    );
    return new Map(rows.map(({ id, sscc, other }) => [`${id}|${sscc}`, other]));
  }

  override save(tx: TenantTx, subjects: readonly PointerSubject[], pointers: readonly CheckedPointer[], at: Date): Promise<void> {
    return savePointers(tx, subjects, pointers, at);
  }

  override stalest(tx: TenantTx, filter: PointerFilter, most: number): Promise<readonly Pick<PointerSubject, 'kind' | 'id'>[]> {
    return stalestPointers(tx, filter, most);
  }

  override counts(tx: TenantTx, filter: PointerFilter): Promise<readonly PointerCount[]> {
    return countPointers(tx, filter);
  }

  override page(tx: TenantTx, filter: PointerFilter, after: readonly string[] | null, limit: number): Promise<readonly ListedPointer[]> {
    return pagePointers(tx, filter, after, limit);
  }

  private async withParties(tx: TenantTx, rows: readonly LotRow[]): Promise<readonly PointingLot[]> {
    const labels = await this.parties.labels(
      tx,
      rows.map(({ custodian }) => custodian),
    );
    return rows.map((row) => lotOf(row, labels.get(row.custodian)!.orgId));
  }
}

const NIL = '00000000-0000-0000-0000-000000000000';

/** `own_metadata` and the documents beside it: what the event's own content says, and not what corrected it later. */
const EVENTS = `select e.id, e.process_type, e.org_id, e.output_tlc, k.chain_event_id, e.contract_address, e.ipfs_cid, e.data_hash, e.tx_hash, e.block_number,
    e.block_hash, e.log_index, e.kind, e.own_metadata, e.documents
  from traceability.event_v1 e join traceability.event_key_v1 k on k.tenant_id = e.tenant_id and k.id = e.id
  where e.tenant_id = $1 and e.block_number is not null`;

const LOTS = `select l.token_id, l.tlc, l.contract, l.custodian, l.retired_at is not null as retired, l.retire_reason = 'voided' as voided,
    l.recalled_at is not null as recalled, l.used_up, l.pending_custodian is not null as in_transit, l.container_token_id is not null as contained,
    (l.remaining * 1000000)::numeric(78, 0)::text as remaining
  from traceability.lot_v1 l
  where l.tenant_id = $1`;
