import type { EventView } from '#client';
import { Empty, Facts, Section } from '../../parts/basics';
import { showNumber, showTime, words } from '../../state/format';
import { type Leaf, type Scalar, leavesOf } from './leaves';
import { t } from '../../state/language';

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

export const nameOfPath = (path: Leaf['path']): string =>
  path.map((part) => (typeof part === 'number' ? String(part + 1) : words(part))).join(' · ');

const shown = (value: Scalar): string =>
  value === null
    ? t('not known')
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : typeof value === 'number'
        ? showNumber(value)
        : INSTANT.test(value)
          ? showTime(value)
          : value;

/** What the event says, value by value, as far as the reader may see it. */
export function Content({ event }: { readonly event: EventView }) {
  const leaves = leavesOf(event.metadata).filter(({ path }) => !APART.has(String(path[0])));
  return (
    <Section title={t('Content')}>
      {leaves.length === 0 ? (
        <Empty>{event.metadata === null ? t('You may not read the content of this event.') : t('Nothing more is stated.')}</Empty>
      ) : (
        <Facts of={leaves.map(({ path, value }) => [nameOfPath(path), shown(value)] as const)} />
      )}
    </Section>
  );
}

/** Shown on their own. */
const APART = new Set(['location', 'eventTime', 'eventTimeZoneOffset', 'documents', 'inputs']);
