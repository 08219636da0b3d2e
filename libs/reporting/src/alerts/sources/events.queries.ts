import { ChainProfile } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { LAST_EVENT, eventChanges } from '../../event-facts/fact.queries.js';
import { type Figure, figure } from '../../reports/report.js';
import { type EventFacts, type InputFacts, type UsedInput, usedMass } from '../rules/event.rules.js';
import { type MapRules, type RuleContext, mapOf, newestMap } from '../rules/rule.js';
import type { YieldFacts } from '../rules/yield.rules.js';
import { saveDocumentDates } from './evidence.queries.js';
import { AlertSource, type Candidates, type SourcePosition } from './source.queries.js';

interface InputRow {
  readonly tokenId: number;
  readonly tlc: string;
  readonly resolved: boolean;
  readonly mapName: string | null;
  readonly assetType: string | null;
  readonly madeAt: string | null;
}

interface Row {
  readonly id: string;
  readonly process_type: string | null;
  readonly process_label: string | null;
  readonly kind: string | null;
  readonly process_map_name: string | null;
  readonly process_map_version: string | null;
  readonly event_time: Date | null;
  readonly record_time: Date;
  readonly output_tlc: string | null;
  readonly org_id: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly country: string | null;
  readonly calldata_mismatch: boolean;
  readonly foreign_sender: EventFacts['foreignSender'];
  readonly resolved: boolean;
  readonly content_version: number | null;
  readonly inputs: readonly UsedInput[];
  readonly input_lots: readonly InputRow[] | null;
  readonly outputs: number;
  readonly input_kg: Figure;
  readonly main_output_kg: Figure;
  readonly co_product_kg: Figure;
  readonly declared_loss_kg: Figure;
  readonly gap_kg: Figure;
  readonly gap_ratio: Figure;
  readonly mass_tolerance: Figure;
  readonly balance_outside: boolean | null;
  readonly yield: Figure;
  readonly yield_min: Figure;
  readonly yield_max: Figure;
  readonly yield_outside: boolean | null;
}

/** Events that were confirmed, voided or corrected, by block, so that each is read once and not in every run. */
@Injectable()
export class EventSource extends AlertSource<EventFacts> {
  constructor(private readonly chain: ChainProfile) {
    super();
  }

  override async candidates(tx: TenantTx, position: SourcePosition, context: RuleContext): Promise<Candidates> {
    const changed = await changedEvents(tx, this.chain.chainId, position);
    const isDeep = [...context.maps.values()].some(({ chainOfCustody }) => chainOfCustody === 'identity_preserved');
    if (changed.corrected.length > 0) await tx.sql(MARK_DEPENDENT, [tx.tenantId, changed.corrected, isDeep]);
    const due = await tx.sql<{ event_id: string }>(TAKE_DUE, [tx.tenantId]);
    return {
      ids: [...new Set([...changed.ids, ...due.map(({ event_id: id }) => id)])],
      place: changed.place,
      more: changed.more || due.length >= EVENTS_PER_BATCH,
    };
  }

  override async facts(tx: TenantTx, ids: readonly string[], context: RuleContext): Promise<readonly EventFacts[]> {
    const rows = await tx.sql<Row>(FACTS, [tx.tenantId, ids]);
    const preserving = rows.filter((row) => newestMap(context, row.process_map_name)?.chainOfCustody === 'identity_preserved');
    const origins = await originsOf(
      tx,
      preserving.map(({ id }) => id),
    );
    return rows.map((row) => factsOf(row, context, origins.get(row.id) ?? null));
  }

  override remember(tx: TenantTx, ids: readonly string[], facts: readonly EventFacts[]): Promise<void> {
    return saveDocumentDates(tx, ids, facts);
  }
}

/** Events changed in the next blocks; a correction gives the event that it corrects. A place is `<block>:<event id>`, itself included. */
export async function changedEvents(
  tx: TenantTx,
  chainId: number,
  { place, final, head }: SourcePosition,
): Promise<Candidates & { readonly corrected: readonly string[] }> {
  const rows = await eventChanges(tx, chainId, { after: place, head, limit: EVENTS_PER_BATCH });
  const more = rows.length >= EVENTS_PER_BATCH;
  const last = rows.at(-1);
  // Blocks that can be undone are read again in the next run.
  const end = more && last && last.block <= final ? `${last.block}:${last.id}` : null;
  const finalPlace = Number(place?.split(':')[0] ?? -1) > Math.min(final, head) ? place : `${Math.min(final, head)}:${LAST_EVENT}`;
  const corrected = rows.flatMap(({ id, root }) => (id === root ? [] : [root]));
  return {
    ids: [...new Set(rows.map(({ root }) => root))],
    corrected: [...new Set(corrected)],
    place: end ?? finalPlace,
    more: end !== null,
  };
}

