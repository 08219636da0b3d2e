import { Injectable } from '@nestjs/common';
import type { ContentClass } from '#envelope';
import { type Hex, type Actor, mapYielding } from '#kernel';
import type { TenantTx } from '#persistence';
import type { CommittedRecord } from './event-record.js';
import { type PlaceAndDocuments, EventDocuments, EventMetadata, LotsAfterEvents, type StateAfter } from '../contract/events.js';
import { metadataOfClasses } from '../process-maps/content-classes.js';
import { processIn } from '../process-maps/process-map.js';
import { readablePart } from '../process-maps/visibility.js';
import { type ProcessKey, ProcessMapQueries, loadPublicPointers, processKey } from '../process-maps/process-maps.queries.js';
import { KeyDataElements } from '../contract/lineage.js';

interface Row {
  readonly [column: string]: unknown;
}

/** Events as the chain committed to them. */
@Injectable()
export class CommittedQueries {
  async byId(tx: TenantTx, id: string): Promise<CommittedRecord | null> {
    const [row] = await tx.sql<Row>(
      `select e.id, e.status, e.process_type, e.org_id, e.prepared_by, e.chain_event_id, e.process_id, e.data_hash, e.ipfs_cid, e.metadata,
              e.output_tlc, e.supersedes, e.containment_mode, e.chain_id, e.contract_address, e.actor_address, e.tx_hash, e.block_hash, e.block_number,
              e.input_token_ids, e.consumed::text[], e.first_output_token_id, ${MINTED} as outputs
       from traceability.event e where e.tenant_id = $1 and e.id = $2`,
      [tx.tenantId, id],
    );
    return row ? chainEvent(row) : null;
  }
}

/** The outputs as they were minted: the first version of each lot. */
const MINTED = `coalesce((
  select jsonb_agg(jsonb_build_object('tokenId', m.token_id::text, 'tlcHash', m.tlc_hash, 'assetType', m.asset_type_hash,
                                      'custodian', m.custodian, 'quantity', coalesce(m.quantity, 0)::text,
                                      'expiresAt', coalesce(extract(epoch from m.expires_at), 0)::bigint::text) order by m.token_id)
  from (select distinct on (l.token_id) l.* from traceability.lot l
        where l.tenant_id = e.tenant_id and l.token_id = any(e.output_token_ids) order by l.token_id, l.from_block, l.from_log) m), '[]')`;

const bigints = (values: unknown): bigint[] => ((values ?? []) as string[]).map(BigInt);
const numberOf = (value: unknown): number | null => (value === null ? null : Number(value));

interface StoredOutput {
  readonly tokenId: string;
  readonly tlcHash: Hex;
  readonly assetType: Hex;
  readonly custodian: string;
  readonly quantity: string;
  readonly expiresAt: string;
}

function chainEvent(row: Row): CommittedRecord {
  return {
    id: row['id'] as string,
    status: row['status'] as CommittedRecord['status'],
    processType: row['process_type'] as string | null,
    orgId: row['org_id'] as string | null,
    preparedBy: row['prepared_by'] as string | null,
    chainEventId: row['chain_event_id'] as Hex,
    processId: row['process_id'] as Hex,
    dataHash: row['data_hash'] as Hex | null,
    ipfsCid: row['ipfs_cid'] as string | null,
    metadata: row['metadata'] as CommittedRecord['metadata'],
    outputTlc: row['output_tlc'] as string | null,
    supersedes: row['supersedes'] as string | null,
    containmentMode: row['containment_mode'] as number,
    chainId: numberOf(row['chain_id']),
    contract: row['contract_address'] as string | null,
    actor: row['actor_address'] as string | null,
    txHash: row['tx_hash'] as Hex | null,
    blockHash: row['block_hash'] as Hex | null,
    blockNumber: numberOf(row['block_number']),
    inputTokenIds: bigints(row['input_token_ids']),
    consumed: bigints(row['consumed']),
    firstOutputId: BigInt((row['first_output_token_id'] as string | null) ?? 0),
    outputs: (row['outputs'] as StoredOutput[]).map((output) => ({
      ...output,
      tokenId: BigInt(output.tokenId),
      quantity: BigInt(output.quantity),
      expiresAt: BigInt(output.expiresAt),
    })),
  };
}

