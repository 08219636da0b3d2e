import type { Finding } from './alert.js';
import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts, YieldFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, percent } from './words.js';

const said = {
  type: 'YIELD_OUTLIER',
  recommendation: 'Look at the weights of the event, then at the process: machine, moisture, theft.',
  reference: null,
  headline: (count: number, group: string): string =>
    `${counted(count, 'yield')}${group && ` of ${group}`} ${count === 1 ? 'is' : 'are'} unusual`,
} as const;

/** Outside the range that the process map expects. */
export const yieldRange: Rule<EventFacts> = {
  ...said,
  judge(event) {
    if (!event.yieldOutside || event.yield === null) return [];
    const { yieldMin: min, yieldMax: max } = event;
    return [
      aboutEvent('YIELD_OUTLIER', 'medium', event, {
        key: 'range',
        title: `The yield of ${calling(event)} is ${percent(event.yield)}`,
        detail: `${percent(event.yield)} of the input became the main product; the process map expects ${percent(min ?? 0)} to ${percent(max ?? 1)}.`,
        evidence: { yield: event.yield },
        threshold: { yieldMin: min, yieldMax: max },
      }),
    ];
  },
};

/**
 * Unlike the other yields of its process: modified z-score |0.6745 (y - median) / MAD| (Iglewicz and Hoaglin), which a few bad values
 * do not shift. Where more than half of the yields are equal the MAD is zero and nothing can be told.
 */
export const yieldScore: Rule<YieldFacts> = {
  ...said,
  judge(process, { thresholds }) {
    const { events } = process;
    if (events.length < thresholds.yieldEvents) return [];
    const middle = median(events.map((event) => event.yield));
    const spread = median(events.map((event) => Math.abs(event.yield - middle)));
    if (spread === 0) return [];
    return events.flatMap((event): Finding[] => {
      const score = (0.6745 * (event.yield - middle)) / spread;
      // One outside the expected range has that alert.
      if (event.yieldOutside || Math.abs(score) <= thresholds.yieldScore) return [];
      const name = `${process.label} (${event.outputTlc ?? event.id})`;
      return [
        {
          type: 'YIELD_OUTLIER',
          severity: 'medium',
          subject: { kind: 'event', id: event.id, tokenId: null, tlc: event.outputTlc },
          key: 'score',
          title: `The yield of ${name} is unlike the others`,
          detail: `${percent(event.yield)}, where the middle one of ${events.length} is ${percent(middle)}: a score of ${score.toFixed(2)}.`,
          evidence: { yield: event.yield, median: six(middle), mad: six(spread), score: six(score), n: events.length },
          threshold: { yieldScore: thresholds.yieldScore, yieldEvents: thresholds.yieldEvents },
          group: process.label,
          processType: process.processType,
          orgIds: event.orgIds,
        },
      ];
    });
  },
};

const six = (value: number): number => Math.round(value * 1e6) / 1e6;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