const EVENTS_PER_BATCH = 200;

/** Walks of this many lots are cut: a correction further up is found when the open alerts are judged again. */
const MAX_LOTS = 20_000;

/**
 * Marks the events that name what corrected events made, or parts of it: the rules compare them with when and where it was made.
 * $3: also their products, and so on, because a rule goes back to the origins.
 */
const MARK_DEPENDENT = `with recursive made(token_id) as (
    select t.token_id from traceability.event_v1 e cross join lateral unnest(e.output_token_ids) t(token_id)
    where e.tenant_id = $1 and e.id = any($2::uuid[])
    union
    select s.to_token from made m cross join lateral (
      select s.to_token from traceability.edge_v1 s where s.tenant_id = $1 and s.from_token = m.token_id
        and (s.kind = 'split' or $3::boolean and s.kind = 'transformation') offset 0) s
  ), reached as (select token_id from made limit ${MAX_LOTS})
  insert into reporting.due_event select distinct $1::uuid, n.event_id from reached m cross join lateral (
    select n.event_id from traceability.event_lot_v1 n where n.tenant_id = $1 and n.token_id = m.token_id offset 0) n
  on conflict do nothing`;

const TAKE_DUE = `delete from reporting.due_event where tenant_id = $1 and event_id = any(array(
    select event_id from reporting.due_event where tenant_id = $1 order by event_id limit ${EVENTS_PER_BATCH})) returning event_id`;

const FACTS = `select e.id, e.process_type, e.process_label, e.kind, e.process_map_name, e.process_map_version, e.event_time, e.record_time, e.output_tlc,
    e.org_id, e.metadata, e.documents, e.location ->> 'country' as country, e.calldata_mismatch, s.foreign_sender, e.resolved, e.content_version, e.inputs,
    cardinality(e.output_token_ids) as outputs, e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg, e.gap_kg, e.gap_ratio,
    e.mass_tolerance, e.balance_outside, e.yield, e.yield_min, e.yield_max, e.yield_outside, i.lots as input_lots
  from traceability.event_v1 e
  left join lateral (
    select jsonb_agg(jsonb_build_object('tokenId', l.token_id, 'tlc', l.tlc, 'resolved', l.resolved, 'mapName', l.process_map_name,
      'assetType', l.asset_type, 'madeAt', m.event_time) order by l.token_id) as lots
    from traceability.lot_v1 l
    left join traceability.event_v1 m on m.tenant_id = l.tenant_id and m.id = l.mint_event_id
    where l.tenant_id = $1 and l.token_id = any (e.input_token_ids[1:500])
  ) i on true
  left join lateral (
    select jsonb_build_object('eventId', m.id, 'sender', m.actor_address, 'preparedSender', m.prepared_sender) as foreign_sender
    from (select e.id, e.actor_address, e.prepared_sender, 0 as rank where e.sender_mismatch
          union all
          select c.id, c.actor_address, c.prepared_sender, 1 from traceability.event_v1 c
          where c.tenant_id = $1 and c.supersedes = e.id and c.sender_mismatch and c.block_number is not null) m
    order by m.rank, m.id limit 1
  ) s on true
  where e.tenant_id = $1 and e.id = any ($2::uuid[]) and e.counts
  order by e.id`;

function factsOf(row: Row, context: RuleContext, origins: readonly string[] | null): EventFacts {
  const map = mapOf(context, { mapName: row.process_map_name, mapVersion: row.process_map_version });
  return {
    id: row.id,
    processType: row.process_type,
    processLabel: row.process_label,
    kind: row.kind,
    mapName: row.process_map_name,
    mapVersion: row.process_map_version,
    eventTime: row.event_time,
    recordTime: row.record_time,
    outputTlc: row.output_tlc,
    orgIds: row.org_id === null ? [] : [row.org_id],
    metadata: row.metadata ?? {},
    documents: row.documents,
    country: row.country,
    calldataMismatch: row.calldata_mismatch,
    foreignSender: row.foreign_sender,
    resolved: row.resolved,
    contentVersion: row.content_version,
    inputs: (row.input_lots ?? []).map((lot) => inputOf(lot, row, map)),
    outputs: row.outputs,
    ...massesOf(row),
    origins,
  };
}

type Masses = Pick<EventFacts, 'inputKg' | 'mainOutputKg' | 'coProductKg' | 'declaredLossKg' | 'gapKg' | 'gapRatio' | 'massTolerance'> &
  Pick<EventFacts, 'balanceOutside' | 'yield' | 'yieldMin' | 'yieldMax' | 'yieldOutside'>;

