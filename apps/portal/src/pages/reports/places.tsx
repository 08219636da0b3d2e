import { useMemo, useState } from 'preact/hooks';
import type { PlacesReportView } from '#client';
import { PlaceList } from '../../map/place-list';
import { type Mark, WorldMap } from '../../map/world-map';
import { Empty, Facts, Section } from '../../parts/basics';
import { showNumber } from '../../state/format';
import { t } from '../../state/language';
import { useProcessNames } from '../../state/process-names';
import { Report } from './report';

const ROWS = 500;

export default function PlacesPage() {
  return (
    <Report
      operation="GET /api/v1/reports/places"
      about={t('Sites of organisations, plots of land and other places that events of the period state.')}
      rows={ROWS}
    >
      {(report) => <Places of={report} />}
    </Report>
  );
}

type Row = PlacesReportView['places'][number];

const rowOf = ({ placeKey, kind, name, position, geometry, ...place }: Row, index: number) => ({
  ...place,
  key: `${kind} ${placeKey}`,
  kind: kind as Mark['kind'],
  number: index + 1,
  name: name ?? placeKey,
  at: position as Mark['at'] | null,
  geometry: geometry ?? undefined,
});

function Places({ of: { summary, places } }: { readonly of: PlacesReportView }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const marks = useMemo(() => places.map(rowOf).flatMap(({ at, key, ...row }) => (at === null ? [] : [{ ...row, id: key, at }])), [places]);
  // Hundreds of rows are the same while the map moves.
  const list = useMemo(() => <List of={places} onChoose={setChosen} />, [places]);
  if (places.length === 0) return <Empty>{t('No places. Add sites to your organisations, or record events with a place.')}</Empty>;
  return (
    <>
      <Section title={t('Map')}>
        <WorldMap label={t('Sites and plots')} marks={marks} chosen={chosen} />
        {summary.incomplete && (
          <p class="notice">
            {t('From the newest {count} events. Choose a shorter period for the others.', { count: summary.eventsRead })}
          </p>
        )}
        <Facts
          of={[
            [t('Sites'), showNumber(summary.sites)],
            [t('Plots of land'), showNumber(summary.plots)],
            [t('Other places'), showNumber(summary.others)],
            [t('Without a position'), showNumber(summary.withoutPosition)],
          ]}
        />
      </Section>
      {list}
    </>
  );
}

function List({ of, onChoose }: { readonly of: readonly Row[]; readonly onChoose: (key: string) => void }) {
  const nameOf = useProcessNames();
  const rows = of.map(rowOf).map((row) => ({
    ...row,
    happened: row.processTypes.map(nameOf),
    since: row.firstAt,
    until: row.lastAt,
    note: row.organisations.join(', '),
  }));
  return (
    <Section title={t('Places')}>
      <PlaceList caption={t('Places')} rows={rows} noteName={t('Organisations')} onChoose={onChoose} />
    </Section>
  );
}
