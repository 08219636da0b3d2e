import { lotSubject } from './alert.js';
import type { LotFacts } from './facts.js';
import type { Rule } from './rule.js';
import { countedOf, have } from './words.js';

/** The contract lets nobody take more than there is, so this means that the projection and the chain have parted. */
export const overConsumption: Rule<LotFacts> = {
  type: 'OVER_CONSUMPTION',
  recommendation: 'Verify the events that used the lot; reindex the tenant if the record differs from the chain.',
  reference: 'ISO 22095',
  headline: (count, group) => `${countedOf(count, 'lot', group)} ${have(count)} more uses than there was`,
  judge(lot, { thresholds }) {
    if (lot.quantity === null || lot.isContainer) return [];
    const most = lot.quantity * (1 + thresholds.overConsumptionShare);
    if (lot.used <= most) return [];
    return [
      {
        type: 'OVER_CONSUMPTION',
        severity: 'critical',
        subject: lotSubject(lot),
        key: '',
        title: `More of ${lot.tlc} was used than there was`,
        detail: `Events used ${lot.used} ${lot.uom} of ${lot.tlc}, of which there were ${lot.quantity} ${lot.uom}.`,
        evidence: { used: lot.used, quantity: lot.quantity, uom: lot.uom },
        threshold: { overConsumptionShare: thresholds.overConsumptionShare },
        group: lot.assetTypeName ?? '',
        orgIds: lot.orgIds,
      },
    ];
  },
};
