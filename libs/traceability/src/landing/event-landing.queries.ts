import type { PreparedFor, Signature } from '#kernel';
import { arrayParameter, type TenantTx, type Tx } from '#persistence';
import type { Line, ExpectedCall, KnownRecord } from '../events/event-record.js';
import type { LandedEvent } from './landed-event.js';
import { type Parts, columnsOf } from './landed-event.queries.js';
import { type ColumnType, columnParameter, unnested } from '../lots/columns.queries.js';

interface StoredEvent {
  readonly [column: string]: unknown;
}

/** Events by id: prepared ones, and those that landed before. Locked, so that none is withdrawn or expires while it lands. */
export async function loadEvents(tx: TenantTx, ids: readonly string[]): Promise<KnownRecord[]> {
  if (ids.length === 0) return [];
  const rows = await tx.sql<StoredEvent>(
    `select id, chain_event_id, status, process_type, process_map_name, process_map_version, kind, event_time, event_time_zone_offset,
            record_time, actor_address, org_id, output_tlc, output_custodian, outputs, data_hash, content_version, supersedes, superseded_by, expected,
            case when supersedes is not null then metadata end as metadata,
            contract_address, containment_mode, input_token_ids, consumed::text[], first_output_token_id, output_token_ids
     from traceability.event where tenant_id = $1 and id = any($2::uuid[]) order by id for update`,
    [tx.tenantId, arrayParameter('uuid', ids)],
  );
  return rows.map(knownEvent);
}

const bigints = (values: unknown): bigint[] => ((values ?? []) as string[]).map(BigInt);

function knownEvent(row: StoredEvent): KnownRecord {
  const text = (column: string): string | null => row[column] as string | null;
  const first = text('first_output_token_id');
  return {
    id: text('id')!,
    chainEventId: text('chain_event_id')!,
    status: text('status')!,
    processType: text('process_type'),
    processMapName: text('process_map_name'),
    processMapVersion: text('process_map_version'),
    kind: text('kind'),
    eventTime: row['event_time'] as Date | null,
    eventTimeZoneOffset: text('event_time_zone_offset'),
    recordTime: row['record_time'] as Date,
    actorAddress: text('actor_address'),
    orgId: text('org_id'),
    outputTlc: text('output_tlc'),
    outputCustodian: text('output_custodian'),
    outputs: row['outputs'] as Line[],
    dataHash: text('data_hash'),
    contentVersion: row['content_version'] as number | null,
    supersedes: text('supersedes'),
    supersededBy: text('superseded_by'),
    metadata: row['metadata'] as KnownRecord['metadata'],
    expected: row['expected'] as ExpectedCall | null,
    contract: text('contract_address'),
    containmentMode: row['containment_mode'] as number,
    inputTokenIds: bigints(row['input_token_ids']),
    consumed: bigints(row['consumed']),
    firstOutputTokenId: first === null ? null : BigInt(first),
    outputTokenIds: bigints(row['output_token_ids']),
  };
}

/** Every column that a landing may write, in the parts of a `LandedEvent`: of an event prepared here, what `undo` brings back. */
const PARTS: Readonly<Record<keyof Parts, Readonly<Record<string, ColumnType>>>> = {
  landed: {
    status: 'text',
    actor_address: 'text',
    org_id: 'text',
    landed_at: 'timestamptz',
    updated_at: 'timestamptz',
    block_number: 'block',
    block_hash: 'text',
    log_index: 'integer',
    tx_log_index: 'integer',
    tx_hash: 'text',
    chain_id: 'block',
    contract_address: 'text',
    first_output_token_id: 'token',
    output_token_ids: 'tokens',
    consumed: 'micros',
    calldata_mismatch: 'boolean',
    sender_mismatch: 'boolean',
    resolved: 'boolean',
    supersedes: 'uuid',
  },
  masses: { input_kg: 'decimal', main_output_kg: 'decimal', co_product_kg: 'decimal' },
  chain: {
    process_type: 'text',
    process_id: 'text',
    process_label: 'text',
    kind: 'text',
    containment_mode: 'smallint',
    input_token_ids: 'tokens',
    inputs: 'json',
    outputs: 'json',
    output_tlc: 'text',
    output_custodian: 'text',
  },
  content: {
    process_map_name: 'text',
    process_map_version: 'text',
    process_map_cid: 'text',
    content_version: 'smallint',
    content_state: 'text',
    erased: 'json',
    event_time: 'timestamptz',
    event_time_zone_offset: 'text',
    late: 'boolean',
    location: 'json',
    metadata: 'json',
    documents: 'json',
    kde: 'json',
    declared_loss_kg: 'decimal',
    yield_min: 'decimal',
    yield_max: 'decimal',
    mass_tolerance: 'decimal',
    warnings: 'json',
    ipfs_cid: 'text',
    data_hash: 'text',
    declared_reason: 'text',
  },
};
const COLUMNS = Object.entries(PARTS).flatMap(([part, columns]) =>
  Object.entries(columns).map(([name, type]) => ({ part: part as keyof Parts, name, type })),
);
const LANDED_COLUMNS = COLUMNS.map(({ name }) => name);

