import type { EventDraft } from './draft.js';
import { OF_ONE_EVENT } from './draft.js';
import { type Filled, filledOf } from './filled.js';
import { type Process, beginning } from './process.js';

/** The last event of a process, as far as its values may be used again. */
export interface LastEvent {
  readonly eventTime: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
const two = (value: number): string => String(value).padStart(2, '0');
const dayOf = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** The values of the last event for one that happens now: its days keep their distance to it, what belonged to it alone is left out. */
export function sameAgain(process: Process, draft: EventDraft, last: LastEvent, now: Date): EventDraft {
  const then = last.eventTime === null ? now : new Date(last.eventTime);
  const days = Math.round((Date.parse(dayOf(now)) - Date.parse(dayOf(then))) / DAY_MS);
  const metadata = Object.fromEntries(
    Object.entries(last.metadata ?? {}).filter(([key]) => key !== 'inputs' && !key.startsWith('eventTime') && !OF_ONE_EVENT.includes(key)),
  );
  const filled = filledOf(process.shape, moved(metadata, days)) as Readonly<Record<string, Filled>>;
  return { ...draft, filled: { ...(beginning(process, now) as Readonly<Record<string, Filled>>), ...filled } };
}

function moved(value: unknown, days: number): unknown {
  if (typeof value === 'string' && DAY.test(value)) return new Date(Date.parse(value) + days * DAY_MS).toISOString().slice(0, 10);
  if (Array.isArray(value)) return value.map((item) => moved(item, days));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, moved(part, days)]));
}
