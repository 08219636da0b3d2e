import type { TrendPeriodView, TrendsReportView } from '#client';
import { Columns } from '../../charts/columns';
import { Empty, Facts, Section, Table } from '../../parts/basics';
import { showDay, showMonth, showNumber, showShare } from '../../state/format';
import { phrase, t, translated } from '../../state/language';
import { search } from '../../state/router';
import { Report } from './report';

const INTERVALS = [
  ['month', phrase('By month')],
  ['week', phrase('By week')],
  ['day', phrase('By day')],
] as const;

export default function TrendsPage() {
  const interval = {
    label: t('Interval'),
    of: INTERVALS.slice(1).map(([key, name]) => [key, translated(name)] as const),
    none: translated(INTERVALS[0][1]),
  };
  return (
    <Report
      operation="GET /api/v1/reports/trends"
      about={t('What was recorded, moved and recalled in the period, the newest {count} intervals.', { count: 100 })}
      filters={{ interval }}
    >
      {(report) => <Trends of={report} />}
    </Report>
  );
}

const kg = (value: number): string => `${showNumber(value)} kg`;

function Trends({ of: { summary, periods } }: { readonly of: TrendsReportView }) {
  if (periods.length === 0) return <Empty>{t('Nothing was recorded in this period. Choose another period.')}</Empty>;
  const interval = new URLSearchParams(search.value).get('interval');
  const nameOf = ({ start }: Started): string => (!interval ? showMonth(start) : showDay(start));
  return (
    <>
      <Section title={t('Summary')}>
        <Facts
          of={[
            [t('Events'), showNumber(summary.events)],
            [t('Lots'), showNumber(summary.lots)],
            [t('Quantity recorded'), kg(summary.recordedKg)],
            [t('Events without known mass'), showNumber(summary.unweighedEvents)],
            [t('Yield'), showShare(summary.yield)],
            [t('Transfers'), showNumber(summary.transfers)],
            [t('Recalls'), showNumber(summary.recalls)],
          ]}
        />
      </Section>
      <Charts of={withoutGaps(periods, interval)} nameOf={nameOf} />
      <Section title={t('Figures')}>
        <Table
          caption={t('Figures of each interval')}
          rows={periods}
          keyOf={({ start }) => start}
          columns={[
            { name: t('Interval'), show: nameOf },
            { name: t('Events'), number: true, show: ({ events }) => showNumber(events) },
            { name: t('Lots'), number: true, show: ({ lots }) => showNumber(lots) },
            { name: t('Quantity recorded'), number: true, show: ({ recordedKg }) => kg(recordedKg) },
            { name: t('Yield'), number: true, show: (row) => showShare(row.yield) },
            { name: t('Transfers'), number: true, show: ({ transfers }) => showNumber(transfers) },
            { name: t('Rejected'), number: true, show: ({ rejectedTransfers }) => showNumber(rejectedTransfers) },
            { name: t('Recalls'), number: true, show: ({ recalls }) => showNumber(recalls) },
            { name: t('Recalled lots'), number: true, show: ({ recalledLots }) => showNumber(recalledLots) },
          ]}
        />
      </Section>
    </>
  );
}

type Started = Pick<TrendPeriodView, 'start'>;
/** An interval without a row: nothing happened. */
type Interval = Started & Partial<TrendPeriodView>;

/** A chart of more columns could not be read. */
const MOST_COLUMNS = 120;

/** The newest intervals up to the last one in which something happened, the oldest first. */
function withoutGaps(periods: readonly TrendPeriodView[], interval: string | null): readonly Interval[] {
  const known = new Map(periods.map((period) => [period.start, period]));
  const oldest = periods.at(-1)!.start;
  const all: Interval[] = [];
  for (let { start } = periods[0]!; start >= oldest && all.length < MOST_COLUMNS; start = startBefore(start, interval))
    all.unshift(known.get(start) ?? { start });
  return all;
}

function startBefore(start: string, interval: string | null): string {
  const date = new Date(`${start}T00:00:00Z`);
  if (interval === null || interval === '') date.setUTCMonth(date.getUTCMonth() - 1);
  else date.setUTCDate(date.getUTCDate() - (interval === 'week' ? 7 : 1));
  return date.toISOString().slice(0, 10);
}

interface Charted {
  /** The oldest first. */
  readonly of: readonly Interval[];
  readonly nameOf: (period: Started) => string;
}

function Charts({ of, nameOf }: Charted) {
  const labels = of.map(nameOf);
  return (
    <Section title={t('Over time')}>
      <div class="charts">
        <Columns
          caption={t('Quantity recorded')}
          labels={labels}
          series={[{ name: t('Quantity recorded'), values: of.map(({ recordedKg = 0 }) => recordedKg) }]}
          amountOf={kg}
        />
        <Columns
          caption={t('Yield')}
          labels={labels}
          series={[{ name: t('Yield'), values: of.map((row) => row.yield ?? null) }]}
          amountOf={(value) => showShare(value)}
        />
        <Columns
          caption={t('Transfers')}
          labels={labels}
          series={[
            { name: t('Completed'), values: of.map(({ transfers = 0 }) => transfers) },
            { name: t('Rejected'), values: of.map(({ rejectedTransfers = 0 }) => rejectedTransfers) },
          ]}
          amountOf={showNumber}
        />
        <Columns
          caption={t('Recalls')}
          labels={labels}
          series={[{ name: t('Recalls'), values: of.map(({ recalls = 0 }) => recalls) }]}
          amountOf={showNumber}
        />
      </div>
    </Section>
  );
}
