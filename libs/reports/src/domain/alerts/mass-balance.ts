import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, kilograms, percent } from './words.js';

/** What follows from the sums is decided by `traceability.mass_balance`, once for every reader; a gain is always outside. */
export const massBalance: Rule<EventFacts> = {
  type: 'MASS_BALANCE',
  recommendation: 'Weigh again, and declare what was lost; supersede the event with the right figures.',
  reference: 'BRCGS 3.9',
  headline: (count, group) => `${counted(count, 'event')}${group && ` of ${group}`} ${count === 1 ? 'does' : 'do'} not balance by mass`,
  judge(event) {
    if (!event.balanceOutside || event.inputKg === null || event.mainOutputKg === null || event.coProductKg === null) return [];
    const { inputKg, mainOutputKg, coProductKg, gapKg, gapRatio, massTolerance } = event;
    const outKg = Math.round((mainOutputKg + coProductKg) * 1e6) / 1e6;
    const gain = outKg > inputKg;
    return [
      aboutEvent('MASS_BALANCE', 'high', event, {
        title: gain ? `More came out of ${calling(event)} than went in` : `${calling(event)} does not balance`,
        detail: `${kilograms(inputKg)} in, ${kilograms(outKg)} out, ${kilograms(event.declaredLossKg ?? 0)} lost: ${gain ? `${kilograms(outKg - inputKg)} too much` : `${kilograms(Math.abs(gapKg ?? 0))} (${percent(Math.abs(gapRatio ?? 0))}) unaccounted for`}.`,
        evidence: { inputKg, outputKg: outKg, declaredLossKg: event.declaredLossKg, gapKg, gapRatio, gain },
        threshold: { massBalanceTolerance: massTolerance },
      }),
    ];
  },
};
