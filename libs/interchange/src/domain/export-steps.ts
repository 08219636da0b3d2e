import { type EpcisEvent, lists, withoutEmpty } from './export-event.js';
import type { LotThen } from '../contract.js';
import type { CustodyStep, Naming, RecallStep } from './recorded.js';

/** What happened to lots without an event of a process: custody on chain, recalls (domain-decisions §8). */

const CUSTODY: Readonly<Record<CustodyStep['step'], { readonly bizStep: string; readonly disposition: string }>> = {
  offered: { bizStep: 'shipping', disposition: 'in_transit' },
  accepted: { bizStep: 'receiving', disposition: 'in_progress' },
  rejected: { bizStep: 'void_shipping', disposition: 'in_progress' },
  cancelled: { bizStep: 'void_shipping', disposition: 'in_progress' },
  direct: { bizStep: 'receiving', disposition: 'in_progress' },
};

export function exportCustody({ id, step, at, from, to, lots, txHash }: CustodyStep, naming: Naming): EpcisEvent {
  return withoutEmpty({
    ...observed(id, at, naming, lots),
    ...CUSTODY[step],
    sourceList: [{ type: 'possessing_party', source: from }],
    destinationList: [{ type: 'possessing_party', destination: to }],
    'trc:custody': step,
    'trc:transaction': txHash,
  });
}

export function exportRecall({ id, step, at, recallId, reason, recallClass, lots, txHash }: RecallStep, naming: Naming): EpcisEvent {
  const standing = step === 'recalled';
  return withoutEmpty({
    ...observed(id, at, naming, lots),
    bizStep: standing ? 'holding' : 'other',
    disposition: standing ? 'recalled' : 'active',
    persistentDisposition: standing ? { set: ['recalled'] } : { unset: ['recalled'] },
    'trc:recall': recallId,
    'trc:recallClass': recallClass,
    'trc:recallReason': reason,
    'trc:transaction': txHash,
  });
}

const observed = (id: string, at: string, naming: Naming, lots: readonly LotThen[]): EpcisEvent => ({
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
