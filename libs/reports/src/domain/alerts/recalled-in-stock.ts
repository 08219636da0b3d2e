import { lotSubject } from './alert.js';
import { type LotFacts, isLive } from './facts.js';
import type { Rule } from './rule.js';
import { be, countedOf, day } from './words.js';

export const recalledInStock: Rule<LotFacts> = {
  type: 'RECALLED_IN_STOCK',
  recommendation: 'Send the lot back to the recaller, or destroy and retire it.',
  reference: '21 CFR 7.49',
  headline: (count, group) => `${countedOf(count, 'recalled lot', group)} ${be(count)} still in stock`,
  judge(lot) {
    if (lot.recalledAt === null || !isLive(lot)) return [];
    return [
      {
        type: 'RECALLED_IN_STOCK',
        severity: 'critical',
        subject: lotSubject(lot),
        key: '',
        title: `${lot.tlc} was recalled and is still there`,
        detail: `${lot.tlc} was recalled on ${day(lot.recalledAt)}; ${left(lot)} at ${lot.custodianLabel}.`,
        evidence: { recalledAt: lot.recalledAt.toISOString(), remaining: lot.remaining, uom: lot.uom, custodian: lot.custodian },
        threshold: { remaining: 0 },
        group: lot.assetTypeName ?? '',
        orgIds: lot.orgIds,
      },
    ];
  },
};

const left = ({ remaining, uom }: LotFacts): string => (remaining === null ? 'it stands' : `${remaining} ${uom} of it stand`);
