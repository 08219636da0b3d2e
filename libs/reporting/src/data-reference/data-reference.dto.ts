import { BooleanField, EnumField, IntegerField, NumberField, ObjectField, StringField } from '#http';
import { POINTER_KINDS, POINTER_STATUSES } from './pointer.js';

class PointingView {
  @EnumField(['lot', 'event'], { description: 'The record with the pointer' })
  kind: string;

  @StringField({ description: 'Token id or event id' })
  id: string;

  @IntegerField({ description: 'Token id of a lot', nullable: true })
  tokenId: number | null;

  @StringField({ description: 'Code of the lot, or of the main output of the event', nullable: true })
  tlc: string | null;
}

export class PointerView {
  @StringField({ description: 'Stable: the same pointer of the same record keeps its id' })
  pointerId: string;

  @EnumField(POINTER_KINDS, { description: 'Kind of the pointer' })
  kind: string;

  @ObjectField(() => PointingView, { description: 'The record with the pointer' })
  subject: PointingView;

  @StringField({ description: 'The CID, hash, token id, identifier or address' })
  value: string;

  @BooleanField({ description: 'The target exists; null = not checked', nullable: true })
  resolved: boolean | null;

  @BooleanField({ description: 'The target equals the record; null = nothing to compare', nullable: true })
  matches: boolean | null;

  @EnumField(POINTER_STATUSES, { description: '`mismatch` and `unresolved` are faults' })
  status: string;

  @StringField({ description: 'Time of the last check', format: 'date-time' })
  checkedAt: string;

  @IntegerField({ description: 'Duration of the request, ms; null = no request', nullable: true })
  latencyMs: number | null;

  @StringField({ description: 'The result in a sentence' })
  detail: string;
}

class KindView {
  @IntegerField({ description: 'The target equals the record' })
  ok: number;

  @IntegerField({ description: 'The target differs from the record' })
  mismatch: number;

  @IntegerField({ description: 'The target does not exist' })
  unresolved: number;

  @IntegerField({ description: 'Not checked: other systems are not asked' })
  not_checked: number;
}

class ByKindView {
  @ObjectField(() => KindView, { description: 'Stored content of events' })
  cid: KindView;

  @ObjectField(() => KindView, { description: 'Data hashes on chain' })
  dataHash: KindView;

  @ObjectField(() => KindView, { description: 'Transactions' })
  tx: KindView;

  @ObjectField(() => KindView, { description: 'Tokens of lots' })
  nft: KindView;

  @ObjectField(() => KindView, { description: 'Documents of events' })
  document: KindView;

  @ObjectField(() => KindView, { description: 'Identifiers of other systems' })
  ext: KindView;
}

class SweepView {
  @IntegerField({ description: 'Events up to this block were checked in this lap' })
  eventBlock: number;

  @IntegerField({ description: 'Lots up to this token were checked in this lap' })
  tokenId: number;

  @StringField({ description: 'Begin of this lap over all records', format: 'date-time', nullable: true })
  lapBeganAt: string | null;

  @StringField({ description: 'End of the last complete lap; null = none yet', format: 'date-time', nullable: true })
  lapEndedAt: string | null;
}

export class DataReferenceSummaryView {
  @IntegerField({ description: 'Known pointers' })
  total: number;

  @IntegerField({ description: 'Checked pointers' })
  checked: number;

  @NumberField({ description: 'resolved / checked', nullable: true })
  resolvedRatio: number | null;

  @NumberField({ description: 'matches / resolved', nullable: true })
  matchRatio: number | null;

  @ObjectField(() => ByKindView, { description: 'Counts by kind' })
  byKind: ByKindView;

  @ObjectField(() => SweepView, { description: 'Progress of the background check' })
  sweep: SweepView;
}
