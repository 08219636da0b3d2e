import { Table } from '../parts/basics';
import { countryName } from '../record/countries';
import { showDay, words } from '../state/format';
import { type Phrase, phrase, t, translated } from '../state/language';
import type { Mark } from './world-map';

export interface ListedPlace extends Pick<Mark, 'number' | 'name' | 'kind' | 'exact'> {
  readonly key: string;
  readonly country: string | null;
  readonly at: Mark['at'] | null;
  readonly plots?: readonly string[];
  readonly happened: readonly string[];
  readonly since: string | null;
  readonly until: string | null;
  readonly note?: string | null;
}

const KINDS: Readonly<Record<Mark['kind'], Phrase>> = {
  site: phrase('Site'),
  plot: phrase('Plot of land'),
  place: phrase('Place of events'),
  holder: phrase('Holds goods now'),
};

/** What a map shows, to read; each place can be shown on the map. */
export function PlaceList({
  caption,
  rows,
  noteName = null,
  onChoose,
}: {
  readonly caption: string;
  readonly rows: readonly ListedPlace[];
  /** Title of the column of notes; null for none. */
  readonly noteName?: string | null;
  readonly onChoose: (key: string) => void;
}) {
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        {
          name: t('Place'),
          show: ({ number, name, plots = [] }) => (
            <>
              {number} <strong>{name}</strong>
              {plots.length > 0 && plots[0] !== name && ` (${plots.join(', ')})`}
            </>
          ),
        },
        { name: t('Kind'), show: ({ kind }) => translated(KINDS[kind]) },
        ...(noteName === null ? [] : [{ name: noteName, show: ({ note }: ListedPlace) => note ?? '–' }]),
        { name: t('Position'), show: positionOf },
        { name: t('Processes'), show: ({ happened }) => happened.map(words).join(', ') || '–' },
        { name: t('When'), show: ({ since, until }) => periodOf(since, until) },
        {
          name: t('Map'),
          show: ({ key, number, name, at }) =>
            at === null ? (
              '–'
            ) : (
              <button type="button" aria-label={t('Show {place} on the map', { place: `${number} ${name}` })} onClick={() => onChoose(key)}>
                {t('Show')}
              </button>
            ),
        },
      ]}
    />
  );
}

const degrees = (value: number): string => value.toFixed(4);

function positionOf({ at, exact, country }: ListedPlace): string {
  const named = country === null ? null : (countryName(country) ?? country);
  if (at === null) return named ?? t('not known');
  if (exact) return [`${degrees(at[1])}, ${degrees(at[0])}`, named].filter(Boolean).join(', ');
  return t('{country}, exact position not known', { country: named ?? '–' });
}

function periodOf(since: string | null, until: string | null): string {
  const [first, last] = [showDay(since), showDay(until)];
  return first === last ? first : t('{first} to {last}', { first, last });
}
