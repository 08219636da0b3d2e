import { ChainProfile } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ClaimBalanceFacts, BalanceEntry } from '../rules/claim.rules.js';
import { type RuleContext, mapOf } from '../rules/rule.js';
import { AlertSource, type Candidates, type SourcePosition } from './source.queries.js';
import { changedEvents } from './events.queries.js';
import { UNKNOWN_LOCATION, locationKey } from '../../reports/scope.queries.js';
import { type UsedInput, usedMass } from '../rules/event.rules.js';

interface EventRow {
  readonly id: string;
  readonly outputTlc: string | null;
  readonly processType: string | null;
  readonly processLabel: string | null;
  readonly mapVersion: string | null;
  readonly orgId: string | null;
  readonly inputKg: number | null;
  readonly mainOutputKg: number | null;
  readonly yieldMax: number | null;
  readonly inputs: readonly UsedInput[];
  /** Input lots that are not known to be of the map. */
  readonly others: readonly { readonly tokenId: number; readonly assetType: string | null }[] | null;
}

interface Row {
  readonly key: string;
  readonly map: string;
  readonly site_key: string;
  readonly site: string | null;
  readonly from: Date;
  readonly to: Date;
  readonly alertedEvents: readonly string[];
  readonly events: readonly EventRow[] | null;
  readonly seen: string;
}

/** Complete balances of the claims of changed events; balances of more than twenty thousand events are left out. */
@Injectable()
export class ClaimBalanceSource extends AlertSource<ClaimBalanceFacts> {
  constructor(private readonly chain: ChainProfile) {
    super();
  }

  override async candidates(tx: TenantTx, position: SourcePosition, context: RuleContext): Promise<Candidates> {
    // When a map begins to claim it, the context changes and the source is read from the beginning.
    if (massBalanceMaps(context).length === 0) return { ids: [], place: position.place, more: false };
    return changedEvents(tx, this.chain.chainId, position);
  }

  override async facts(tx: TenantTx, ids: readonly string[], context: RuleContext): Promise<readonly ClaimBalanceFacts[]> {
    const maps = massBalanceMaps(context);
    if (maps.length === 0) return [];
    const rows = await tx.sql<Row>(FACTS, [tx.tenantId, ids, maps]);
    return rows
      .filter(({ seen }) => Number(seen) <= MAX_EVENTS)
      .map((row) => ({
        key: row.key,
        mapName: row.map,
        site: row.site ?? 'an unnamed place',
        siteKey: row.site_key,
        from: row.from,
        to: row.to,
        alertedEvents: row.alertedEvents,
        events: (row.events ?? []).map((event) => claimedOf(event, row.map, context)),
      }));
  }

  override alsoJudged(facts: readonly ClaimBalanceFacts[]): readonly string[] {
    return facts.flatMap(({ alertedEvents }) => alertedEvents);
  }
}

const massBalanceMaps = ({ maps }: RuleContext): string[] =>
  [...maps].filter(([name, rules]) => !name.includes('@') && rules.chainOfCustody === 'mass_balance').map(([name]) => name);

function claimedOf(row: EventRow, mapName: string, context: RuleContext): BalanceEntry {
  const map = mapOf(context, { mapName, mapVersion: row.mapVersion });
  const others = (row.others ?? []).map((lot) => usedMass(lot, row.inputs, map));
  return {
    id: row.id,
    outputTlc: row.outputTlc,
    processType: row.processType,
    processLabel: row.processLabel,
    orgIds: row.orgId === null ? [] : [row.orgId],
    claimedInKg: row.inputKg === null || others.includes(null) ? null : others.reduce<number>((left, kg) => left - kg!, row.inputKg),
    mainOutputKg: row.mainOutputKg,
    conversion: row.yieldMax ?? 1,
  };
}

const MAX_EVENTS = 20_000;

// The index is by the first values of events; corrected events are found by both places.
const FACTS = `with touched as (
    select distinct e.process_map_name as map, coalesce(${locationKey('w.location')}, '${UNKNOWN_LOCATION}') as site_key,
      date_trunc('quarter', w.at at time zone 'utc') as quarter
    from traceability.event_v1 e
    cross join lateral (values (e.location, e.event_time), (e.own_metadata -> 'location', e.own_event_time)) as w(location, at)
    where e.tenant_id = $1 and e.id = any ($2::uuid[]) and e.process_map_name = any ($3::text[]) and w.at is not null
  ), period as (
    select t.map, t.site_key, t.quarter at time zone 'utc' as begin, (t.quarter + interval '3 months') at time zone 'utc' as end,
      'balance ' || t.map || ' ' || t.site_key || ' ' || to_char(t.quarter, 'YYYY-MM-DD') as key
    from touched t
  )
  select p.key, p.map, p.site_key, y.site, p.begin as "from", p.end as "to", y.events, coalesce(y.seen, 0) as seen,
    array(select a.subject_id from reporting.alert a
      where a.tenant_id = $1 and a.source = 'claims' and a.key = p.key and a.resolved_at is null) as "alertedEvents"
  from period p
  cross join lateral (
    select count(*) as seen, max(s.site) as site,
      jsonb_agg(jsonb_build_object('id', s.id, 'outputTlc', s.output_tlc, 'processType', s.process_type, 'processLabel', s.process_label,
        'mapVersion', s.process_map_version, 'orgId', s.org_id, 'inputKg', s.input_kg, 'mainOutputKg', s.main_output_kg,
        'yieldMax', s.yield_max, 'inputs', case when s.others is null then '[]' else s.inputs end, 'others', s.others)
        order by s.event_time, s.id) as events
    from (
      select e.*, e.location ->> 'name' as site, o.others
      from (select n.id from traceability.event_v1 n where n.tenant_id = $1 and n.own_event_time >= p.begin and n.own_event_time < p.end
        union select n.supersedes from traceability.event_v1 n where n.tenant_id = $1 and n.supersedes is not null) c
      join traceability.event_v1 e on e.tenant_id = $1 and e.id = c.id
      left join lateral (
        select jsonb_agg(jsonb_build_object('tokenId', l.token_id, 'assetType', l.asset_type)) as others from traceability.lot_v1 l
        where l.tenant_id = $1 and l.token_id = any (e.input_token_ids) and (not l.resolved or l.process_map_name is distinct from p.map)
      ) o on true
      where e.process_map_name = p.map and e.counts and e.containment_mode = 0
        and cardinality(e.input_token_ids) > 0 and cardinality(e.output_token_ids) > 0
        and e.event_time >= p.begin and e.event_time < p.end and coalesce(${locationKey('e.location')}, '${UNKNOWN_LOCATION}') = p.site_key
      limit ${MAX_EVENTS + 1}
    ) s
  ) y
  order by p.key`;
