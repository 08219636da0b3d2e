import {
  CursorField,
  EnumField,
  IntegerField,
  JsonListField,
  ObjectField,
  ObjectListField,
  PageQuery,
  PageView,
  StringField,
  StringListField,
} from '#http';
import type { TransactionStatus } from './get-transaction-status.js';
import type { TrackedDetails } from './read-tracking-context.js';
import { TRACKED_STATUSES, type TrackedTransaction } from './tracked-transaction.js';

export const TX_HASH = /^0x[0-9a-fA-F]{64}$/;

export class TrackBody {
  @StringField({ description: 'Hash of a transaction that was sent to the chain', pattern: TX_HASH })
  txHash: string;

  @StringField({ description: 'Your own category; `custom` when absent', optional: true, minLength: 1, maxLength: 64 })
  type?: string;
}

export class TrackedListQuery extends PageQuery {
  @EnumField(TRACKED_STATUSES, { description: 'Only those in this state', optional: true })
  status?: string;

  @StringField({ description: 'Only those of this category of yours', optional: true, minLength: 1, maxLength: 64 })
  type?: string;

  @StringField({ description: 'submittedAt from here on: ISO 8601 with an offset, or a date (UTC)', optional: true, maxLength: 40 })
  from?: string;

  @StringField({ description: 'submittedAt before this, in the same form', optional: true, maxLength: 40 })
  to?: string;

  @CursorField()
  cursor?: string;
}

/** docs/spec/service.md#transaction-tracking. */
export class TrackingView {
  @StringField({ description: 'Returns the state at `GET /api/v1/tx/{trackingId}`' })
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

/** Who signed and who paid, of a call that the sponsor sends. */
export class RelayedCallView {
  @StringField({ description: 'Of `POST /api/v1/tx/relay`', format: 'uuid' })
  relayId: string;

  @IntegerField({ description: 'Place in the batch, from 0' })
  callIndex: number;

  @StringField({ description: 'Id of the passkey that signed, base64url' })
  signedBy: string;

  @StringField({ description: 'EIP-55 address of the sponsor who paid' })
  paidBy: string;

  @StringField({ description: 'Until when the signed batch can land', format: 'date-time' })
  landsUntil: string;
}

/** docs/spec/domain.md#tracked-transactions; large numbers are decimal strings. */
export class TrackedView {
  @StringField({ description: 'Null for a transaction that was requested by its hash', nullable: true })
  trackingId: string | null;

  @StringField({ description: 'In lower case; null while a relayed call was not sent yet', nullable: true })
  txHash: string | null;

  @StringField({ description: 'Your own category; `relay` for a relayed call' })
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

  @IntegerField({ description: 'Number of confirmations after which it is final' })
  requiredConfirmations: number;

  @IntegerField({ description: 'Block in which it was mined', nullable: true })
  blockNumber: number | null;

  @StringField({ description: 'Block in which it was mined', nullable: true })
  blockHash: string | null;

  @StringField({ description: 'Decimal', nullable: true })
  gasUsed: string | null;

  @StringField({ description: 'Wei, decimal', nullable: true })
  effectiveGasPrice: string | null;

  @StringField({ description: "The contract's reason when it failed", nullable: true })
  revertReason: string | null;

  @StringField({ description: 'Hash of the transaction that took its nonce', nullable: true })
  replacedBy: string | null;

  @StringField({ description: 'The event that its calldata records', nullable: true })
  eventId: string | null;

  @ObjectField(() => EffectsView, { description: 'What it did, as far as indexed' })
  effects: EffectsView;

  @ObjectField(() => RelayedCallView, { description: 'Null for what its signer sent', nullable: true })
  relay: RelayedCallView | null;

  @StringField({ description: 'When it was given to track; null when it is not tracked', format: 'date-time', nullable: true })
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

export function trackedView({ tracked, effects, head, requiredConfirmations }: TrackedDetails): TrackedView {
  return {
    trackingId: tracked.id,
    txHash: tracked.txHash || null,
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
    relay: relayedCall(tracked),
    submittedAt: tracked.submittedAt.toISOString(),
    lastCheckedAt: tracked.lastCheckedAt?.toISOString() ?? null,
    confirmedAt: tracked.confirmedAt?.toISOString() ?? null,
    error: failureOf(tracked),
  };
}

/** The same record, requested by its hash. */
export function transactionStatusView(status: TransactionStatus): TrackedView {
  const view = trackedView(status);
  view.trackingId = null;
  if (!status.isTracked) view.submittedAt = null;
  return view;
}

function relayedCall({ relayId, callIndex, signedBy, paidBy, landsUntil }: TrackedTransaction): RelayedCallView | null {
  if (relayId === null) return null;
  return { relayId, callIndex: callIndex!, signedBy: signedBy!, paidBy: paidBy!, landsUntil: landsUntil!.toISOString() };
}

function failureOf({ status, revertReason, replacedBy, chainId, relayId, landsUntil }: TrackedTransaction): string | null {
  if (relayId !== null && status === 'dropped') return `The call was not sent: ${revertReason}.`;
  if (relayId !== null && status === 'confirming' && revertReason !== null)
    return `The call failed: ${revertReason}. It may still land until ${landsUntil!.toISOString()}; do not prepare it again before.`;
  switch (status) {
    case 'failed':
      return revertReason
        ? `The transaction failed: ${revertReason}.`
        : 'The transaction failed; the node could not give the reason (it keeps no trace or state of that block).';
    case 'replaced':
      return `Another transaction of the sender has the same nonce${replacedBy ? `: ${replacedBy}` : ''}.`;
    case 'dropped':
      return `No node of chain ${chainId} knows the transaction; tracking continues when a node finds it.`;
    default:
      return null;
  }
}