interface DocumentsRow extends ProcessKey, PlaceAndDocuments {
  readonly id: string;
  readonly orgId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

@Injectable()
export class DocumentQueries extends EventDocuments {
  override async ofEvents(tx: TenantTx, actor: Actor, eventIds: readonly string[]): Promise<ReadonlyMap<string, PlaceAndDocuments>> {
    if (eventIds.length === 0) return new Map();
    const rows = await tx.sql<DocumentsRow>(
      `select id, org_id as "orgId", location, metadata, documents,
         process_map_name as map, process_map_version as version, process_type as "processType"
       from traceability.event_v1 where tenant_id = $1 and id = any($2::uuid[])`,
      [tx.tenantId, eventIds],
    );
    const pointers = await loadPublicPointers(tx, rows);
    const places = await mapYielding(rows, (row): [string, PlaceAndDocuments] => {
      const { location, documents } = readablePart(actor, row, pointers.get(processKey(row)) ?? []);
      return [row.id, { location, documents }];
    });
    return new Map(places);
  }
}

/** For readers outside of the tenant, who have no role in it. */
@Injectable()
export class MetadataQueries extends EventMetadata {
  constructor(private readonly maps: ProcessMapQueries) {
    super();
  }

  override async ofClasses(
    tx: TenantTx,
    eventId: string,
    classes: ReadonlySet<ContentClass>,
  ): Promise<Readonly<Record<string, unknown>> | null> {
    const [event] = await tx.sql<ProcessKey & { readonly metadata: Readonly<Record<string, unknown>> }>(
      `select metadata, process_map_name as map, process_map_version as version, process_type as "processType"
       from traceability.event_v1 where tenant_id = $1 and id = $2 and metadata is not null and process_map_name is not null`,
      [tx.tenantId, eventId],
    );
    const map = event ? await this.maps.version(tx, event.map!, event.version!) : null;
    const published = map && processIn(map, event!.processType!);
    return published ? metadataOfClasses(published.process, event!.metadata, classes) : null;
  }
}

interface NamedLotRow extends StateAfter {
  readonly eventId: string;
}

const NAMED_LOT_COLUMNS = `e.id as "eventId", l.token_id::float8 as "tokenId", l.tlc, l.key, l.gtin, l.serial, l.depth > 0 as "isContainer", l.asset_type as "assetType",
  trim_scale(l.remaining / 1000000)::text as remaining, l.uom`;

/** The lot `n.token_id` right after the event `e`; as it was made where that was later. */
const RIGHT_AFTER = `cross join lateral (
  (select * from traceability.lot v where v.tenant_id = $1 and v.token_id = n.token_id
     and (v.from_block, v.from_log) <= (e.block_number, e.log_index) order by v.from_block desc, v.from_log desc limit 1)
  union all
  (select * from traceability.lot v where v.tenant_id = $1 and v.token_id = n.token_id order by v.from_block, v.from_log limit 1)
  limit 1) l`;

/** Lots that these events name, as they were right after each; an event that has not landed sees them as they were made. */
export function lotsOfEvents(tx: TenantTx, ids: readonly string[]): Promise<NamedLotRow[]> {
  return tx.sql<NamedLotRow>(
    `select ${NAMED_LOT_COLUMNS}
     from unnest($2::uuid[]) as a(id)
     join traceability.event e on e.tenant_id = $1 and e.id = a.id
     cross join lateral unnest(e.input_token_ids || e.output_token_ids) as n(token_id)
     ${RIGHT_AFTER}`,
    [tx.tenantId, ids],
  );
}

@Injectable()
export class LotsAfterEventsQueries extends LotsAfterEvents {
  override async of(
    tx: TenantTx,
    named: readonly { readonly eventId: string; readonly tokenId: number }[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, StateAfter>>> {
    if (named.length === 0) return new Map();
    const rows = await tx.sql<NamedLotRow>(
      `select ${NAMED_LOT_COLUMNS}
       from unnest($2::uuid[], $3::bigint[]) as n(id, token_id)
       cross join lateral (select e.id, e.block_number, e.log_index from traceability.event e where e.tenant_id = $1 and e.id = n.id offset 0) e
       ${RIGHT_AFTER}`,
      [tx.tenantId, named.map(({ eventId }) => eventId), named.map(({ tokenId }) => tokenId)],
    );
    const found = new Map<string, Map<number, StateAfter>>();
    for (const { eventId, ...lot } of rows) {
      const lots = found.get(eventId);
      if (lots) lots.set(lot.tokenId, lot);
      else found.set(eventId, new Map([[lot.tokenId, lot]]));
    }
    return found;
  }
}

/** The direct contents of the containers that these events broke up. */
export function contentsOfBroken(tx: TenantTx, ids: readonly string[]): Promise<NamedLotRow[]> {
  return tx.sql<NamedLotRow>(
    `select ${NAMED_LOT_COLUMNS}
     from unnest($2::uuid[]) as a(id)
     join traceability.event e on e.tenant_id = $1 and e.id = a.id and e.containment_mode = 2
     join traceability.lot l on l.tenant_id = $1 and l.container_token_id = any(e.input_token_ids)
       and (l.to_block, l.to_log) = (e.block_number, e.log_index)
     order by l.token_id`,
    [tx.tenantId, ids],
  );
}

/** The event at the beginning of each correction's chain, by the correction's id. */
export async function correctedBy(tx: TenantTx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<{ id: string; first: string }>(
    `with recursive back as (
       select e.id, e.supersedes as first, 1 as hops from traceability.event e
       where e.tenant_id = $1 and e.id = any($2::uuid[]) and e.supersedes is not null
       union all
       select b.id, e.supersedes, b.hops + 1 from back b
       join traceability.event e on e.tenant_id = $1 and e.id = b.first
       where e.supersedes is not null and b.hops < 100
     )
     select distinct on (id) id, first from back order by id, hops desc`,
    [tx.tenantId, ids],
  );
  return new Map(rows.map(({ id, first }) => [id, first]));
}

interface MissingRow {
  readonly eventId: string;
  readonly processType: string | null;
  readonly missing: readonly string[];
  readonly events: string;
  readonly complete: string;
}

@Injectable()
export class KeyDataElementQueries extends KeyDataElements {
  override async ofLots(tx: TenantTx, tokenIds: readonly bigint[], most: number): ReturnType<KeyDataElements['ofLots']> {
    const rows = await tx.sql<MissingRow>(
      `with named as (
         select e.id, e.process_type, e.block_number, coalesce(e.kde -> 'missing', '[]') as missing from traceability.event_v1 e
         where e.tenant_id = $1 and e.counts and e.kde is not null
           and e.id in (select n.event_id from traceability.event_lot n where n.tenant_id = $1 and n.token_id = any($2::bigint[]))
       ), counted as (
         select count(*) as events, count(*) filter (where jsonb_array_length(missing) = 0) as complete from named
       )
       select c.events, c.complete, n.id as "eventId", n.process_type as "processType", n.missing
       from counted c
       left join lateral (
         select * from named where jsonb_array_length(missing) > 0 order by block_number, id limit $3) n on true`,
      [tx.tenantId, tokenIds, most],
    );
    return {
      events: Number(rows[0]?.events ?? 0),
      complete: Number(rows[0]?.complete ?? 0),
      missing: rows.flatMap(({ eventId, processType, missing }) => (eventId === null ? [] : [{ eventId, processType, missing }])),
    };
  }
}
