import type { DrillView } from '#client';
import './acting.css';
import { Action } from '../parts/action';
import { Bars } from '../parts/bars';
import { Empty, Facts, Link, LotLink, Section, Show, Table } from '../parts/basics';
import { showNumber, showTime, words } from '../state/format';
import { useLoad } from '../state/load';
import { save } from '../state/save';
import { api } from '../state/session';
import { People } from './recall/people';
import { phrase, t, translated } from '../state/language';

/** The report of a mock recall, as docs/spec/domain.md#recall has it. */
interface Report {
  readonly traceBack: Traced;
  readonly traceForward: Traced;
  readonly massBalance: Readonly<Record<string, number | null>>;
  readonly kde: {
    readonly events: number;
    readonly complete: number;
    readonly missing: readonly { readonly eventId: string; readonly processType: string | null; readonly missing: readonly string[] }[];
  };
  readonly custodians: { readonly total: number; readonly unreachable: readonly string[] };
  readonly estimatedUnits: number | null;
  readonly elapsedMs: number;
  readonly parts: Readonly<Record<string, number | null>>;
}

interface Traced {
  readonly lots: number;
  readonly depth: number;
  readonly truncated: boolean;
}

const PARTS: Readonly<Record<string, string>> = {
  traceBack: phrase('Traceback complete'),
  traceForward: phrase('Trace forward complete'),
  massBalance: phrase('Mass accounted for'),
  kde: phrase('Key data complete'),
  custodians: phrase('Holders known by name'),
  time: phrase('Computed within four hours'),
};

export default function DrillPage({ id }: { readonly id: string }) {
  const at = `/api/v1/recall/drills/${id}`;
  const drill = useLoad(at, () => api().get<DrillView>(at));
  return (
    <>
      <p>
        <Link to="/recalls">{t('All recalls and drills')}</Link>
      </p>
      <Show what={drill}>{(shown) => <Shown drill={shown} />}</Show>
    </>
  );
}

function Shown({ drill }: { readonly drill: DrillView }) {
  const report = drill.report as unknown as Report;
  const { parts, traceBack, traceForward, massBalance, kde, custodians, estimatedUnits, elapsedMs } = report;
  const judged = Object.entries(parts).flatMap(([part, value]) =>
    value === null ? [] : [[translated(PARTS[part] ?? part), value * 100] as const],
  );
  const unjudged = Object.entries(parts).flatMap(([part, value]) => (value === null ? [translated(PARTS[part] ?? part)] : []));
  return (
    <>
      <h1>{t('Drill on {lot}', { lot: drill.tlc })}</h1>
      <Section title={t('Result')} aside={<Action label={t('Download as CSV')} run={() => download(drill.id)} />}>
        <Facts
          of={[
            [t('Score'), `${showNumber(drill.score)} of 100`],
            [t('Lot'), <LotLink id={drill.tokenId}>{drill.tlc}</LotLink>],
            [t('Chosen'), drill.drawn ? t('At random') : t('By code')],
            [t('Run'), showTime(drill.startedAt)],
            [t('Computed in'), `${showNumber(elapsedMs / 1000)} s`],
            [t('Units in the market'), showNumber(estimatedUnits)],
            [t('Upstream lots'), traced(traceBack)],
            [t('Downstream lots'), traced(traceForward)],
            [t('Holders'), showNumber(custodians.total)],
          ]}
        />
      </Section>
      {drill.asks && <People drill={drill} />}
      <Section title={t('Completeness')}>
        <Bars caption={t('Parts of the score')} unit="%" values={Object.fromEntries(judged)} />
        {unjudged.length > 0 && <p class="hint">{t('Not measurable and not counted: {parts}', { parts: unjudged.join(', ') })}</p>}
      </Section>
      <Section title={t('Mass')}>
        <Facts of={Object.entries(massBalance).map(([name, value]) => [words(name.replace(/Kg$|Percent$/, '')), withUnit(name, value)])} />
      </Section>
      <Section title={t('Missing key data')}>
        {kde.missing.length === 0 ? (
          <Empty>
            {kde.events === 0
              ? t('No event requires key data.')
              : t('All {count} events have the required key data.', { count: kde.events })}
          </Empty>
        ) : (
          <Table
            caption={t('Events with missing key data')}
            rows={kde.missing}
            keyOf={({ eventId }) => eventId}
            columns={[
              { name: t('Process'), show: ({ processType }) => words(processType) },
              { name: t('Missing'), show: ({ missing }) => missing.join(', ') },
              { name: t('Event'), show: ({ eventId }) => <code>{eventId}</code> },
            ]}
          />
        )}
      </Section>
      {custodians.unreachable.length > 0 && (
        <Section title={t('Unknown holders')}>
          <ul>
            {custodians.unreachable.map((address) => (
              <li key={address}>
                <code>{address}</code>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

const traced = ({ lots, depth, truncated }: Traced): string =>
  truncated ? t('at least {lots} lots, {depth} levels', { lots, depth }) : t('{lots} lots, {depth} levels', { lots, depth });

const withUnit = (name: string, value: number | null): string =>
  `${showNumber(value)}${value === null ? '' : name.endsWith('Kg') ? ' kg' : name.endsWith('Percent') ? ' %' : ''}`;

async function download(id: string): Promise<void> {
  save(await api().download(`/api/v1/recall/drills/${id}?format=csv`), `recall-drill-${id}.csv`);
}
