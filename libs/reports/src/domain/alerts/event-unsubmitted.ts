import { eventSubject } from './alert.js';
import { calling } from './event-finding.js';
import type { PreparedFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, duration, have, secondsBetween } from './words.js';

export const eventUnsubmitted: Rule<PreparedFacts> = {
  type: 'EVENT_UNSUBMITTED',
  recommendation: 'Sign and send its transaction, or withdraw the event.',
  reference: null,
  headline: (count, group) => `${counted(count, 'prepared event')}${group && ` of ${group}`} ${have(count)} not been sent`,
  judge(event, { now, thresholds }) {
    const waiting = secondsBetween(event.preparedAt, now);
    if (waiting <= thresholds.unsubmittedAfterSeconds) return [];
    return [
      {
        type: 'EVENT_UNSUBMITTED',
        severity: 'low',
        subject: eventSubject(event),
        key: '',
        title: `${calling(event)} was prepared and not sent`,
        detail: `It was prepared ${duration(waiting)} ago and has not landed${event.expiresAt ? `; the preparation ends at ${event.expiresAt.toISOString()}` : ''}.`,
        evidence: { preparedAt: event.preparedAt.toISOString(), expiresAt: event.expiresAt?.toISOString() ?? null },
        threshold: { unsubmittedAfterSeconds: thresholds.unsubmittedAfterSeconds },
        group: event.processLabel ?? '',
        processType: event.processType,
        orgIds: event.orgIds,
      },
    ];
  },
};
