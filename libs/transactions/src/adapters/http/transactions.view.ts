import {
  HintsView,
  IntegerField,
  JsonListField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PageView,
  PreparedTxView,
  StringField,
  StringListField,
  plainJson,
} from '#http';
import type { PreparedGeneric } from '../../application/prepare-transaction.js';
import type { Effects } from '../../domain/effects.js';
import type { TrackedTransaction } from '../../domain/tracked-transaction.js';

export class PreparedGenericView {
  @ObjectField(() => PreparedTxView, { description: 'The unsigned transaction' })
  preparedTx: PreparedTxView;

  @JsonObjectField({ description: '`{ method, args, eventId?, ipfsCid?, dataHash?, processType? }`' })
  metadata: object;

  @ObjectField(() => HintsView, { description: 'Advice for the sender' })
  hints: HintsView;

  @StringListField({ description: 'What to look at before signing' })
  warnings: string[];
}

export function preparedGenericView({ preparedTx, hints, warnings, ...prepared }: PreparedGeneric): PreparedGenericView {
  const { method, args, eventId, ipfsCid, dataHash, processType } = prepared;
  const known = Object.entries({ eventId, ipfsCid, dataHash, processType }).filter(([, value]) => value !== null);
  return { preparedTx, metadata: { method, args: plainJson(args), ...Object.fromEntries(known) }, hints, warnings: [...warnings] };
}

/** Specification §2.8. */
export class TrackingView {
  @StringField({ description: 'Ask with it for the state: `GET /api/v1/tx/{trackingId}`' })
  trackingId: string;

  @StringField({ description: 'As it was sent, in lower case' })
  txHash: string;
}

export class EffectsView {
  @StringListField({ description: 'Events that it recorded' })
  eventIds: string[];

  @JsonListField({ items: { type: 'integer' }, description: 'Lots that it minted, moved, recalled or retired' })
  tokenIds: number[];

  @StringListField({ description: 'Custody transfers that it opened, closed or made' })
  transferIds: string[];
}

/** domain-decisions §2.4; big numbers are decimal strings. */
export class TrackedView {
  @StringField({ description: 'Null of a transaction that was asked about by its hash', nullable: true })
  trackingId: string | null;

  @StringField({ description: 'In lower case' })
  txHash: string;

  @StringField({ description: 'Your own category' })
  type: string;

  @StringField({ description: 'submitted, pending, confirming, confirmed, failed, replaced or dropped' })
  status: string;

  @IntegerField({ description: 'EIP-155 chain id' })
  chainId: number;

  @StringField({ description: 'EIP-55 address', nullable: true })
  from: string | null;

  @StringField({ description: 'EIP-55 address', nullable: true })
  to: string | null;

  @IntegerField({ description: "The sender's", nullable: true })
  nonce: number | null;

  @IntegerField({ description: 'Its own block included' })
  confirmations: number;

  @IntegerField({ description: 'From this many on it is final' })
  requiredConfirmations: number;

  @IntegerField({ description: 'Where it was mined', nullable: true })
  blockNumber: number | null;

  @StringField({ description: 'Where it was mined', nullable: true })
  blockHash: string | null;

  @StringField({ description: 'Decimal', nullable: true })
  gasUsed: string | null;

  @StringField({ description: 'Wei, decimal', nullable: true })
  effectiveGasPrice: string | null;

  @StringField({ description: "The contract's reason, of a failed one", nullable: true })
  revertReason: string | null;

  @StringField({ description: 'Hash of the transaction that took its nonce', nullable: true })
  replacedBy: string | null;

  @StringField({ description: 'The event that its calldata records', nullable: true })
  eventId: string | null;

  @ObjectField(() => EffectsView, { description: 'What it did, as far as projected' })
  effects: EffectsView;

  @StringField({ description: 'When it was given to track; null when it never was', format: 'date-time', nullable: true })
  submittedAt: string | null;

  @StringField({ description: 'When the chain was last asked', format: 'date-time', nullable: true })
  lastCheckedAt: string | null;

  @StringField({ description: 'When it became final', format: 'date-time', nullable: true })
  confirmedAt: string | null;

  @StringField({ description: 'Why it did not succeed', nullable: true })
  error: string | null;
}

export class TrackedPageView extends PageView {
  @ObjectListField(() => TrackedView, { description: 'By submittedAt, newest first, then id' })
  data: readonly TrackedView[];
}

export const trackingView = ({ id, txHash }: TrackedTransaction): TrackingView => ({ trackingId: id, txHash });

export interface Around {
  readonly effects: Effects;
  /** Newest known block. */
  readonly head: number;
  readonly requiredConfirmations: number;
}

export function trackedView(tracked: TrackedTransaction, { effects, head, requiredConfirmations }: Around): TrackedView {
  return {
    trackingId: tracked.id,
    txHash: tracked.txHash,
    type: tracked.type,
    status: tracked.status,
    chainId: tracked.chainId,
    from: tracked.from,
    to: tracked.to,
    nonce: tracked.nonce,
    confirmations: tracked.confirmations(head),
    requiredConfirmations,
    blockNumber: tracked.blockNumber,
    blockHash: tracked.blockHash,
    gasUsed: tracked.gasUsed,
    effectiveGasPrice: tracked.effectiveGasPrice,
    revertReason: tracked.revertReason,
    replacedBy: tracked.replacedBy,
    eventId: tracked.eventId,
    effects: { eventIds: [...effects.eventIds], tokenIds: [...effects.tokenIds], transferIds: [...effects.transferIds] },
    submittedAt: tracked.submittedAt.toISOString(),
    lastCheckedAt: tracked.lastCheckedAt?.toISOString() ?? null,
    confirmedAt: tracked.confirmedAt?.toISOString() ?? null,
    error: whatWentWrong(tracked),
  };
}

/** The same record of a transaction that is not tracked, or asked about by its hash. */
export function untrackedView(tracked: TrackedTransaction, around: Around, isTracked: boolean): TrackedView {
  const view = trackedView(tracked, around);
  view.trackingId = null;
  if (!isTracked) view.submittedAt = null;
  return view;
}

function whatWentWrong({ status, revertReason, replacedBy, chainId }: TrackedTransaction): string | null {
  switch (status) {
    case 'failed':
      return revertReason
        ? `The transaction failed: ${revertReason}.`
        : 'The transaction failed; the node could not tell the reason (it keeps no trace or state of that block).';
    case 'replaced':
      return `Another transaction of the sender has the same nonce${replacedBy ? `: ${replacedBy}` : ''}.`;
    case 'dropped':
      return `No node of chain ${chainId} knows the transaction any more, or ever did; it is taken up again when one shows it.`;
    default:
      return null;
  }
}
