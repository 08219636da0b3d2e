import { lotSubject } from './alert.js';
import { newestMap } from './circumstances.js';
import { type LotFacts, isLive } from './facts.js';
import type { Rule } from './rule.js';
import { be, countedOf, day, duration, secondsBetween } from './words.js';

export const lotExpiring: Rule<LotFacts> = {
  type: 'LOT_EXPIRING',
  recommendation: 'Use or sell this lot first.',
  reference: null,
  headline: (count, group) => `${countedOf(count, 'lot', group)} ${be(count)} about to expire`,
  judge(lot, at) {
    if (!isLive(lot) || lot.isContainer || lot.expiresAt === null || lot.expiresAt <= at.now) return [];
    const within = newestMap(at, lot.mapName)?.expiringSoonWithinSeconds ?? at.thresholds.expiringSoonWithinSeconds;
    const left = secondsBetween(at.now, lot.expiresAt);
    if (left > within) return [];
    return [
      {
        type: 'LOT_EXPIRING',
        severity: 'low',
        subject: lotSubject(lot),
        key: '',
        title: `${lot.tlc} expires on ${day(lot.expiresAt)}`,
        detail: `${lot.tlc} expires in ${duration(left)} and stands at ${lot.custodianLabel}.`,
        evidence: { expiresAt: lot.expiresAt.toISOString(), remaining: lot.remaining, uom: lot.uom, custodian: lot.custodian },
        threshold: { expiringSoonWithinSeconds: within },
        group: lot.assetTypeName ?? '',
        orgIds: lot.orgIds,
      },
    ];
  },
};
