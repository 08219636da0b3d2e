import { newestMap } from './circumstances.js';
import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts } from './facts.js';
import type { Rule } from './rule.js';
import { be, counted, duration, secondsBetween } from './words.js';

export const eventLate: Rule<EventFacts> = {
  type: 'EVENT_LATE',
  recommendation: 'Record events when they happen: late ones are missing when a recall is traced.',
  reference: '21 CFR 1.1455',
  headline: (count, group) => `${counted(count, 'event')}${group && ` of ${group}`} ${be(count)} recorded late`,
  judge(event, at) {
    if (event.eventTime === null) return [];
    const after = newestMap(at, event.mapName)?.lateAfterSeconds ?? at.thresholds.lateAfterSeconds;
    const delay = secondsBetween(event.eventTime, event.recordTime);
    if (delay <= after) return [];
    return [
      aboutEvent('EVENT_LATE', 'low', event, {
        title: `${calling(event)} was recorded ${duration(delay)} late`,
        detail: `It happened at ${event.eventTime.toISOString()} and was recorded at ${event.recordTime.toISOString()}; the limit is ${duration(after)}.`,
        evidence: { eventTime: event.eventTime.toISOString(), recordTime: event.recordTime.toISOString(), delaySeconds: delay },
        threshold: { lateAfterSeconds: after },
      }),
    ];
  },
};
