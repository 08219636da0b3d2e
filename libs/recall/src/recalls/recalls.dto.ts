import {
  BooleanField,
  CursorField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ObjectListField,
  PageQuery,
  PageView,
  StringField,
  TokenIdField,
} from '#http';
import { PreparedCallView, type PreparedContractCall, PreparedTxView, preparedCallView } from '#prepare';
import type { LiftInput, PreparedLift } from './prepare-lift.js';
import type { PreparedRecall } from './prepare-recall.js';
import {
  PROPAGATIONS,
  type Propagation,
  RECALL_CLASSES,
  RECALL_DEPTHS,
  type RecallClass,
  type RecallDepth,
  type RecallInput,
} from './recall.js';
import type { RecallRecord } from './recalls.queries.js';

/** A reason of blanks is none. */
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

class PreparedCallsView extends PreparedCallView {
  @ObjectListField(() => PreparedTxView, {
    description: 'All transactions, when one cannot take every lot; the first is `preparedTx`',
    optional: true,
  })
  preparedTxs?: readonly PreparedTxView[];

  @JsonObjectField({ description: '`{ method, tokenIds, ipfsCid, … }`: what was prepared' })
  metadata: object;

  @StringField({ description: 'CID of the notice' })
  ipfsCid: string;
}

export class PreparedRecallView extends PreparedCallsView {}
export class PreparedLiftView extends PreparedCallsView {}

export function preparedRecallView(prepared: PreparedRecall, propagation: Propagation): PreparedRecallView {
  const { calls, content, tokenIds, affectedCount, estimatedUnits, truncated } = prepared;
  const { ipfsCid, dataHash } = content;
  const { method } = calls[0]!;
  const cut = truncated ? ['Not everything that this recall affects could be counted: the walk reached its widest bounds.'] : [];
  return {
    ...preparedCalls(calls, cut),
    metadata: { method, tokenIds: tokenIds.map(Number), ipfsCid, dataHash, propagation, affectedCount, estimatedUnits, truncated },
    ipfsCid,
  };
}

export const preparedLiftView = ({ calls, tokenIds, content: { ipfsCid } }: PreparedLift): PreparedLiftView => ({
  ...preparedCalls(calls),
  metadata: { method: 'liftRecall', tokenIds: tokenIds.map(Number), ipfsCid },
  ipfsCid,
});

const preparedCalls = (calls: readonly PreparedContractCall[], warnings: readonly string[] = []) => ({
  ...preparedCallView(calls[0]!, warnings),
  ...(calls.length > 1 && { preparedTxs: calls.map(({ preparedTx }) => preparedTx) }),
});

class RecalledLotView {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its traceability lot code', nullable: true })
  tlc: string | null;

  @StringField({ description: 'When the recall of it was lifted', format: 'date-time', nullable: true })
  liftedAt: string | null;

  @StringField({ description: 'EIP-55 address that lifted it', nullable: true })
  liftedBy: string | null;

  @BooleanField({ description: 'Whether another wallet signed the lifting than it was prepared for' })
  liftSenderMismatch: boolean;

  @StringField({ description: 'EIP-55 address that the lifting was prepared for, where another one signed', nullable: true })
  liftPreparedSender: string | null;

  @StringField({ description: 'Why it was lifted; null where the notice of the lifting could not be read', nullable: true })
  liftReason: string | null;
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

  @BooleanField({ description: 'Whether the notice was read' })
  resolved: boolean;

  @StringField({ description: 'EIP-55 address of the signer' })
  recalledBy: string;

  @BooleanField({ description: 'Whether another wallet signed than it was prepared for' })
  senderMismatch: boolean;

  @StringField({ description: 'EIP-55 address that it was prepared for, where another one signed', nullable: true })
  preparedSender: string | null;

  @StringField({ description: 'Block time', format: 'date-time' })
  recalledAt: string;

  @IntegerField({ description: 'Block' })
  blockNumber: number;

  @StringField({ description: 'Transaction' })
  txHash: string;

  @BooleanField({ description: 'Whether any of its lots is still recalled by it' })
  open: boolean;

  @ObjectListField(() => RecalledLotView, { description: 'The lots it flagged' })
  lots: readonly RecalledLotView[];

  @IntegerField({
    description: 'Lots affected now by those still recalled; with propagation `none`, lots that they reach and leave untouched',
  })
  affectedCount: number;

  @IntegerField({ description: 'Affected lots when it was prepared; null when it was not prepared by this service', nullable: true })
  affectedWhenPrepared: number | null;

  @IntegerField({ description: 'The block at which that was counted', nullable: true })
  preparedAtBlock: number | null;

  @IntegerField({ description: 'Lots for which a holder has said what was done with them; `/recalls/{id}/acknowledgements` has each' })
  acknowledgedCount: number;

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
  senderMismatch: recall.senderMismatch,
  preparedSender: recall.preparedSender,
  recalledAt: recall.recalledAt.toISOString(),
  blockNumber: recall.blockNumber,
  txHash: recall.txHash,
  open: recall.lots.some(({ liftedAt }) => liftedAt === null),
  lots: recall.lots.map(({ tokenId, liftedAt, ...lifting }) => ({
    tokenId: Number(tokenId),
    liftedAt: liftedAt?.toISOString() ?? null,
    ...lifting,
  })),
  affectedCount,
  affectedWhenPrepared: recall.preparedAffected,
  preparedAtBlock: recall.preparedBlock,
  acknowledgedCount: recall.acknowledged,
  holdsReleasedAt: recall.holdsReleasedAt?.toISOString() ?? null,
});

export class RecallPageView extends PageView {
  @ObjectListField(() => RecallView, { description: 'Newest first' })
  data: readonly RecallView[];
}

export class RecallsQuery extends PageQuery {
  @BooleanField({ description: 'Only those with lots that are still recalled, or only those without', optional: true })
  open?: boolean;

  @TokenIdField({ description: 'Only those by which this lot is recalled or affected now', optional: true })
  tokenId?: number | string;

  @StringField({
    description: 'EIP-55 address: only those that recall or affect lots which it holds now',
    optional: true,
    pattern: /^0x[0-9a-fA-F]{40}$/,
  })
  holder?: string;

  @CursorField()
  cursor?: string;
}
