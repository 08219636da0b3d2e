import { lotSubject } from './alert.js';
import type { FootprintFacts } from './facts.js';
import type { Rule } from './rule.js';
import { countedOf, have, listed, percent } from './words.js';

export const footprintGap: Rule<FootprintFacts> = {
  type: 'FOOTPRINT_GAP',
  recommendation: 'Ask the suppliers of the steps that `missing` of the lot’s footprint names for their figures.',
  reference: 'ISO 14067',
  headline: (count, group) => `${countedOf(count, 'finished lot', group)} ${have(count)} an incomplete footprint`,
  judge(lot, { thresholds }) {
    const low = Object.entries(lot.massCoverage)
      .filter((entry): entry is [string, number] => entry[1] !== null && entry[1] < thresholds.footprintCoverage)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (low.length === 0) return [];
    return [
      {
        type: 'FOOTPRINT_GAP',
        severity: 'low',
        subject: lotSubject(lot),
        key: '',
        title: `The footprint of ${lot.tlc} is incomplete`,
        detail: `Declared for ${listed(low.map(([indicator, share]) => `${percent(share)} of the mass (${indicator})`))}; ${percent(thresholds.footprintCoverage)} are expected.`,
        evidence: { massCoverage: lot.massCoverage },
        threshold: { footprintCoverage: thresholds.footprintCoverage },
        group: lot.assetTypeName ?? '',
        orgIds: lot.orgIds,
      },
    ];
  },
};
