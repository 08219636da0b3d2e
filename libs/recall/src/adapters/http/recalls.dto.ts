import {
  CursorField,
  BooleanField,
  EnumField,
  HintsView,
  IntegerField,
  JsonObjectField,
  NumberField,
  ObjectField,
  ObjectListField,
  PageQuery,
  PageView,
  PreparedTxView,
  StringField,
  StringListField,
  TokenIdField,
} from '#http';

import type { LiftInput, PreparedLift } from '../../application/prepare-lift.js';
import type { PreparedRecall } from '../../application/prepare-recall.js';
import type { Drill } from '../../domain/drill.js';
import {
  PROPAGATIONS,
  type Propagation,
  RECALL_CLASSES,
  RECALL_DEPTHS,
  type RecallClass,
  type RecallDepth,
} from '../../domain/recall-notice.js';
import type { RecallInput } from '../../domain/recall-order.js';
import type { RecallRecord } from '../../ports.js';

/** domain-decisions §3 */
/** A reason of blanks gives none. */
const NOT_BLANK = /\S/;

export class RecallPrepareBody implements RecallInput {
  @StringField({ description: 'Why; stored by content, its hash goes on chain', minLength: 1, maxLength: 2000, pattern: NOT_BLANK })
  reason: string;

  @EnumField(RECALL_CLASSES, { description: 'Class of the recall (21 CFR 7.3(m)), or what it is instead', optional: true })
  recallClass?: RecallClass;

  @EnumField(RECALL_DEPTHS, { description: 'How far down the chain goods are taken back (21 CFR 7.42(b))', optional: true })
  depth?: RecallDepth;

  @EnumField(PROPAGATIONS, {
    description: 'What happens to affected lots: nothing, a flag (default), an off-chain hold, or a recall of each live one on chain',
    optional: true,
  })
  propagation?: Propagation;

  @StringField({ description: 'Number of the recall elsewhere', optional: true, maxLength: 200 })
  reference?: string;

  @StringField({ description: 'What holders are to do', optional: true, maxLength: 10_000 })
  instructions?: string;

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}

export class LiftPrepareBody implements LiftInput {
  @StringField({ description: 'Why it is taken back', minLength: 1, maxLength: 2000, pattern: NOT_BLANK })
  reason: string;

  @EnumField(['lot', 'recall'], { description: 'The lot alone (default), or every lot that was flagged together with it', optional: true })
  scope?: 'lot' | 'recall';

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}

class PreparedCallsView {
  @ObjectField(() => PreparedTxView, { description: 'The unsigned transaction' })
  preparedTx: PreparedTxView;

  @ObjectListField(() => PreparedTxView, {
    description: 'All of them, where one does not take every lot; the first is `preparedTx`',
    optional: true,
  })
  preparedTxs?: readonly PreparedTxView[];

  @JsonObjectField({ description: '`{ method, tokenIds, ipfsCid, … }`: what was prepared' })
  metadata: object;

  @ObjectField(() => HintsView, { description: 'Advice for the sender of the first' })
  hints: HintsView;

  @StringField({ description: 'Where the notice lies' })
  ipfsCid: string;

  @StringListField({ description: 'What to look at before signing' })
  warnings: string[];
}

export class PreparedRecallView extends PreparedCallsView {}
export class PreparedLiftView extends PreparedCallsView {}

export function preparedRecallView(prepared: PreparedRecall, propagation: string): PreparedRecallView {
  const { calls, method, tokenIds, ipfsCid, dataHash, affectedCount, estimatedUnits, truncated } = prepared;
  const cut = truncated ? ['Not everything that this recall affects could be counted: the walk was cut at its widest bounds.'] : [];
  return {
    ...callsOf(calls),
    metadata: { method, tokenIds: tokenIds.map(Number), ipfsCid, dataHash, propagation, affectedCount, estimatedUnits, truncated },
    ipfsCid,
    warnings: [...cut, ...calls[0]!.warnings],
  };
}

export const preparedLiftView = ({ calls, tokenIds, ipfsCid }: PreparedLift): PreparedLiftView => ({
  ...callsOf(calls),
  metadata: { method: 'liftRecall', tokenIds: tokenIds.map(Number), ipfsCid },
  ipfsCid,
  warnings: [...calls[0]!.warnings],
});

const callsOf = (calls: PreparedRecall['calls']) => ({
  preparedTx: calls[0]!.preparedTx,
  ...(calls.length > 1 && { preparedTxs: calls.map(({ preparedTx }) => preparedTx) }),
  hints: calls[0]!.hints,
});

export class RecalledLotView {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'When the recall of it was lifted', format: 'date-time', nullable: true })
  liftedAt: string | null;

  @StringField({ description: 'EIP-55 address of whoever lifted it', nullable: true })
  liftedBy: string | null;
}

export class RecallView {
  @StringField({ description: 'Derived from chain, contract, transaction and log', format: 'uuid' })
  id: string;