const NAMES = LANDED_COLUMNS.join(', ');
const FROM_RECORD = LANDED_COLUMNS.map((name) => `r.${name}`).join(', ');

/** The second half of events that were prepared here; what it replaces is kept with it until the block is beyond a reorg. */
export async function landPrepared(tx: TenantTx, landed: readonly LandedEvent[]): Promise<void> {
  if (landed.length === 0) return;
  await tx.sql(
    `update traceability.event e
     set (${NAMES}) = (select ${FROM_RECORD} from jsonb_populate_record(e, u.columns) r),
         before_landing = (select jsonb_object_agg(key, to_jsonb(e) -> key) from jsonb_object_keys(u.columns) as key)
     from unnest($2::uuid[], $3::jsonb[]) as u(id, columns)
     where e.tenant_id = $1 and e.id = u.id`,
    [tx.tenantId, landed.map((event) => event.id), landed.map((event) => JSON.stringify(columnsOf(event)))],
  );
}

/** All columns of an event that was sent to the contract directly, not prepared here. */
export interface ExternalRecording {
  readonly id: string;
  readonly chainEventId: string;
  readonly recordTime: Date;
  readonly parts: Parts;
}

const OWN: readonly { readonly name: string; readonly type: ColumnType }[] = [
  { name: 'tenant_id', type: 'uuid' },
  { name: 'id', type: 'uuid' },
  { name: 'chain_event_id', type: 'text' },
  { name: 'record_time', type: 'timestamptz' },
  { name: 'created_at', type: 'timestamptz' },
];
const INSERT_EXTERNAL = `
  insert into traceability.event (${[...OWN, ...COLUMNS].map(({ name }) => name).join(', ')}) ${unnested([...OWN, ...COLUMNS])}`;

export async function insertExternal(tx: TenantTx, events: readonly ExternalRecording[]): Promise<void> {
  if (events.length === 0) return;
  const column = (type: ColumnType, of: (event: ExternalRecording) => unknown): Buffer => columnParameter(type, events.map(of));
  await tx.sql(INSERT_EXTERNAL, [
    column('uuid', () => tx.tenantId),
    column('uuid', ({ id }) => id),
    column('text', ({ chainEventId }) => chainEventId),
    column('timestamptz', ({ recordTime }) => recordTime),
    column('timestamptz', ({ recordTime }) => recordTime),
    ...COLUMNS.map(({ part, name, type }) => column(type, ({ parts }) => parts[part][name])),
  ]);
}

export interface Voiding {
  readonly eventId: string;
  readonly block: number;
  readonly txHash: string;
  readonly at: Date;
  readonly declaration: Signature & {
    readonly declarationTime: string;
    readonly reason: string | null;
    readonly correctiveEventIDs: readonly string[];
    /** EIP-55 of the signer. */
    readonly actor: string;
    readonly dataHash: string | null;
  };
}

/** What was declared here and who prepared it, by event. The chain vouches for the hash only. */
export interface DeclaredVoid extends PreparedFor {
  readonly reason: string;
  readonly correctiveEventIDs: readonly string[];
}

