import { type TenantTx, countOf } from '#persistence';
import { LotKey, readOwnLotUri } from '#kernel';
import { codeIs } from '../lots/lot-codes.queries.js';
import type { EventFilter } from '../contract/events.js';
import { EVENT_STATUSES, type EventRecord } from './event-record.js';
import type { ProcessKey } from '../process-maps/process-maps.queries.js';

/** Of a voided event as it landed; of a superseded one it follows from what superseded it. */
const DECLARATION = `(coalesce(e.error_declaration, (
  select jsonb_build_object('declarationTime', to_char(a.landed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                            'reason', a.declared_reason, 'correctiveEventIDs', jsonb_build_array(a.id), 'actor', a.actor_address,
                            'dataHash', a.data_hash, 'senderMismatch', a.sender_mismatch,
                            'preparedSender', case when a.sender_mismatch then a.expected ->> 'from' end)
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

const FAILURE = `(case when e.status = 'failed' then case when e.before_taken is null then 'transaction_failed' else 'tlc_taken' end end)`;

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
  failureReason: FAILURE,
  eventTime: 'event_time',
  eventTimeZoneOffset: 'event_time_zone_offset',
  recordTime: 'record_time',
  landedAt: 'landed_at',
  late: 'late',
  actorAddress: 'actor_address',
  actorOrgName: '(party.org_name)',
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
  senderMismatch: 'sender_mismatch',
  preparedSender: "(case when e.sender_mismatch then e.expected ->> 'from' end)",
  signedBy: 'signed_by',
  paidBy: 'paid_by',
  resolved: 'resolved',
  contentState: 'content_state',
  erased: 'erased',
  errorDeclaration: DECLARATION,
  deedOrgId: `(case when e.supersedes is null then e.org_id else (
    select d.org_id from traceability.event d where d.tenant_id = e.tenant_id and d.id = traceability.deed_of(e.tenant_id, e.supersedes)) end)`,
  supersedes: 'supersedes',
  supersededBy: 'superseded_by',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

const selected = (columns: typeof COLUMNS): string =>
  `select ${Object.entries(columns)
    .map(([property, column]) => `${column.startsWith('(') ? column : `e.${column}`} as "${property}"`)
    .join(', ')} from traceability.event e`;

const SELECT = `${selected(COLUMNS)}
  left join identity.party_v1 party on party.tenant_id = e.tenant_id and party.address = e.actor_address`;

/** Without what no other format shows (`RecordShape`), so that it is neither computed nor parsed. */
const SELECT_ACCOUNT = selected({
  ...COLUMNS,
  ...{
    failureReason: '(null)',
    actorOrgName: '(null)',
    kde: '(null)',
    mass: '(null)',
    warnings: "('[]'::jsonb)",
    preparedSender: '(null)',
    signedBy: '(null)',
    paidBy: '(null)',
  },
});

export const processOfEvent = (event: EventRecord): ProcessKey => ({
  map: event.processMapName,
  version: event.processMapVersion,
  processType: event.processType,
});

export type Place = { readonly offset: number } | { readonly after: { readonly eventTime: Date | null; readonly id: string } };

const ORDER = 'e.event_time desc nulls last, e.id';

/** By eventTime, newest first, then id; events without a time come last. */
export async function listEvents(
  tx: TenantTx,
  filter: EventFilter,
  place: Place,
  limit: number,
): Promise<{ readonly events: readonly EventRecord[]; readonly counted: number }> {
  const parameters: unknown[] = [tx.tenantId];
  const where = conditions(filter, (value) => `$${parameters.push(value)}`);
  const [events, counted] = await Promise.all([
    eventsFrom(tx, filter, place, { limit, columns: 'all' }),
    countOf(tx, `traceability.event e where ${where}`, parameters),
  ]);
  return { events, counted };
}

/** A page of such a list without its total. */
export async function eventsFrom(
  tx: TenantTx,
  filter: EventFilter,
  place: Place,
  { limit, columns }: { readonly limit: number; readonly columns: 'all' | 'account' },
): Promise<readonly EventRecord[]> {
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
        // First which events, then their columns: what an offset skips is not read.
        `${columns === 'all' ? SELECT : SELECT_ACCOUNT} join (
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
 * What follows a place, as ranges of the index: events with a time first, then those without. In one condition with OR the
 * index would be read from its beginning.
 */
function pagesAfter(
  { eventTime, id }: { readonly eventTime: Date | null; readonly id: string },
  parameter: (value: unknown) => string,
): string[] {
  const [at, last] = [`${parameter(eventTime)}::timestamptz`, `${parameter(id)}::uuid`];
  // Every parameter is named in every page: PostgreSQL needs the type of each.
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
  if (filter.ids !== undefined) all.push(`e.id = any(${parameter(filter.ids)}::uuid[])`);
  if (filter.processType !== undefined) all.push(`e.process_type = ${keyInAnyCase(parameter(filter.processType))}`);
  if (filter.kind !== undefined) all.push(`e.kind = ${parameter(filter.kind)}`);
  if (filter.orgId !== undefined) all.push(`e.org_id = ${parameter(filter.orgId)}`);
  if (filter.from !== undefined) all.push(`e.event_time >= ${parameter(filter.from)}`);
  if (filter.to !== undefined) all.push(`e.event_time < ${parameter(filter.to)}`);
  if (filter.scope !== null) all.push(`e.process_type like any(${parameter(filter.scope)}::text[])`);
  if (filter.tokenIds !== undefined) all.push(namesLot(filter, parameter(filter.tokenIds)));
  if (filter.tlc !== undefined) all.push(namesCode(filter, filter.tlc, parameter));
  return all.join(' and ');
}

/** The key as the tenant's map writes it, whose keys are unique ignoring case. A single value, so that the index gives events in order. */
const keyInAnyCase = (given: string): string =>
  `coalesce((select t.process_type from traceability.process_type t
     where t.tenant_id = $1 and lower(t.process_type) = lower(${given}) limit 1), ${given})`;

const landedOnly = ({ status }: EventFilter): boolean => ['landed', 'recorded', 'voided', 'superseded'].includes(status);

/** These events and what corrects them: a correction names no lots on chain, and is about those of the event that it corrects. */
const withCorrections = (events: string): string => `
  with recursive named(id) as (
    ${events}
    union
    select a.id from named x cross join lateral (
      select a.id from traceability.event a where a.tenant_id = $1 and a.supersedes = x.id and a.block_number is not null offset 0) a
  ) select id from named`;

/** Landed events are in event_lot under their lots; for the others only the inputs that they name are known. */
function namesLot(filter: EventFilter, tokenIds: string): string {
  const landed = `e.id in (${withCorrections(`
    select n.event_id from traceability.event_lot n where n.tenant_id = $1 and n.token_id = any(${tokenIds}::bigint[])`)})`;
  return landedOnly(filter) ? landed : `(${landed} or (e.block_number is null and ${tokenIds}::bigint[] && e.input_token_ids))`;
}

function namesCode(filter: EventFilter, code: string, parameter: (value: unknown) => string): string {
  const landed = `e.id in (${withCorrections(`
    select n.event_id from traceability.lot l join traceability.event_lot n on n.tenant_id = l.tenant_id and n.token_id = l.token_id
    where l.tenant_id = $1 and l.to_block is null and ${codeIs('l', code, parameter)}`)})`;
  return landedOnly(filter)
    ? landed
    : `(${landed} or (e.block_number is null and e.output_tlc = ${parameter(LotKey.read(code)?.lot ?? readOwnLotUri(code)?.code ?? code)}))`;
}
