import { IntegerField, NumberField, StringField } from '#http';

/** What was recorded, moved and recalled. */
export class TrendsSummaryView {
  @IntegerField({ description: 'Recorded events' })
  events: number;

  @IntegerField({ description: 'Lots that they made; containers do not count' })
  lots: number;

  @NumberField({ description: 'Mass of the lots that they made, kg, where it is known' })
  recordedKg: number;

  @IntegerField({ description: 'Events that made a lot without a known mass; not in recordedKg' })
  unweighedEvents: number;

  @NumberField({ description: 'Inputs of measured transformations, kg' })
  inputKg: number;

  @NumberField({ description: 'Main output of measured transformations, kg' })
  mainOutputKg: number;

  @NumberField({ description: 'Σ main output / Σ input of all processes; null without a measured transformation', nullable: true })
  yield: number | null;

  @IntegerField({ description: 'Completed transfers' })
  transfers: number;

  @IntegerField({ description: 'Rejected transfers' })
  rejectedTransfers: number;

  @IntegerField({ description: 'Recalls' })
  recalls: number;

  @IntegerField({ description: 'Lots that they recalled' })
  recalledLots: number;
}

export class TrendPeriodView extends TrendsSummaryView {
  @StringField({ description: 'First day, UTC; weeks begin on Monday', format: 'date', example: '2026-09-01' })
  start: string;
}
