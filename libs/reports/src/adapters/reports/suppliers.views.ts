import { IntegerField, NumberField, ObjectField, StringField } from '#http';

export const NUMBERS = {
  events: 'Events it recorded',
  lots: 'Lots they made, containers not counted',
  transfersOut: 'Transfers to other organisations that were completed; a container is one',
  answered: 'Offers to others that were accepted or rejected',
  accepted: 'Of those, accepted',
  timedEvents: 'Events with a time of their own',
  kdeEvents: 'Events of processes that require key data elements',
  documentEvents: 'Events of processes that require documents',
  transformations: 'Events whose mass balance can be judged',
  pointers: 'Data references that resolved when they were checked last',
} as const;

class CountsView {}
for (const [name, description] of Object.entries(NUMBERS)) IntegerField({ description })(CountsView.prototype, name);

export const METRICS = {
  acceptanceRate: ['ratio', 'accepted / (accepted + rejected)'],
  onTimeAcceptance: ['ratio', 'accepted within custodyAcceptWithin of the process map / accepted'],
  medianPendingSeconds: ['s', 'half of the accepted offers waited less'],
  p95PendingSeconds: ['s', '95 % of the accepted offers waited less'],
  recordingOnTime: ['ratio', 'events recorded within lateAfter of the process map / events'],
  medianRecordingDelaySeconds: ['s', 'from the time of an event to its recording'],
  kdeCompleteness: ['ratio', 'Σ present / Σ required key data elements'],
  documentCoverage: ['ratio', 'required documents present / required'],
  pointerMatch: ['ratio', 'data references that match / resolved, at their last check'],
  massBalanceConformity: ['ratio', '1 − breaches / transformations'],
  recallRate: ['ratio', 'lots recalled by their own fault / lots made'],
  affectedRate: ['ratio', 'lots that a recall affects / lots made'],
  yieldIndex: ['ratio', 'mean over its processes of own yield / yield of the tenant'],
  carbonPerKg: ['kgCO2e/kg', 'gate to gate, by mass of the main output'],
} as const;
type Metric = keyof typeof METRICS;

class MetricsView {}
for (const [name, [unit, description]] of Object.entries(METRICS))
  NumberField({ description: `${description} (${unit}); null where there is none`, nullable: true })(MetricsView.prototype, name);

export class SupplierView {
  @StringField({ description: 'Organisation' })
  orgId: string;

  @StringField({ description: 'Its name' })
  name: string;

  @StringField({ description: 'ISO 17442', nullable: true })
  lei: string | null;

  @StringField({ description: 'GS1 global location number', nullable: true })
  gln: string | null;

  @ObjectField(() => CountsView, { description: 'Of how many observations the metrics are' })
  n: Readonly<Record<keyof typeof NUMBERS, number>>;

  @NumberField({ description: 'Handed over to other organisations, of lots whose mass is known, kg' })
  massSuppliedKg: number;

  @ObjectField(() => MetricsView, { description: 'domain-decisions §6.4' })
  metrics: Readonly<Record<Metric, number | null>>;

  @NumberField({ description: '0 to 100, over metrics with five observations at least', nullable: true })
  score: number | null;

  @StringField({ description: 'A from 90, B from 75, C from 60, D below', nullable: true })
  grade: string | null;
}

export class SuppliersSummaryView {
  @IntegerField({ description: 'Organisations' })
  organizations: number;

  @NumberField({ description: 'Handed over between organisations, kg' })
  massSuppliedKg: number;
}
