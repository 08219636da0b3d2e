import type { Finding, Rule } from './rule.js';
import { type EventFacts, aboutEvent, eventName, eventsOf } from './event.rules.js';
import { counted, kilograms, percent } from './wording.js';

/** Yields of one process: the latest ones, as many as are read. */
export interface YieldFacts {
  readonly processType: string;
  readonly label: string;
  readonly events: readonly {
    readonly id: string;
    readonly outputTlc: string | null;
    readonly yield: number;
    readonly yieldOutside: boolean;
    readonly orgIds: readonly string[];
  }[];
}

/** `traceability.mass_balance` decides about the sums, once for every reader; a gain is always outside the tolerance. */
export const massBalance: Rule<EventFacts> = {
  type: 'MASS_BALANCE',
  recommendation: 'Weigh again and declare the losses; correct the event with the right figures.',
  reference: 'BRCGS 3.9',
  headline: (count, group) => `${eventsOf(count, group)} ${count === 1 ? 'does' : 'do'} not balance by mass`,
  judge(event) {
    if (!event.balanceOutside || event.inputKg === null || event.mainOutputKg === null || event.coProductKg === null) return [];
    const { inputKg, mainOutputKg, coProductKg, gapKg, gapRatio, massTolerance } = event;
    const outKg = six(mainOutputKg + coProductKg);
    const gain = outKg > inputKg;
    const difference = gain
      ? `${kilograms(outKg - inputKg)} too much`
      : `${kilograms(Math.abs(gapKg ?? 0))} (${percent(Math.abs(gapRatio ?? 0))}) unaccounted for`;
    return [
      aboutEvent('MASS_BALANCE', 'high', event, {
        title: gain ? `More came out of ${eventName(event)} than went in` : `${eventName(event)} does not balance`,
        detail: `${kilograms(inputKg)} in, ${kilograms(outKg)} out, ${kilograms(event.declaredLossKg ?? 0)} lost: ${difference}.`,
        evidence: { inputKg, outputKg: outKg, declaredLossKg: event.declaredLossKg, gapKg, gapRatio, gain },
        threshold: { massBalanceTolerance: massTolerance },
      }),
    ];
  },
};

const YIELD_OUTLIER = {
  type: 'YIELD_OUTLIER',
  recommendation: 'Check the weights of the event, then the process: machine, moisture, theft.',
  reference: null,
  headline: (count: number, group: string): string =>
    `${counted(count, 'yield')}${group && ` of ${group}`} ${count === 1 ? 'is' : 'are'} unusual`,
} as const;

/** Outside the range that the process map expects. */
export const yieldRange: Rule<EventFacts> = {
  ...YIELD_OUTLIER,
  judge(event) {
    if (!event.yieldOutside || event.yield === null) return [];
    const { yieldMin: min, yieldMax: max } = event;
    return [
      aboutEvent('YIELD_OUTLIER', 'medium', event, {
        key: 'range',
        title: `The yield of ${eventName(event)} is ${percent(event.yield)}`,
        detail: `${percent(event.yield)} of the input became the main product; the process map expects ${percent(min ?? 0)} to ${percent(max ?? 1)}.`,
        evidence: { yield: event.yield },
        threshold: { yieldMin: min, yieldMax: max },
      }),
    ];
  },
};

/**
 * Unlike the other yields of its process: modified z-score |0.6745 (y - median) / MAD| (Iglewicz and Hoaglin), which a few bad values
 * do not shift. If more than half of the yields are equal, the MAD is zero and there is no score.
 */
export const yieldScore: Rule<YieldFacts> = {
  ...YIELD_OUTLIER,
  judge({ processType, label, events }, { thresholds }) {
    if (events.length < thresholds.yieldEvents) return [];
    const middle = median(events.map((event) => event.yield));
    const spread = median(events.map((event) => Math.abs(event.yield - middle)));
    if (spread === 0) return [];
    return events.flatMap((event): Finding[] => {
      const score = (0.6745 * (event.yield - middle)) / spread;
      // An event outside the expected range has that alert already.
      if (event.yieldOutside || Math.abs(score) <= thresholds.yieldScore) return [];
      return [
        {
          type: 'YIELD_OUTLIER',
          severity: 'medium',
          subject: { kind: 'event', id: event.id, tokenId: null, tlc: event.outputTlc },
          key: 'score',
          title: `The yield of ${label} (${event.outputTlc ?? event.id}) is unlike the others`,
          detail: `${percent(event.yield)}; the median of ${events.length} events is ${percent(middle)}. Score: ${score.toFixed(2)}.`,
          evidence: { yield: event.yield, median: six(middle), mad: six(spread), score: six(score), n: events.length },
          threshold: { yieldScore: thresholds.yieldScore, yieldEvents: thresholds.yieldEvents },
          group: label,
          processType,
          orgIds: event.orgIds,
        },
      ];
    });
  },
};

const six = (value: number): number => Math.round(value * 1e6) / 1e6;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
