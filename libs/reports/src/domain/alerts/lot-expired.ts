import { lotSubject } from './alert.js';
import { mapOf } from './circumstances.js';
import { type LotFacts, isLive } from './facts.js';
import type { Rule } from './rule.js';
import { be, countedOf, day, duration, secondsBetween } from './words.js';

/** Live and past its date: a finished good is what somebody may eat or wear. */
export const lotExpired: Rule<LotFacts> = {
  type: 'LOT_EXPIRED',
  recommendation: 'Take the lot out of stock: retire it with its reason, or correct its date by superseding the event that stated it.',
  reference: 'Reg. (EU) 178/2002 Art. 14',
  headline: (count, group) => `${countedOf(count, 'lot', group)} ${be(count)} past best-before and still in stock`,
  judge(lot, at) {
    if (!isLive(lot) || lot.isContainer || lot.expiresAt === null || lot.expiresAt > at.now) return [];
    const finished = mapOf(at, lot)?.assetTypes.get(lot.assetType ?? '')?.category === 'finished_good';
    return [
      {
        type: 'LOT_EXPIRED',
        severity: finished ? 'critical' : 'high',
        subject: lotSubject(lot),
        key: '',
        title: `${lot.tlc} is past its date`,
        detail: `${lot.tlc} expired on ${day(lot.expiresAt)}, ${duration(secondsBetween(lot.expiresAt, at.now))} ago, and stands at ${lot.custodianLabel}.`,
        evidence: {
          expiresAt: lot.expiresAt.toISOString(),
          status: lot.status,
          remaining: lot.remaining,
          uom: lot.uom,
          custodian: lot.custodian,
        },
        threshold: { expiresAt: lot.expiresAt.toISOString() },
        group: lot.assetTypeName ?? '',
        orgIds: lot.orgIds,
      },
    ];
  },
};
