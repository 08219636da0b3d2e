import { BooleanField, IntegerField, JsonListField, NumberField, ObjectField, ObjectListField, StringField } from '#http';
import { MAX_CHAINS, MAX_OUTLIERS } from './yield-chains.rules.js';

class DistributionView {
  @NumberField({ description: 'Least', nullable: true })
  min: number | null;

  @NumberField({ description: '10th percentile', nullable: true })
  p10: number | null;

  @NumberField({ description: 'Median', nullable: true })
  median: number | null;

  @NumberField({ description: '90th percentile', nullable: true })
  p90: number | null;

  @NumberField({ description: 'Most', nullable: true })
  max: number | null;

  @NumberField({ description: 'Mean of the events, not weighted', nullable: true })
  mean: number | null;

  @NumberField({ description: 'Sample standard deviation; null for fewer than two events', nullable: true })
  sd: number | null;
}

class RangeView {
  @NumberField({ description: 'Least yield that the process map expects' })
  min: number;

  @NumberField({ description: 'Greatest yield that the process map expects' })
  max: number;
}

export class OutlierView {
  @StringField({ description: 'Event' })
  eventId: string;

  @StringField({ description: 'Code of its main output', nullable: true })
  outputTlc: string | null;

  @NumberField({ description: 'Main output / input' })
  yield: number;

  @NumberField({
    description: '0.6745 × (yield − median) / MAD; null for fewer than 8 events, or if the MAD is zero',
    nullable: true,
  })
  z: number | null;
}

export class MonthView {
  @StringField({ description: 'Calendar month of the event time, UTC', example: '2026-09' })
  month: string;

  @IntegerField({ description: 'Measured events' })
  n: number;

  @NumberField({ description: 'Used inputs, kg' })
  inputKg: number;

  @NumberField({ description: 'Main output, kg' })
  mainOutputKg: number;

  @NumberField({ description: 'Σ main output / Σ input', nullable: true })
  yield: number | null;
}

export class ProcessYieldView {
  @StringField({ description: 'Process; null for events without a process of a map', nullable: true })
  processType: string | null;

  @StringField({ description: 'Label in the process map', nullable: true })
  label: string | null;

  @IntegerField({ description: 'Measured events' })
  n: number;

  @IntegerField({ description: 'Events with a lot without a mass; not in the figures' })
  unmeasured: number;

  @NumberField({ description: 'Used inputs, kg' })
  inputKg: number;

  @NumberField({ description: 'Main output, kg' })
  mainOutputKg: number;

  @NumberField({ description: 'Co-products, kg' })
  coProductKg: number;

  @NumberField({ description: 'Declared losses, kg' })
  declaredLossKg: number;

  @NumberField({ description: 'Input minus outputs and losses, kg: the unexplained difference' })
  gapKg: number;

  @NumberField({ description: 'Σ main output / Σ input', nullable: true })
  yield: number | null;

  @NumberField({ description: 'Σ (main output + co-products) / Σ input', nullable: true })
  materialYield: number | null;

  @NumberField({ description: 'gapKg / inputKg', nullable: true })
  gapRatio: number | null;

  @ObjectField(() => DistributionView, { description: 'Yields of the events' })
  distribution: DistributionView;

  @ObjectField(() => RangeView, { description: 'Of the newest event; null if the map expects none', nullable: true })
  expected: RangeView | null;

  @IntegerField({ description: 'Events outside the expected range, or far from the others (|z| > 3.5)' })
  outlierCount: number;

  @ObjectListField(() => OutlierView, { description: `The farthest ${MAX_OUTLIERS} outliers` })
  outliers: readonly OutlierView[];

  @ObjectListField(() => MonthView, { description: 'By month' })
  byMonth: readonly MonthView[];
}

export class YieldChainView {
  @StringField({ description: 'First process' })
  from: string;

  @StringField({ description: 'Last process' })
  to: string;

  @JsonListField({ description: 'All processes of the route', items: { type: 'string' } })
  route: readonly string[];

  @NumberField({ description: 'Product of the yields along the route', nullable: true })
  rolledYield: number | null;

  @NumberField({ description: 'The smallest amount between two consecutive processes, kg' })
  throughKg: number;
}

export class YieldFlowView {
  @StringField({
    description: 'Process that made the lots, also one that uses none; null if it is not known or not visible',
    nullable: true,
  })
  from: string | null;

  @StringField({ description: 'Process that used them' })
  to: string;

  @NumberField({ description: 'What was used, kg' })
  kg: number;
}

export class YieldSummaryView {
  @IntegerField({ description: 'Processes with events in the period' })
  processes: number;

  @IntegerField({ description: 'Measured events' })
  n: number;

  @IntegerField({ description: 'Events with a lot without a mass' })
  unmeasured: number;

  @IntegerField({ description: 'Events outside the expected range, or far from the others' })
  outlierCount: number;

  @NumberField({
    description: 'Σ finished goods / Σ raw materials in them, by mass share; null if not all inputs are known',
    nullable: true,
  })
  finishedPerRaw: number | null;

  @BooleanField({ description: `There are more routes than the ${MAX_CHAINS} in \`chains\`` })
  chainsTruncated: boolean;
}
