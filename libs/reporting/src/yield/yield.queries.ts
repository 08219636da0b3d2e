import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type EventFigures, eventFigures } from '../event-facts/event-figures.queries.js';
import type { AsOf, Figure, ReportScope } from '../reports/report.js';
import type { MonthView, OutlierView } from './yield.dto.js';
import { type Link, MAX_OUTLIERS } from './yield-chains.rules.js';

interface Spread {
  readonly processType: string | null;
  readonly n: string;
  readonly unmeasured: string;
  readonly sums: readonly Figure[];
  readonly ratios: readonly Figure[];
  readonly spread: readonly Figure[];
  readonly median: number | null;
  readonly mad: number | null;
  readonly outlierCount: string;
  readonly byMonth: readonly MonthView[] | null;
}

interface Newest {
  readonly finished: boolean;
  readonly label: string | null;
  readonly expected: readonly Figure[];
  readonly outliers: readonly OutlierView[] | null;
}

export type ProcessRow = Spread & Newest;

@Injectable()
export class YieldQueries {
  async read(
    tx: TenantTx,
    scope: ReportScope,
  ): Promise<{ readonly processes: readonly ProcessRow[]; readonly links: readonly Link[]; readonly asOf?: AsOf }> {
    const figures = await eventFigures(tx, scope);
    const { days, draws, factParameters, dayParameters, asOf } = figures;
    const organisation = scope.organisation?.orgId ?? null;
    const [spreads, links] = await Promise.all([
      tx.sql<Spread>(spreadsOf(days), dayParameters),
      tx.sql<Link>(linksOf(draws, dayParameters.length), [...dayParameters, organisation, scope.processes]),
    ]);
    const columns = [spreads.map(({ processType }) => processType), spreads.map(({ median }) => median), spreads.map(({ mad }) => mad)];
    const newest = await tx.sql<Newest>(newestOf(figures, factParameters.length), [...factParameters, ...columns]);
    return { processes: spreads.map((spread, i) => ({ ...spread, ...newest[i]! })), links, ...(asOf && { asOf }) };
  }
}

/** A yield is an outlier if |0.6745 × (yield − median) / MAD| is greater, for processes with at least eight events. */
const FAR = 3.5;
const ENOUGH = 8;
/** Unnested in the select list: in the from clause each array is copied once more, which doubles the time. */
const each = (arrays: string): string =>
  `(select unnest(${arrays}) as yield from days d where d.process_type is not distinct from p.process_type) y`;

/** Sums and spread of each process. @param days the relation of `eventFigures` */
const spreadsOf = (days: string): string => `
  with days as materialized (
    select * from ${days} d where transforming > 0
  ), processes as (
    select process_type, sum(measured) as n, sum(transforming - measured) as unmeasured, sum(input_kg) as input, sum(main_output_kg) as main,
      sum(co_product_kg) as co, sum(declared_loss_kg) as loss, sum(gap_kg) as gap, sum(coalesce(cardinality(yields_outside), 0)) as outside
    from days group by process_type
  ), spreads as materialized (
    select p.*, s.* from processes p cross join lateral (
      select percentile_cont(array[0.1, 0.5, 0.9]) within group (order by y.yield) as p, min(y.yield) as least, max(y.yield) as most,
        avg(y.yield) as mean, stddev_samp(y.yield) as sd
      from ${each('d.yields || d.yields_outside')}) s
  ), deviations as materialized (
    select p.*, (select percentile_cont(0.5) within group (order by abs(y.yield - p.p[2])) from ${each('d.yields || d.yields_outside')} where p.n >= ${ENOUGH}) as mad
    from spreads p
  )
  select p.process_type as "processType", p.n, p.unmeasured, array[p.input, p.main, p.co, p.loss, p.gap] as sums,
    array[p.main / p.input, (p.main + p.co) / p.input, p.gap / p.input] as ratios,
    array[p.least, p.p[1], p.p[2], p.p[3], p.most, p.mean, p.sd] as spread, p.p[2] as median, p.mad,
    p.outside + (select count(*) from ${each('d.yields')} where p.mad > 0 and 0.6745 * abs(y.yield - p.p[2]) / p.mad > ${FAR}) as "outlierCount",
    (select jsonb_agg(jsonb_build_object('month', m.month, 'n', m.n, 'inputKg', round(m.input::numeric, 6),
        'mainOutputKg', round(m.main::numeric, 6), 'yield', round((m.main / m.input)::numeric, 6)) order by m.month)
     from (select to_char(d.day, 'YYYY-MM') as month, sum(d.measured) as n, sum(d.input_kg) as input, sum(d.main_output_kg) as main
           from days d where d.process_type is not distinct from p.process_type and d.measured > 0 group by 1) m) as "byMonth"
  from deviations p order by p.process_type collate "C" nulls last`;

