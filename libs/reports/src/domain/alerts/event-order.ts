import type { Finding } from './alert.js';
import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts } from './facts.js';
import type { Rule } from './rule.js';
import { be, counted, duration, secondsBetween } from './words.js';

/** Before one of its inputs was made, or after it was recorded: one of the clocks is wrong. */
export const eventOrder: Rule<EventFacts> = {
  type: 'EVENT_ORDER',
  recommendation: 'Supersede the event with the right time.',
  reference: null,
  headline: (count, group) => `${counted(count, 'event')}${group && ` of ${group}`} ${be(count)} out of order`,
  judge(event, { thresholds }) {
    const { eventTime } = event;
    if (eventTime === null) return [];
    const findings: Finding[] = [];
    const [youngest] = event.inputs
      .filter((input) => input.madeAt !== null && input.madeAt > eventTime)
      .toSorted((a, b) => b.madeAt!.getTime() - a.madeAt!.getTime() || (a.tokenId < b.tokenId ? -1 : 1));
    if (youngest)
      findings.push(
        aboutEvent('EVENT_ORDER', 'medium', event, {
          key: 'input',
          title: `${calling(event)} is dated before its input was made`,
          detail: `It is dated ${eventTime.toISOString()}; ${youngest.tlc} was made at ${youngest.madeAt!.toISOString()}.`,
          evidence: {
            eventTime: eventTime.toISOString(),
            inputTokenId: Number(youngest.tokenId),
            inputTlc: youngest.tlc,
            inputMadeAt: youngest.madeAt!.toISOString(),
          },
          threshold: { inputMadeAt: youngest.madeAt!.toISOString() },
        }),
      );
    const ahead = secondsBetween(event.recordTime, eventTime);
    if (ahead > thresholds.futureSeconds)
      findings.push(
        aboutEvent('EVENT_ORDER', 'medium', event, {
          key: 'future',
          title: `${calling(event)} is dated after it was recorded`,
          detail: `It is dated ${eventTime.toISOString()}, ${duration(ahead)} after it was recorded.`,
          evidence: { eventTime: eventTime.toISOString(), recordTime: event.recordTime.toISOString(), aheadSeconds: ahead },
          threshold: { futureSeconds: thresholds.futureSeconds },
        }),
      );
    return findings;
  },
};
