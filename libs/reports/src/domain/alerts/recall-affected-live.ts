import { lotSubject } from './alert.js';
import { type LotFacts, isLive } from './facts.js';
import type { Rule } from './rule.js';
import { be, countedOf } from './words.js';

/** Made from, or packed in, what was recalled. A recalled lot has an alert of its own. */
export const recallAffectedLive: Rule<LotFacts> = {
  type: 'RECALL_AFFECTED_LIVE',
  recommendation: 'Hold the lot until it is clear whether the recall reaches it, then recall or release it.',
  reference: '21 CFR 7.49',
  headline: (count, group) => `${countedOf(count, 'lot', group)} in stock ${be(count)} affected by a recall`,
  judge(lot) {
    if (!lot.recallAffected || lot.recalledAt !== null || !isLive(lot)) return [];
    const worst = lot.recallClass === 'I';
    return [
      {
        type: 'RECALL_AFFECTED_LIVE',
        severity: worst ? 'critical' : 'high',
        subject: lotSubject(lot),
        key: '',
        title: `${lot.tlc} is affected by a recall`,
        detail: `${lot.tlc} was made from or lies in something that was recalled${lot.recallClass ? ` (class ${lot.recallClass})` : ''}, and stands at ${lot.custodianLabel}.`,
        evidence: { recallClass: lot.recallClass, status: lot.status, remaining: lot.remaining, uom: lot.uom, custodian: lot.custodian },
        threshold: { criticalClass: 'I' },
        group: lot.assetTypeName ?? '',
        orgIds: lot.orgIds,
      },
    ];
  },
};
