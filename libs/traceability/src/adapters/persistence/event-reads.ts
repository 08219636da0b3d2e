import { type TenantTx, countOf } from '#persistence';
import type { EventFilter } from '../../contract.js';
import { EVENT_STATUSES } from '../../domain/event-status.js';
import type { EventLine } from '../../domain/projection-event.js';
import type { ProcessKey } from './map-words.js';

/** A row of traceability.event as it is read for an answer. */
export interface EventRecord {
  readonly id: string;
  readonly processType: string | null;
  readonly processId: string;
  readonly processLabel: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly kind: string | null;
  readonly containmentMode: number;
  readonly status: string;
  readonly eventTime: Date | null;
  readonly eventTimeZoneOffset: string | null;
  readonly recordTime: Date;
  readonly landedAt: Date | null;
  readonly late: boolean;
  readonly actorAddress: string | null;
  readonly orgId: string | null;
  readonly inputTokenIds: readonly string[];
  readonly inputs: readonly EventLine[];
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly outputTokenIds: readonly string[];
  readonly outputs: readonly EventLine[];
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly kde: Readonly<Record<string, unknown>> | null;
  readonly mass: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly string[];
  readonly ipfsCid: string | null;
  readonly dataHash: string | null;
  readonly txHash: string | null;
  readonly blockNumber: string | null;
  readonly logIndex: number | null;
  readonly chainId: string | null;
  readonly contractAddress: string | null;
  readonly calldataMismatch: boolean;
  readonly resolved: boolean;
  readonly errorDeclaration: Readonly<Record<string, unknown>> | null;
  readonly supersedes: string | null;
  readonly supersededBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Of a voided event as it landed; of a superseded one it follows from what superseded it. */
const DECLARATION = `(coalesce(e.error_declaration, (
  select jsonb_build_object('declarationTime', to_char(a.landed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                            'reason', a.declared_reason, 'correctiveEventIDs', jsonb_build_array(a.id), 'actor', a.actor_address,
                            'dataHash', a.data_hash)
  from traceability.event a where a.tenant_id = e.tenant_id and a.id = e.superseded_by)))`;

/** For an event that made goods; kept apart from words, which not everybody reads. */
const MASS = `(select jsonb_build_object(
    'inputKg', e.input_kg, 'mainOutputKg', e.main_output_kg, 'coProductKg', e.co_product_kg, 'declaredLossKg', e.declared_loss_kg,
    'gapKg', b.gap_kg, 'gapRatio', b.gap_ratio, 'yield', b.yield, 'materialYield', b.material_yield,
    'expectedYield', case when e.yield_min is not null then jsonb_build_object('min', e.yield_min, 'max', e.yield_max) end,
    'tolerance', e.mass_tolerance, 'yieldOutside', b.yield_outside, 'balanceOutside', b.balance_outside,
    'unmeasured', num_nulls(e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg) > 0)
  from traceability.mass_balance(
    e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg, e.yield_min, e.yield_max, e.mass_tolerance) b
  where e.containment_mode = 0 and cardinality(e.output_token_ids) > 0)`;

const COLUMNS: Readonly<Record<keyof EventRecord, string>> = {
  id: 'id',
  processType: 'process_type',
  processId: 'process_id',
  processLabel: 'process_label',
  processMapName: 'process_map_name',
  processMapVersion: 'process_map_version',
  kind: 'kind',
  containmentMode: 'containment_mode',
  status: 'status',
  eventTime: 'event_time',
  eventTimeZoneOffset: 'event_time_zone_offset',
  recordTime: 'record_time',
  landedAt: 'landed_at',
  late: 'late',
  actorAddress: 'actor_address',
  orgId: 'org_id',
  inputTokenIds: 'input_token_ids',
  inputs: 'inputs',
  outputTlc: 'output_tlc',
  outputCustodian: 'output_custodian',
  outputTokenIds: 'output_token_ids',
  outputs: 'outputs',
  location: 'location',
  metadata: 'metadata',
  documents: 'documents',
  kde: 'kde',
  mass: MASS,
  warnings: 'warnings',
  ipfsCid: 'ipfs_cid',
  dataHash: 'data_hash',
  txHash: 'tx_hash',
  blockNumber: 'block_number',
  logIndex: 'log_index',
  chainId: 'chain_id',
  contractAddress: 'contract_address',
  calldataMismatch: 'calldata_mismatch',
  resolved: 'resolved',
  errorDeclaration: DECLARATION,
  supersedes: 'supersedes',
  supersededBy: 'superseded_by',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

const SELECT = `select ${Object.entries(COLUMNS)
  .map(([property, column]) => `${column.startsWith('(') ? column : `e.${column}`} as "${property}"`)
  .join(', ')} from traceability.event e`;

export const processOfEvent = (event: EventRecord): ProcessKey => ({
  map: event.processMapName,
  version: event.processMapVersion,
  processType: event.processType,
});

export type EventPlace = { readonly offset: number } | { readonly after: { readonly eventTime: Date | null; readonly id: string } };

const ORDER = 'e.event_time desc nulls last, e.id';

/** By eventTime, newest first, then id; events without a time come last. */
export async function listEvents(
  tx: TenantTx,
  filter: EventFilter,
  place: EventPlace,
  limit: number,
): Promise<{ readonly events: readonly EventRecord[]; readonly counted: number }> {
  const parameters: unknown[] = [tx.tenantId];
  const where = conditions(filter, (value) => `$${parameters.push(value)}`);
  const counted = await countOf(tx, `traceability.event e where ${where}`, parameters);
  return { events: await eventsFrom(tx, filter, place, limit), counted };
}

/** A page of such a list without its total. */
export async function eventsFrom(tx: TenantTx, filter: EventFilter, place: EventPlace, limit: number): Promise<readonly EventRecord[]> {
  const parameters: unknown[] = [tx.tenantId];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  const where = conditions(filter, parameter);
  const pages = 'after' in place ? pagesAfter(place.after, parameter) : ['true'];
  const [most, offset] = [parameter(limit), parameter('after' in place ? 0 : place.offset)];
  const events: EventRecord[] = [];
  for (const page of pages) {
    if (events.length === limit) break;
    events.push(
      ...(await tx.sql<EventRecord>(
        // Which events first, then their columns: what an offset passes over is not read.
        `${SELECT} join (
           select e.id from traceability.event e where ${where} and ${page} order by ${ORDER} limit ${most} offset ${offset}
         ) listed on listed.id = e.id
         where e.tenant_id = $1 order by ${ORDER}`,
        parameters.with(Number(most.slice(1)) - 1, limit - events.length),
      )),
    );
  }
  return events;
}

export async function eventsByIds(tx: TenantTx, ids: readonly string[]): Promise<readonly EventRecord[]> {
  return ids.length === 0 ? [] : tx.sql<EventRecord>(`${SELECT} where e.tenant_id = $1 and e.id = any($2::uuid[])`, [tx.tenantId, ids]);
}

export async function eventById(tx: TenantTx, id: string): Promise<EventRecord | null> {
  const [event] = await tx.sql<EventRecord>(`${SELECT} where e.tenant_id = $1 and e.id = $2`, [tx.tenantId, id]);
  return event ?? null;
}

/**
 * What lies behind a place, as ranges of the index: events with a time first, then those without. In one condition with OR the
 * index would be read from its beginning.
 */
function pagesAfter(
  { eventTime, id }: { readonly eventTime: Date | null; readonly id: string },
  parameter: (value: unknown) => string,
): string[] {
  const [at, last] = [`${parameter(eventTime)}::timestamptz`, `${parameter(id)}::uuid`];
  // Every parameter is named in every page: PostgreSQL asks for the type of each.
  return eventTime === null
    ? [`(e.event_time is null and e.id > ${last} and ${at} is null)`]
    : [
        `(e.event_time <= ${at} and (e.event_time < ${at} or e.id > ${last}))`,
        `(e.event_time is null and ${at} is not null and ${last} is not null)`,
      ];
}

function conditions(filter: EventFilter, parameter: (value: unknown) => string): string {
  const all = ['e.tenant_id = $1'];
  if (filter.status === 'landed') all.push("e.status in ('recorded', 'voided', 'superseded')");
  // Written out, or a plan for any status could not use the index of the rare ones.
  else if (filter.status !== 'all') all.push(`e.status = '${EVENT_STATUSES.find((status) => status === filter.status)!}'`);
  if (filter.id !== undefined) all.push(`e.id = ${parameter(filter.id)}`);
  if (filter.processType !== undefined) all.push(`e.process_type = ${parameter(filter.processType)}`);
  if (filter.kind !== undefined) all.push(`e.kind = ${parameter(filter.kind)}`);
  if (filter.orgId !== undefined) all.push(`e.org_id = ${parameter(filter.orgId)}`);
  if (filter.from !== undefined) all.push(`e.event_time >= ${parameter(filter.from)}`);
  if (filter.to !== undefined) all.push(`e.event_time < ${parameter(filter.to)}`);
  if (filter.scope !== null) all.push(`e.process_type like any(${parameter(filter.scope)}::text[])`);
  if (filter.tokenIds !== undefined) all.push(namesLot(filter, parameter(filter.tokenIds)));
  if (filter.tlc !== undefined) all.push(namesCode(filter, parameter(filter.tlc)));
  return all.join(' and ');
}

const landedOnly = ({ status }: EventFilter): boolean => ['landed', 'recorded', 'voided', 'superseded'].includes(status);

/** Landed events stand in event_lot under their lots; those that have not landed only say which inputs they want. */
function namesLot(filter: EventFilter, tokenIds: string): string {
  const landed = `e.id in (select n.event_id from traceability.event_lot n where n.tenant_id = $1 and n.token_id = any(${tokenIds}::bigint[]))`;
  return landedOnly(filter) ? landed : `(${landed} or (e.block_number is null and ${tokenIds}::bigint[] && e.input_token_ids))`;
}

function namesCode(filter: EventFilter, tlc: string): string {
  const landed = `e.id in (
    select n.event_id from traceability.lot l join traceability.event_lot n on n.tenant_id = l.tenant_id and n.token_id = l.token_id
    where l.tenant_id = $1 and l.to_block is null and l.tlc = ${tlc})`;
  return landedOnly(filter) ? landed : `(${landed} or (e.block_number is null and e.output_tlc = ${tlc}))`;
}
