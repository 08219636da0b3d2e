import { atPointer } from '#kernel';
import { mapOf } from './circumstances.js';
import { aboutEvent, calling, nameOf } from './event-finding.js';
import type { EventFacts } from './facts.js';
import type { Rule } from './rule.js';
import { be, counted, have, listed } from './words.js';

/** One alert for each level, so that what is required does not hide behind what is recommended. */
export const kdeMissing: Rule<EventFacts> = {
  type: 'KDE_MISSING',
  recommendation: 'Supersede the event with the missing data; each is named with the paragraph that asks for it.',
  reference: '21 CFR 1.1325',
  headline: (count, group) => `${counted(count, 'event')}${group && ` of ${group}`} ${have(count)} key data missing`,
  judge(event, at) {
    const kdes = mapOf(at, event)?.processes.get(event.processType ?? '')?.kdes ?? [];
    return (['required', 'recommended'] as const).flatMap((level) => {
      const missing = kdes.filter((kde) => kde.level === level && !isPresent(atPointer(event.metadata, kde.path)));
      if (missing.length === 0) return [];
      return [
        aboutEvent('KDE_MISSING', level === 'required' ? 'high' : 'low', event, {
          key: level,
          title: `${counted(missing.length, `${level} key data element`)} of ${calling(event)} ${be(missing.length)} missing`,
          detail: `${nameOf(event)} has no ${listed(missing.map(({ name, ref }) => (ref === null ? name : `${name} (${ref})`)))}.`,
          evidence: { missing: missing.map(({ path }) => path) },
          threshold: { level },
        }),
      ];
    });
  },
};

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
