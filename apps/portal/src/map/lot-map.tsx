import { useMemo, useState } from 'preact/hooks';
import { ApiProblem, type EventView, type ListPage, type OrganisationView, listAll, nextPagePath } from '#client';
import { Empty, Section, Show, Table } from '../parts/basics';
import { showDay, showNumber } from '../state/format';
import { t } from '../state/language';
import { useLoad } from '../state/load';
import { api } from '../state/session';
import { type Holder, type LotMove, type LotPlace, wayOf, withHolders } from './lot-places';
import { PlaceList } from './place-list';
import { type Mark, WorldMap } from './world-map';
import { useWorld } from './world';

const PAGE = 100;
const NOBODY: readonly Holder[] = [];
const MOST_EVENTS = 500;

interface TreeEvents {
  readonly events: readonly EventView[];
  readonly total: number;
  /** The lot alone: its tree has too many lots. */
  readonly alone: boolean;
}

/** The newest events of a lot, of what it was made from, and of what became of it. */
async function treeEvents(tokenId: number): Promise<TreeEvents> {
  const read = async (tree: boolean): Promise<TreeEvents> => {
    const events: EventView[] = [];
    let path: string | null = `/api/v1/nfts/${tokenId}/events?limit=${PAGE}${tree ? '&tree=true' : ''}`;
    let total = 0;
    while (path !== null && events.length < MOST_EVENTS) {
      const page: ListPage<EventView> = await api().get<ListPage<EventView>>(path);
      events.push(...page.data);
      total = page.total;
      path = nextPagePath(path, page);
    }
    return { events, total: path === null ? events.length : total, alone: !tree };
  };
  return read(true).catch((problem: unknown) => {
    if (problem instanceof ApiProblem && problem.code === 'tree_incomplete') return read(false);
    throw problem;
  });
}

async function allOrganisations(): Promise<readonly OrganisationView[]> {
  const all: OrganisationView[] = [];
  for await (const one of listAll<OrganisationView>(api(), '/api/v1/organisations?limit=100')) all.push(one);
  return all;
}

/**
 * Where a lot came from and where it went: a map and a list of its places.
 * @param holders who has goods of it now; for a recall
 */
export default function LotMap({ tokenId, holders = NOBODY }: { readonly tokenId: number; readonly holders?: readonly Holder[] }) {
  const loaded = useLoad(`way of ${tokenId}`, () => Promise.all([treeEvents(tokenId), allOrganisations()]));
  return (
    <Section title={t('Map')}>
      <Show what={loaded}>{([tree, organisations]) => <Way tree={tree} organisations={organisations} holders={holders} />}</Show>
    </Section>
  );
}

function Way({
  tree,
  organisations,
  holders,
}: {
  readonly tree: TreeEvents;
  readonly organisations: readonly OrganisationView[];
  readonly holders: readonly Holder[];
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  const middles = useWorld()?.middles;
  const { rows, marks, moves } = useMemo(() => {
    const way = wayOf(tree.events, { organisations, middles: middles ?? {} });
    const places = withHolders(way.places, holders, middles ?? {});
    const numbered = places.map((place, index) => ({ ...place, number: index + 1, kind: kindOf(place) }));
    return { rows: numbered, marks: marksOf(numbered), moves: way.moves };
  }, [tree, organisations, middles, holders]);
  const list = useMemo(() => <Lists rows={rows} moves={moves} hasHolders={holders.length > 0} onChoose={setChosen} />, [rows]);
  if (rows.length === 0) return <Empty>{t('No event of this lot says where it happened.')}</Empty>;
  return (
    <>
      <WorldMap label={t('Places of this lot and the way of the goods')} marks={marks} moves={moves} chosen={chosen} />
      {tree.alone && <p class="notice">{t('This lot has too many relatives: the map has its own events only.')}</p>}
      {tree.events.length < tree.total && (
        <p class="notice">{t('From the newest {read} of {all} events.', { read: tree.events.length, all: tree.total })}</p>
      )}
      {list}
    </>
  );
}

type NumberedPlace = LotPlace & { readonly number: number; readonly kind: Mark['kind'] };

const marksOf = (rows: readonly NumberedPlace[]): readonly Mark[] =>
  rows.flatMap(({ key, at, ...row }) => (at === null ? [] : [{ ...row, id: key, at }]));

function Lists({
  rows,
  moves,
  hasHolders,
  onChoose,
}: {
  readonly rows: readonly NumberedPlace[];
  readonly moves: readonly LotMove[];
  readonly hasHolders: boolean;
  readonly onChoose: (key: string) => void;
}) {
  return (
    <>
      <PlaceList
        caption={t('Places of this lot')}
        rows={rows.map((row) => ({ ...row, happened: row.processes, since: row.firstAt, until: row.lastAt, note: row.holds }))}
        noteName={hasHolders ? t('Holds now') : null}
        onChoose={onChoose}
      />
      {moves.length > 0 && <Moves of={moves} places={rows} />}
    </>
  );
}

const kindOf = ({ holds, plots }: LotPlace): Mark['kind'] => (holds !== null ? 'holder' : plots.length > 0 ? 'plot' : 'place');

function Moves({ of, places }: { readonly of: readonly LotMove[]; readonly places: readonly (LotPlace & { readonly number: number })[] }) {
  const named = (key: string): string => {
    const place = places.find((one) => one.key === key)!;
    return `${place.number} ${place.name}`;
  };
  return (
    <details>
      <summary>{t('Ways of the goods')}</summary>
      <Table
        caption={t('Ways of the goods')}
        rows={of}
        keyOf={({ from, to }) => `${from}>${to}`}
        columns={[
          { name: t('From'), show: ({ from }) => named(from) },
          { name: t('To'), show: ({ to }) => named(to) },
          { name: t('Since'), show: ({ firstAt }) => showDay(firstAt) },
          { name: t('Lots'), number: true, show: ({ lots }) => showNumber(lots) },
        ]}
      />
    </details>
  );
}
