import { EnumField, IntegerField, NumberField, ObjectField, StringField } from '#http';
import { type Score, UNGRADED } from './supplier-score.rules.js';

export const NUMBERS = {
  events: 'Events that the organisation recorded',
  lots: 'Lots that these events made, without containers',
  transfersOut: 'Completed transfers to other organisations; a container counts as one',
  answered: 'Transfers to others that were accepted or rejected; one accepted in part is one accepted transfer',
  accepted: 'Accepted transfers',
  timedEvents: 'Events with an event time',
  kdeEvents: 'Events of processes that require key data elements',
  documentEvents: 'Events of processes that require documents',
  transformations: 'Events whose mass balance can be judged',
  pointers: 'Data references that resolved at their last check',
} as const;

class CountsView {}
for (const [name, description] of Object.entries(NUMBERS)) IntegerField({ description })(CountsView.prototype, name);

export const METRICS = {
  acceptanceRate: [
    'ratio',
    'accepted / (accepted + rejected), by transfer: one of which less was taken than offered counts with the share of its quantity that was taken',
  ],
  onTimeAcceptance: ['ratio', 'accepted within custodyAcceptWithin of the process map / accepted'],
  medianPendingSeconds: ['s', 'median wait of accepted transfers'],
  p95PendingSeconds: ['s', '95th percentile of the wait of accepted transfers'],
  recordingOnTime: ['ratio', 'events recorded within lateAfter of the process map / events'],
  medianRecordingDelaySeconds: ['s', 'from the event time to the recording'],
  kdeCompleteness: ['ratio', 'Σ present / Σ required key data elements'],
  documentCoverage: ['ratio', 'required documents present / required'],
  pointerMatch: ['ratio', 'data references that match / resolved, at their last check'],
  massBalanceConformity: ['ratio', '1 − breaches / transformations'],
  recallRate: ['ratio', 'lots recalled for their own defect / lots made'],
  affectedRate: ['ratio', 'lots that a recall affects / lots made'],
  yieldIndex: ['ratio', 'mean over the processes of own yield / yield of the tenant'],
  carbonPerKg: ['kgCO2e/kg', 'gate to gate, by mass of the main output'],
} as const;
type Metric = keyof typeof METRICS;

class MetricsView {}
for (const [name, [unit, description]] of Object.entries(METRICS))
  NumberField({ description: `${description} (${unit}); null without observations`, nullable: true })(MetricsView.prototype, name);

export class SupplierView {
  @StringField({ description: 'Organisation' })
  orgId: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'ISO 17442', nullable: true })
  lei: string | null;

  @StringField({ description: 'GS1 global location number', nullable: true })
  gln: string | null;

  @ObjectField(() => CountsView, { description: 'Numbers of observations' })
  n: Readonly<Record<keyof typeof NUMBERS, number>>;

  @NumberField({ description: 'Transferred to other organisations, lots with a known mass, kg' })
  massSuppliedKg: number;

  @ObjectField(() => MetricsView, { description: 'docs/spec/domain.md#suppliers' })
  metrics: Readonly<Record<Metric, number | null>>;

  @NumberField({ description: '0 to 100, over metrics with at least five observations; null without a grade', nullable: true })
  score: number | null;

  @StringField({ description: 'A from 90, B from 75, C from 60, D below; null with a reason', nullable: true })
  grade: string | null;

  @EnumField(Object.keys(UNGRADED), {
    description: `Why there is no grade. ${Object.entries(UNGRADED)
      .map(([name, sentence]) => `\`${name}\`: ${sentence}`)
      .join('; ')}`,
    nullable: true,
  })
  gradeReason: Score['gradeReason'];
}

export class SuppliersSummaryView {
  @IntegerField({ description: 'Number of organisations' })
  organizations: number;

  @NumberField({ description: 'Transferred between organisations, kg' })
  massSuppliedKg: number;
}