export async function loadDeclarations(tx: TenantTx, voided: readonly Voiding[]): Promise<ReadonlyMap<string, DeclaredVoid>> {
  const rows = await tx.sql<DeclaredVoid & { readonly eventId: string }>(
    `select d.event_id as "eventId", d.reason, d.corrective_event_ids as "correctiveEventIDs", d.prepared_sender as sender,
            d.prepared_org as "orgId"
     from unnest($2::uuid[], $3::text[]) as v(id, data_hash)
     join traceability.error_declaration d on d.tenant_id = $1 and d.event_id = v.id and d.data_hash = v.data_hash`,
    [tx.tenantId, ...declaredBy(voided)],
  );
  return new Map(rows.map(({ eventId, ...declared }) => [eventId, declared]));
}

const declaredBy = (voided: readonly Voiding[]): [string[], (string | null)[]] => [
  voided.map((v) => v.eventId),
  voided.map((v) => v.declaration.dataHash),
];

export async function voidEvents(tx: TenantTx, voided: readonly Voiding[]): Promise<void> {
  if (voided.length === 0) return;
  await tx.sql(
    `with landed as (
       update traceability.error_declaration d set landed = true
       from unnest($2::uuid[], $3::text[]) as v(id, data_hash)
       where d.tenant_id = $1 and d.event_id = v.id and d.data_hash = v.data_hash
     )
     update traceability.event e
     set status = 'voided', void_block = v.block, void_tx_hash = v.tx_hash, voided_at = v.at, updated_at = v.at,
         error_declaration = v.declaration
     from unnest($2::uuid[], $4::bigint[], $5::text[], $6::timestamptz[], $7::jsonb[]) as v(id, block, tx_hash, at, declaration)
     where e.tenant_id = $1 and e.id = v.id`,
    [
      tx.tenantId,
      ...declaredBy(voided),
      voided.map((v) => v.block),
      voided.map((v) => v.txHash),
      voided.map((v) => v.at),
      voided.map((v) => JSON.stringify(v.declaration)),
    ],
  );
}

export interface Supersession {
  readonly eventId: string;
  readonly supersededBy: string;
  readonly block: number;
  readonly at: Date;
}

export async function supersedeEvents(tx: TenantTx, superseded: readonly Supersession[]): Promise<void> {
  if (superseded.length === 0) return;
  await tx.sql(
    `update traceability.event e
     set superseded_by = s.by, superseded_block = s.block, updated_at = s.at,
         status = case when e.void_block is null then 'superseded' else e.status end
     from (select distinct on (n.id) n.* from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::timestamptz[]) with ordinality as n(id, by, block, at, seq)
           order by n.id, n.seq desc) as s
     where e.tenant_id = $1 and e.id = s.id`,
    [
      tx.tenantId,
      superseded.map((s) => s.eventId),
      superseded.map((s) => s.supersededBy),
      superseded.map((s) => s.block),
      superseded.map((s) => s.at),
    ],
  );
}

/** Events prepared here are again what they were before they landed, external ones were never seen, corrections are taken back. */
export async function undoEvents(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  const after = [chainId, lastGoodBlock];
  await tx.sql('delete from traceability.event where chain_id = $1 and block_number > $2 and before_landing is null', after);
  await tx.sql(
    `update traceability.event
     set void_block = null, void_tx_hash = null, voided_at = null, error_declaration = null, updated_at = landed_at,
         status = case when superseded_by is null then 'recorded' else 'superseded' end
     where chain_id = $1 and void_block > $2`,
    after,
  );
  await tx.sql(
    `update traceability.event e
     set superseded_by = a.id, superseded_block = a.block_number, updated_at = coalesce(e.voided_at, a.landed_at, e.landed_at),
         status = case when e.void_block is not null then 'voided' when a.id is not null then 'superseded' else 'recorded' end
     from traceability.event s
     left join lateral (
       select p.id, p.block_number, p.landed_at from traceability.event p
       where p.tenant_id = s.tenant_id and p.supersedes = s.id and p.block_number <= $2
       order by p.block_number desc, p.log_index desc limit 1
     ) a on true
     where s.chain_id = $1 and s.superseded_block > $2 and e.tenant_id = s.tenant_id and e.id = s.id`,
    after,
  );
  await tx.sql(
    `update traceability.event e
     set (${NAMES}) = (select ${FROM_RECORD} from jsonb_populate_record(e, e.before_landing) r), before_landing = null
     where e.chain_id = $1 and e.block_number > $2`,
    after,
  );
}
