import { BooleanField, IntegerField, JsonListField, NumberField, ObjectField, ObjectListField, StringField } from '#http';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Figure, figure } from '../../domain/figures.js';
import { type Link, type Made, MOST_CHAINS, finishedPerRaw, yieldChains } from '../../domain/yield-chains.js';
import { type About, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { eventsIn } from './events-in.js';
import { pageAfter } from './page-after.js';

/** More outliers of a process than this are counted and not listed. */
const MOST_OUTLIERS = 100;

class DistributionView {
  @NumberField({ description: 'Least', nullable: true })
  min: number | null;

  @NumberField({ description: 'A tenth of the events yields less', nullable: true })
  p10: number | null;

  @NumberField({ description: 'Half of the events yields less', nullable: true })
  median: number | null;

  @NumberField({ description: 'A tenth of the events yields more', nullable: true })
  p90: number | null;

  @NumberField({ description: 'Most', nullable: true })
  max: number | null;

  @NumberField({ description: 'Mean of the events, not weighted', nullable: true })
  mean: number | null;

  @NumberField({ description: 'Standard deviation of the sample; null for fewer than two', nullable: true })
  sd: number | null;
}

class RangeView {
  @NumberField({ description: 'Least that the process map expects' })
  min: number;

  @NumberField({ description: 'Most that the process map expects' })
  max: number;
}

class OutlierView {
  @StringField({ description: 'The event' })
  eventId: string;

  @StringField({ description: 'Code of its main output', nullable: true })
  outputTlc: string | null;

  @NumberField({ description: 'Main output / input' })
  yield: number;

  @NumberField({
    description: '0.6745 × (yield − median) / MAD; null for fewer than 8 events, or where they all yield the same',
    nullable: true,
  })
  z: number | null;
}

class MonthView {
  @StringField({ description: 'Calendar month of the event time, UTC', example: '2026-09' })
  month: string;

  @IntegerField({ description: 'Measured events' })
  n: number;

  @NumberField({ description: 'Drawn from inputs, kg' })
  inputKg: number;

  @NumberField({ description: 'Main output, kg' })
  mainOutputKg: number;

  @NumberField({ description: 'Σ main output / Σ input', nullable: true })
  yield: number | null;
}

class ProcessYieldView {
  @StringField({ description: 'Process; null for events of a process that no map has', nullable: true })
  processType: string | null;

  @StringField({ description: 'What the map calls it', nullable: true })
  label: string | null;

  @IntegerField({ description: 'Measured events' })
  n: number;

  @IntegerField({ description: 'Events with a lot that has no mass: in none of the figures' })
  unmeasured: number;

  @NumberField({ description: 'Drawn from inputs, kg' })
  inputKg: number;

  @NumberField({ description: 'Main output, kg' })
  mainOutputKg: number;

  @NumberField({ description: 'Co-products, kg' })
  coProductKg: number;

  @NumberField({ description: 'Losses that the events declared, kg' })
  declaredLossKg: number;

  @NumberField({ description: 'Input less outputs and losses, kg: what nobody explained' })
  gapKg: number;

  @NumberField({ description: 'Σ main output / Σ input', nullable: true })
  yield: number | null;

  @NumberField({ description: 'Σ (main output + co-products) / Σ input', nullable: true })
  materialYield: number | null;

  @NumberField({ description: 'gapKg / inputKg', nullable: true })
  gapRatio: number | null;

  @ObjectField(() => DistributionView, { description: 'Yields of the events' })
  distribution: DistributionView;

  @ObjectField(() => RangeView, { description: 'Of the newest event; null where the map says nothing', nullable: true })
  expected: RangeView | null;

  @IntegerField({ description: 'Events outside the expected range, or far from the others (|z| > 3.5)' })
  outlierCount: number;

  @ObjectListField(() => OutlierView, { description: `The farthest ${MOST_OUTLIERS} of them` })
  outliers: readonly OutlierView[];

  @ObjectListField(() => MonthView, { description: 'By month' })
  byMonth: readonly MonthView[];
}

class YieldChainView {
  @StringField({ description: 'Process at the beginning' })
  from: string;

  @StringField({ description: 'Process at the end' })
  to: string;

  @JsonListField({ description: 'Processes on the way, both ends included', items: { type: 'string' } })
  route: readonly string[];

  @NumberField({ description: 'Product of the yields along the route', nullable: true })
  rolledYield: number | null;

  @NumberField({ description: 'The least that was handed on between two of its steps, kg' })
  throughKg: number;
}

class YieldSummaryView {
  @IntegerField({ description: 'Processes with events in the period' })
  processes: number;

  @IntegerField({ description: 'Measured events' })
  n: number;

  @IntegerField({ description: 'Events with a lot that has no mass' })
  unmeasured: number;

  @IntegerField({ description: 'Events outside the expected range, or far from the others' })
  outlierCount: number;

  @NumberField({
    description: 'Σ finished goods / Σ raw materials in them, by mass share; null where not all that was drawn is known',
    nullable: true,
  })
  finishedPerRaw: number | null;

  @BooleanField({ description: `There are more routes than the ${MOST_CHAINS} of \`chains\`` })
  chainsTruncated: boolean;
}

const about: About = {
  name: 'yield',
  title: 'Yield of each process: what came out of what went in, and what nobody explained',
  access: REPORT_READERS,
  kept: true,
  parameters: [],
  rows: 'processes',
  rowView: () => ProcessYieldView,
  summaryView: () => YieldSummaryView,
  beside: { chains: () => YieldChainView },
  columns: [
    { name: 'processType', unit: null, description: 'process' },
    { name: 'label', unit: null, description: 'what the map calls it' },
    { name: 'n', unit: '1', description: 'measured events' },
    { name: 'unmeasured', unit: '1', description: 'events with a lot that has no mass' },
    { name: 'inputKg', unit: 'kg', description: 'drawn from inputs' },
    { name: 'mainOutputKg', unit: 'kg', description: 'main output' },
    { name: 'coProductKg', unit: 'kg', description: 'co-products' },
    { name: 'declaredLossKg', unit: 'kg', description: 'losses that the events declared' },
    { name: 'gapKg', unit: 'kg', description: 'what nobody explained' },
    { name: 'yield', unit: 'ratio', description: 'main output / input' },
    { name: 'materialYield', unit: 'ratio', description: '(main output + co-products) / input' },
    { name: 'gapRatio', unit: 'ratio', description: 'gap / input' },
    ...['min', 'p10', 'median', 'p90', 'max', 'mean', 'sd'].map((name) => ({
      name: `yield_${name}`,
      unit: 'ratio',
      description: `${name} over the events`,
    })),
    { name: 'expectedMin', unit: 'ratio', description: 'least that the map expects' },
    { name: 'expectedMax', unit: 'ratio', description: 'most that the map expects' },
    { name: 'outlierCount', unit: '1', description: 'events outside' },
  ],
  place: [/^\d{1,9}$/],
};

/** domain-decisions §6.5. Sums come first and are divided then: a mean of ratios would weigh a handful like a shipload. */
@Injectable()
export class YieldReport extends Report<ProcessYieldView> {
  static readonly about = about;

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<ProcessYieldView>> {
    const { where, parameters } = eventsIn(tx, scope);
    const found = await tx.sql<Row>(yields(where), parameters);
    const links = await tx.sql<Link>(linksBetween(where), parameters);
    const rows = found.map(processOf);
    const made = rows.flatMap((row, i) => madeBy(row, found[i]!.finished));
    const chains = yieldChains(made, links);
    const total = (of: (row: ProcessYieldView) => number): number => rows.reduce((all, row) => all + of(row), 0);
    return {
      summary: {
        processes: rows.length,
        n: total(({ n }) => n),
        unmeasured: total(({ unmeasured }) => unmeasured),
        outlierCount: total(({ outlierCount }) => outlierCount),
        finishedPerRaw: finishedPerRaw(made, links),
        chainsTruncated: chains.length === MOST_CHAINS,
      },
      beside: { chains },
      ...pageAfter(rows, scope),
    };
  }

  override lines({ distribution, expected, outliers: _, byMonth: __, ...row }: ProcessYieldView) {
    const spread = Object.fromEntries(Object.entries(distribution).map(([name, value]) => [`yield_${name}`, value as number | null]));
    return [{ ...row, ...spread, expectedMin: expected?.min, expectedMax: expected?.max }];
  }
}

interface Row {
  readonly finished: boolean;
  readonly processType: string | null;
  readonly label: string | null;
  readonly n: string;
  readonly unmeasured: string;
  readonly sums: readonly Figure[];
  readonly ratios: readonly Figure[];
  readonly spread: readonly Figure[];
  readonly expected: readonly Figure[] | null;
  readonly outlierCount: string;
  readonly outliers: readonly OutlierView[] | null;
  readonly byMonth: readonly MonthView[] | null;
}

const madeBy = ({ processType, inputKg, mainOutputKg, coProductKg }: ProcessYieldView, finished: boolean): Made[] =>
  processType === null ? [] : [{ processType, yield: inputKg > 0 ? mainOutputKg / inputKg : null, mainOutputKg, coProductKg, finished }];

function processOf({
  processType,
  label,
  n,
  unmeasured,
  sums,
  ratios,
  spread,
  expected,
  outlierCount,
  outliers,
  byMonth,
}: Row): ProcessYieldView {
  const [inputKg, mainOutputKg, coProductKg, declaredLossKg, gapKg] = sums.map((one) => figure(one) ?? 0);
  const [overall, materialYield, gapRatio] = ratios.map(figure);
  const [min, p10, median, p90, max, mean, sd] = spread.map(figure);
  const [least, most] = (expected ?? []).map(figure);
  return {
    processType,
    label,
    n: Number(n),
    unmeasured: Number(unmeasured),
    inputKg: inputKg!,
    mainOutputKg: mainOutputKg!,
    coProductKg: coProductKg!,
    declaredLossKg: declaredLossKg!,
    gapKg: gapKg!,
    yield: overall!,
    materialYield: materialYield!,
    gapRatio: gapRatio!,
    distribution: { min: min!, p10: p10!, median: median!, p90: p90!, max: max!, mean: mean!, sd: sd! },
    expected: least == null || most == null ? null : { min: least, max: most },
    outlierCount: Number(outlierCount),
    outliers: outliers ?? [],
    byMonth: byMonth ?? [],
  };
}

/** An event is measured when every mass is known and something was drawn; creations draw nothing and have no yield. */
const yields = (where: string): string => `
  with facts as materialized (
    select e.process_type, e.process_label, e.id, e.output_tlc, e.at, e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg,
      e.outputs #>> '{0,assetType}' as asset_type, e.gap_kg, e.yield, e.yield_min, e.yield_max, e.yield_outside, not e.unmeasured and e.input_kg > 0 as measured
    from (select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e
    where ${where} and e.counts and e.containment_mode = 0 and cardinality(e.output_token_ids) > 0 and cardinality(e.input_token_ids) > 0
  ), processes as (
    select process_type, count(*) filter (where measured) as n, count(*) filter (where measured is not true) as unmeasured,
      sum(input_kg) filter (where measured) as input, sum(main_output_kg) filter (where measured) as main,
      sum(co_product_kg) filter (where measured) as co, sum(declared_loss_kg) filter (where measured) as loss,
      sum(gap_kg) filter (where measured) as gap,
      percentile_cont(array[0.1, 0.5, 0.9]) within group (order by yield::float8) filter (where measured) as p,
      min(yield) filter (where measured) as least, max(yield) filter (where measured) as most,
      avg(yield) filter (where measured) as mean, stddev_samp(yield) filter (where measured) as sd
    from facts group by process_type
  ), spreads as (
    select f.process_type, percentile_cont(0.5) within group (order by abs(f.yield::float8 - p.p[2])) as mad
    from facts f join processes p on p.process_type is not distinct from f.process_type where f.measured and p.n >= 8 group by 1
  ), far as (
    select f.process_type, f.id, f.output_tlc, f.yield, f.at, f.yield_outside, 0.6745 * (f.yield::float8 - p.p[2]) / nullif(s.mad, 0) as z
    from facts f join processes p on p.process_type is not distinct from f.process_type
    left join spreads s on s.process_type is not distinct from f.process_type
    where f.measured
  ), outliers as (
    select process_type, count(*) as n,
      jsonb_agg(jsonb_build_object('eventId', id, 'outputTlc', output_tlc, 'yield', yield, 'z', round(z::numeric, 6)) order by place)
        filter (where place <= ${MOST_OUTLIERS}) as listed
    from (
      select *, row_number() over (partition by process_type order by abs(z) desc nulls last, at desc, id) as place
      from far where yield_outside or abs(z) > 3.5
    ) o group by process_type
  ), months as (
    select process_type, jsonb_agg(jsonb_build_object('month', month, 'n', n, 'inputKg', input, 'mainOutputKg', main, 'yield', round(main / input, 6))
      order by month) as listed
    from (
      select process_type, to_char(at at time zone 'utc', 'YYYY-MM') as month, count(*) as n, sum(input_kg) as input, sum(main_output_kg) as main
      from facts where measured group by 1, 2
    ) m group by process_type
  )
  select p.process_type as "processType", newest.process_label as label, p.n, p.unmeasured,
    array[p.input, p.main, p.co, p.loss, p.gap] as sums,
    array[p.main / p.input, (p.main + p.co) / p.input, p.gap / p.input] as ratios,
    array[p.least, p.p[1], p.p[2], p.p[3], p.most, p.mean, p.sd] as spread,
    array[newest.yield_min, newest.yield_max] as expected,
    coalesce((select bool_or(a.category = 'finished_good') from traceability.asset_type_v1 a
              where a.tenant_id = $1 and a.asset_type = newest.asset_type), false) as finished,
    coalesce(o.n, 0) as "outlierCount", o.listed as outliers, m.listed as "byMonth"
  from processes p
  left join outliers o on o.process_type is not distinct from p.process_type
  left join months m on m.process_type is not distinct from p.process_type
  left join lateral (
    select f.process_label, f.yield_min, f.yield_max, f.asset_type from facts f where f.process_type is not distinct from p.process_type
    order by f.at desc, f.id limit 1) newest on true
  order by p.process_type collate "C" nulls last`;

/** Which process drew how much from what which other one made. A line of an event's inputs is what it drew from a lot, in the lot's unit. */
const linksBetween = (where: string): string => `
  with facts as materialized (
    select e.id, e.process_type, e.inputs
    from (select v.*, coalesce(v.event_time, v.landed_at) as at from traceability.event_v1 v) e
    where ${where} and e.counts and e.containment_mode = 0 and cardinality(e.output_token_ids) > 0 and cardinality(e.input_token_ids) > 0
      and not e.unmeasured and e.input_kg > 0 and e.process_type is not null
  ), raw as materialized (
    select distinct a.map_name, a.map_version, a.asset_type from traceability.asset_type_v1 a where a.tenant_id = $1 and a.category = 'raw_material'
  ), drawn as (
    select f.process_type, (line ->> 'tokenId')::bigint as token_id, (line ->> 'quantity')::numeric as quantity
    from facts f cross join lateral jsonb_array_elements(f.inputs) line
  )
  select made.process_type as "from", d.process_type as "to", sum(d.quantity * l.unit_kg)::float8 as kg,
    coalesce(sum(d.quantity * l.unit_kg) filter (where raw.asset_type is not null), 0)::float8 as "rawKg"
  from drawn d
  join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = d.token_id
  left join facts made on made.id = l.mint_event_id
  left join raw on raw.map_name = l.process_map_name and raw.map_version = l.process_map_version and raw.asset_type = l.asset_type
  where d.quantity is not null and l.unit_kg is not null
  group by 1, 2 order by 1 nulls first, 2`;
