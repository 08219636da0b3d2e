import { BooleanField, IntegerField, JsonListField, NumberField, ObjectField, ObjectListField, StringField } from '#http';
import { MOST_CHAINS } from '../../domain/yield-chains.js';

/** More outliers of a process than this are counted and not listed. */
export const MOST_OUTLIERS = 100;

export class DistributionView {
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

export class RangeView {
  @NumberField({ description: 'Least that the process map expects' })
  min: number;

  @NumberField({ description: 'Most that the process map expects' })
  max: number;
}

export class OutlierView {
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

export class MonthView {
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

export class ProcessYieldView {
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

export class YieldChainView {
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

export class YieldSummaryView {
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
