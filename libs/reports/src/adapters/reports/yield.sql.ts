import type { EventFigures } from './event-figures.js';
import { MOST_OUTLIERS } from './yield.views.js';

/** A yield is far from the others when |0.6745 × (yield − median) / MAD| is more; judged of eight events and more. */
const FAR = 3.5;
const ENOUGH = 8;
/** Unnested among what is selected: as a relation of its own each day's array is written down once more, which doubles the time. */
const each = (arrays: string): string =>
  `(select unnest(${arrays}) as yield from days d where d.process_type is not distinct from p.process_type) y`;

/** Sums and spread of each process. @param days the relation of `EventFigures` */
export const spreadsOf = (days: string): string => `
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

/** What the newest event of each process says, and the outliers that lie farthest. Parameters behind `before`: processes, medians, MADs. */
export function newestOf({ facts, asOf }: Pick<EventFigures, 'facts' | 'asOf'>, before: number): string {
  const far = (outside: string): string => `(select f.* from facts f where f.process_type = p.process_type and f.measured and ${outside}`;
  const farthest = (order: string): string => `order by f.yield ${order} limit ${MOST_OUTLIERS})`;
  const [low, high] = [`p.median - ${FAR} * p.mad / 0.6745`, `p.median + ${FAR} * p.mad / 0.6745`];
  // What is kept has indexes; what is read now is read once.
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
        union ${far('(p.mad is null or p.mad = 0) and f.yield_outside')} order by f.at desc, f.event_id limit ${MOST_OUTLIERS})
      ) f order by abs(0.6745 * (f.yield - p.median) / nullif(p.mad, 0)) desc nulls last, f.at desc, f.event_id limit ${MOST_OUTLIERS}
    ) f join traceability.event_v1 e on e.tenant_id = $1 and e.id = f.event_id
  ) o on true
  order by p.place`;
}

/** Which process drew how much from what which other one made, as far as the scope reaches. Parameters behind `before`: organisation, processes. */
export const linksOf = (draws: string, before: number): string => `
  select case when ($${before + 1}::text is null or d.from_org = $${before + 1}) and ($${before + 2}::text[] is null or d.from_process like any($${before + 2}))
    then d.from_process end as "from", d.process_type as "to", sum(d.kg) as kg, sum(d.raw_kg) as "rawKg"
  from ${draws} d group by 1, 2 order by 1 nulls first, 2`;