/** The newest event of each process, and the farthest outliers. Parameters behind `before`: processes, medians, MADs. */
function newestOf({ facts, asOf }: Pick<EventFigures, 'facts' | 'asOf'>, before: number): string {
  const far = (outside: string): string => `(select f.* from facts f where f.process_type = p.process_type and f.measured and ${outside}`;
  const farthest = (order: string): string => `order by f.yield ${order} limit ${MAX_OUTLIERS})`;
  const [low, high] = [`p.median - ${FAR} * p.mad / 0.6745`, `p.median + ${FAR} * p.mad / 0.6745`];
  // Stored facts have indexes; computed facts are computed once.
  return `
  with facts as ${asOf ? 'not materialized' : 'materialized'} ${facts}
  select n.process_label as label, array[n.yield_min, n.yield_max] as expected,
    coalesce((select bool_or(a.category = 'finished_good') from traceability.asset_type_v1 a
              where a.tenant_id = $1 and a.asset_type = n.outputs #>> '{0,assetType}'), false) as finished, o.listed as outliers
  from unnest($${before + 1}::text[], $${before + 2}::float8[], $${before + 3}::float8[]) with ordinality as p(process_type, median, mad, place)
  left join lateral (
    select e.* from (select f.event_id from facts f where f.process_type = p.process_type and f.transforms order by f.at desc, f.event_id limit 1) f
    join traceability.event_v1 e on e.tenant_id = $1 and e.id = f.event_id
  ) n on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('eventId', f.event_id, 'outputTlc', e.output_tlc, 'yield', f.yield, 'z', f.z)
      order by abs(f.z) desc nulls last, f.at desc, f.event_id) as listed
    from (
      select f.event_id, f.at, f.yield, round((0.6745 * (f.yield - p.median) / nullif(p.mad, 0))::numeric, 6) as z
      from (
        ${far(`p.mad > 0 and f.yield < ${low}`)} ${farthest('asc')} union ${far(`p.mad > 0 and f.yield > ${high}`)} ${farthest('desc')}
        union ${far('p.mad > 0 and f.yield_outside')} ${farthest('asc')} union ${far('p.mad > 0 and f.yield_outside')} ${farthest('desc')}
        union ${far('(p.mad is null or p.mad = 0) and f.yield_outside')} order by f.at desc, f.event_id limit ${MAX_OUTLIERS})
      ) f order by abs(0.6745 * (f.yield - p.median) / nullif(p.mad, 0)) desc nulls last, f.at desc, f.event_id limit ${MAX_OUTLIERS}
    ) f join traceability.event_v1 e on e.tenant_id = $1 and e.id = f.event_id
  ) o on true
  order by p.place`;
}

/** How much each process used of the output of each other process, within the scope. Parameters behind `before`: organisation, processes. */
const linksOf = (draws: string, before: number): string => `
  select case when ($${before + 1}::text is null or d.from_org = $${before + 1}) and ($${before + 2}::text[] is null or d.from_process like any($${before + 2}))
    then d.from_process end as "from", d.process_type as "to", sum(d.kg) as kg, sum(d.raw_kg) as "rawKg"
  from ${draws} d group by 1, 2 order by 1 nulls first, 2`;
