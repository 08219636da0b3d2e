import { newestMap } from './circumstances.js';
import type { OfferFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, duration, secondsBetween } from './words.js';

export const custodyPending: Rule<OfferFacts> = {
  type: 'CUSTODY_PENDING',
  recommendation: 'Ask the receiver to accept or reject, or cancel the offer.',
  reference: null,
  headline: (count, group) => `${counted(count, 'handover')}${group && ` of ${group}`} ${count === 1 ? 'waits' : 'wait'} for an answer`,
  judge(offer, at) {
    const within = newestMap(at, offer.mapName)?.custodyAcceptWithinSeconds ?? at.thresholds.custodyAcceptWithinSeconds;
    const waiting = secondsBetween(offer.offeredAt, at.now);
    if (waiting <= within) return [];
    return [
      {
        type: 'CUSTODY_PENDING',
        severity: waiting > 2 * within ? 'high' : 'medium',
        subject: { kind: 'transfer', id: offer.transferId, tokenId: Number(offer.tokenId), tlc: offer.tlc },
        key: '',
        title: `${offer.tlc} waits to be accepted`,
        detail: `${offer.tlc} was offered to ${offer.toLabel} ${duration(waiting)} ago; the limit is ${duration(within)}.`,
        evidence: { offeredAt: offer.offeredAt.toISOString(), from: offer.from, to: offer.to },
        threshold: { custodyAcceptWithinSeconds: within },
        group: offer.assetTypeName ?? '',
        orgIds: offer.orgIds,
      },
    ];
  },
};
