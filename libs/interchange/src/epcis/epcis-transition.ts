import type { LotThen } from '../contract.js';
import { type EpcisEvent, lists, withoutEmpty } from './epcis-event.js';
import type { Naming } from './identifiers.js';
import { trc } from './terms.js';

/** What happened to lots without an event of a process: custody on chain, recalls (docs/spec/domain.md#epcis). */

interface Transition {
  readonly id: string;
  readonly at: string;
  readonly lots: readonly LotThen[];
  readonly txHash: string;
}

/** A change of custody that no event records: an offer, its end, or a direct transfer. */
export interface CustodyTransition extends Transition {
  readonly kind: 'offered' | 'accepted' | 'rejected' | 'cancelled' | 'direct';
  /** URIs of the parties. */
  readonly from: string;
  readonly to: string;
  /** URI of where it was done. */
  readonly place: string | null;
  /** When it was recorded; its time may be one that its note states, in that zone. */
  readonly recordedAt: string;
  readonly offset: string | null;
}

/** Lots that a recall flagged, or that were released from it. */
export interface RecallTransition extends Transition {
  readonly kind: 'recalled' | 'lifted';
  readonly recallId: string;
  readonly reason: string | null;
  readonly recallClass: string | null;
  readonly senderMismatch: boolean;
}

const CUSTODY: Readonly<Record<CustodyTransition['kind'], { readonly bizStep: string; readonly disposition: string }>> = {
  offered: { bizStep: 'shipping', disposition: 'in_transit' },
  accepted: { bizStep: 'receiving', disposition: 'in_progress' },
  rejected: { bizStep: 'void_shipping', disposition: 'in_progress' },
  cancelled: { bizStep: 'void_shipping', disposition: 'in_progress' },
  direct: { bizStep: 'receiving', disposition: 'in_progress' },
};

export function custodyEvent(transition: CustodyTransition, naming: Naming): EpcisEvent {
  const { kind, from, to, place, recordedAt, offset, txHash } = transition;
  const hasArrived = kind === 'accepted' || kind === 'direct';
  return withoutEmpty({
    ...observation(transition, naming),
    ...CUSTODY[kind],
    recordTime: recordedAt,
    eventTimeZoneOffset: offset ?? '+00:00',
    readPoint: place === null ? null : { id: place },
    bizLocation: place === null || !hasArrived ? null : { id: place },
    sourceList: [{ type: 'possessing_party', source: from }],
    destinationList: [{ type: 'possessing_party', destination: to }],
    [trc('custody')]: kind,
    [trc('transaction')]: txHash,
  });
}

export function recallEvent(transition: RecallTransition, naming: Naming): EpcisEvent {
  const { kind, recallId, reason, recallClass, txHash, senderMismatch } = transition;
  const isRecalled = kind === 'recalled';
  return withoutEmpty({
    ...observation(transition, naming),
    bizStep: isRecalled ? 'holding' : 'other',
    disposition: isRecalled ? 'recalled' : 'active',
    persistentDisposition: isRecalled ? { set: ['recalled'] } : { unset: ['recalled'] },
    [trc('recall')]: recallId,
    [trc('recallClass')]: recallClass,
    [trc('recallReason')]: reason,
    [trc('senderMismatch')]: senderMismatch ? true : null,
    [trc('transaction')]: txHash,
  });
}

const observation = ({ id, at, lots }: Transition, naming: Naming): EpcisEvent => ({
  type: 'ObjectEvent',
  eventID: `urn:uuid:${id}`,
  eventTime: at,
  eventTimeZoneOffset: '+00:00',
  recordTime: at,
  action: 'OBSERVE',
  ...lists(
    lots.map((lot) => ({ lot, quantity: lot.remaining, uom: lot.uom })),
    naming,
    'epcList',
    'quantityList',
  ),
});