  @StringField({ description: 'Why', nullable: true })
  reason: string | null;

  @EnumField(RECALL_CLASSES, { description: 'Class', nullable: true })
  recallClass: string | null;

  @EnumField(RECALL_DEPTHS, { description: 'Depth', nullable: true })
  depth: string | null;

  @EnumField(PROPAGATIONS, { description: 'What happens to affected lots' })
  propagation: string;

  @StringField({ description: 'Number of the recall elsewhere', nullable: true })
  reference: string | null;

  @StringField({ description: 'What holders are to do', nullable: true })
  instructions: string | null;

  @BooleanField({ description: 'Whether the notice behind the hash is known' })
  resolved: boolean;

  @StringField({ description: 'EIP-55 address of the signer' })
  recalledBy: string;

  @StringField({ description: 'Block time', format: 'date-time' })
  recalledAt: string;

  @IntegerField({ description: 'Block' })
  blockNumber: number;

  @StringField({ description: 'Transaction' })
  txHash: string;

  @BooleanField({ description: 'Whether any of its lots still stands recalled by it' })
  open: boolean;

  @ObjectListField(() => RecalledLotView, { description: 'The lots it flagged' })
  lots: readonly RecalledLotView[];

  @IntegerField({ description: 'Lots that those still recalled affect now; with propagation `none`, that they reach and leave untouched' })
  affectedCount: number;

  @IntegerField({ description: 'What it affected when it was prepared; null for one that was sent without us', nullable: true })
  affectedWhenPrepared: number | null;

  @IntegerField({ description: 'The block as of which that was counted', nullable: true })
  preparedAtBlock: number | null;

  @StringField({ description: 'When its holds were ended', format: 'date-time', nullable: true })
  holdsReleasedAt: string | null;
}

export const recallView = (recall: RecallRecord, affectedCount: number): RecallView => ({
  id: recall.id,
  reason: recall.reason,
  recallClass: recall.recallClass,
  depth: recall.depth,
  propagation: recall.propagation,
  reference: recall.reference,
  instructions: recall.instructions,
  resolved: recall.resolved,
  recalledBy: recall.recalledBy,
  recalledAt: recall.recalledAt.toISOString(),
  blockNumber: recall.blockNumber,
  txHash: recall.txHash,
  open: recall.lots.some(({ liftedAt }) => liftedAt === null),
  lots: recall.lots.map(({ tokenId, liftedAt, liftedBy }) => ({
    tokenId: Number(tokenId),
    liftedAt: liftedAt?.toISOString() ?? null,
    liftedBy,
  })),
  affectedCount,
  affectedWhenPrepared: recall.preparedAffected,
  preparedAtBlock: recall.preparedBlock,
  holdsReleasedAt: recall.holdsReleasedAt?.toISOString() ?? null,
});

export class RecallPageView extends PageView {
  @ObjectListField(() => RecallView, { description: 'Newest first' })
  data: readonly RecallView[];
}

export class RecallsQuery extends PageQuery {
  @BooleanField({ description: 'Only those with lots that still stand recalled, or only those without', optional: true })
  open?: boolean;

  @CursorField()
  cursor?: string;
}

export class HoldBody {
  @StringField({ description: 'Why', minLength: 1, maxLength: 2000, pattern: NOT_BLANK })
  reason: string;
}

export class HeldView {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @BooleanField({ description: 'Whether it is on hold now' })
  onHold: boolean;
}

export class ReleasedView {
  @IntegerField({ description: 'Lots that nothing holds any more' })
  released: number;
}

export class DrillBody {
  @TokenIdField({ description: 'The lot; one is drawn when absent', optional: true })
  tokenId?: number | string;
}

export class DrillsQuery extends PageQuery {}

export class DrillQuery {
  @EnumField(['json', 'csv'], { description: 'How to answer', optional: true, default: 'json' })
  format: 'json' | 'csv' = 'json';
}

export class DrillView {
  @StringField({ description: 'The drill', format: 'uuid' })
  id: string;

  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its code' })
  tlc: string;

  @BooleanField({ description: 'Whether the lot was drawn' })
  drawn: boolean;

  @StringField({ description: 'When', format: 'date-time' })
  startedAt: string;

  @StringField({ description: 'User or API key' })
  startedBy: string;

  @NumberField({ description: '0 to 100' })
  score: number;

  @JsonObjectField({
    description:
      'traceBack, traceForward, massBalance (kilograms), kde (missing key data elements), custodians (unreachable ones), estimatedUnits, elapsedMs, and `parts`: what each adds to the score, 0 to 1',
  })
  report: object;
}

export const drillView = ({ tokenId, startedAt, ...drill }: Drill): DrillView => ({
  ...drill,
  tokenId: Number(tokenId),
  startedAt: startedAt.toISOString(),
});

export class DrillPageView extends PageView {
  @ObjectListField(() => DrillView, { description: 'Newest first' })
  data: readonly DrillView[];
}