const massesOf = (row: Row): Masses => ({
  inputKg: figure(row.input_kg),
  mainOutputKg: figure(row.main_output_kg),
  coProductKg: figure(row.co_product_kg),
  declaredLossKg: figure(row.declared_loss_kg),
  gapKg: figure(row.gap_kg),
  gapRatio: figure(row.gap_ratio),
  massTolerance: figure(row.mass_tolerance),
  balanceOutside: row.balance_outside ?? false,
  yield: figure(row.yield),
  yieldMin: figure(row.yield_min),
  yieldMax: figure(row.yield_max),
  yieldOutside: row.yield_outside ?? false,
});

const inputOf = (lot: InputRow, row: Row, map: MapRules | null): InputFacts => ({
  tokenId: BigInt(lot.tokenId),
  tlc: lot.tlc,
  resolved: lot.resolved,
  mapName: lot.mapName,
  madeAt: lot.madeAt === null ? null : new Date(lot.madeAt),
  usedKg: usedMass(lot, row.inputs, map),
});

/**
 * Sites where the input goods of events were created, two at most for each event: two are one too many. Events with an ancestry of more than
 * twenty thousand lots are left out.
 */
async function originsOf(tx: TenantTx, eventIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const id of eventIds) {
    const rows = await tx.sql<{ site: string; lots: string }>(ORIGINS, [tx.tenantId, id]);
    if (rows.every(({ lots }) => Number(lots) <= MAX_LOTS)) found.set(id, rows.map(({ site }) => site).slice(0, 2));
  }
  return found;
}

const ORIGINS = `with recursive up as (
    select i.token_id from traceability.event_v1 e, unnest(e.input_token_ids) as i(token_id) where e.tenant_id = $1 and e.id = $2
    union
    select e.from_token from up u join traceability.edge_v1 e on e.tenant_id = $1 and e.to_token = u.token_id and e.kind <> 'containment'
  ), reached as (select token_id from up limit ${MAX_LOTS + 1})
  select coalesce(m.location ->> 'id', m.location ->> 'gln', m.location ->> 'name', 'unknown') as site, (select count(*) from reached) as lots
  from reached s
  join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = s.token_id
  join traceability.event_v1 m on m.tenant_id = $1 and m.id = l.mint_event_id and m.kind = 'creation'
  group by 1 order by 1 limit 3`;

interface YieldRow {
  readonly process_type: string;
  readonly label: string;
  readonly events: readonly {
    readonly id: string;
    readonly outputTlc: string | null;
    readonly yield: number;
    readonly outside: boolean | null;
    readonly orgId: string | null;
  }[];
}

/** The latest thousand yields of each process with a new one: the usual yield follows the present process. */
@Injectable()
export class YieldSource extends AlertSource<YieldFacts> {
  constructor(private readonly chain: ChainProfile) {
    super();
  }

  override candidates(tx: TenantTx, position: SourcePosition): Promise<Candidates> {
    return changedEvents(tx, this.chain.chainId, position);
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly YieldFacts[]> {
    const rows = await tx.sql<YieldRow>(YIELD_FACTS, [tx.tenantId, ids]);
    return rows.map(({ process_type, label, events }) => ({
      processType: process_type,
      label,
      events: events.map((event) => ({
        id: event.id,
        outputTlc: event.outputTlc,
        yield: Number(event.yield),
        yieldOutside: event.outside ?? false,
        orgIds: event.orgId === null ? [] : [event.orgId],
      })),
    }));
  }

  override alsoJudged(facts: readonly YieldFacts[]): readonly string[] {
    return facts.flatMap(({ events }) => events.map(({ id }) => id));
  }
}

const YIELD_FACTS = `select p.process_type, coalesce(max(y.process_label), p.process_type) as label,
    jsonb_agg(jsonb_build_object('id', y.id, 'outputTlc', y.output_tlc, 'yield', y.yield, 'outside', y.yield_outside, 'orgId', y.org_id)
      order by y.event_time desc, y.id) as events
  from (select distinct process_type from traceability.event_v1
        where tenant_id = $1 and id = any ($2::uuid[]) and process_type is not null and cardinality(output_token_ids) > 0) p
  cross join lateral (
    select e.id, e.output_tlc, e.process_label, e.yield, e.yield_outside, e.org_id, e.event_time from traceability.event_v1 e
    where e.tenant_id = $1 and e.process_type = p.process_type and e.counts and e.yield is not null
    order by e.own_event_time desc nulls last, e.id limit 1000) y
  group by 1 order by 1`;
