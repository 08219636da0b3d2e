import type { ProcessYieldView, YieldReportView } from '#client';
import { Bars } from '../../parts/bars';
import { Empty, Facts, Section, Table } from '../../parts/basics';
import { showMonth, showNumber, showShare, words } from '../../state/format';
import { useProcessNames } from '../../state/process-names';
import { MassFlow } from './mass-flow';
import { Report } from './report';
import { t } from '../../state/language';

export default function YieldPage() {
  return (
    <Report operation="GET /api/v1/reports/yield" about={t('Outputs compared with inputs, by process, for events of the period.')}>
      {(report) => <Yield of={report} />}
    </Report>
  );
}

const kg = (value: number): string => `${showNumber(value)} kg`;

function Yield({ of }: { readonly of: YieldReportView }) {
  const { summary, processes, chains } = of;
  const nameOf = useProcessNames();
  if (processes.length === 0)
    return <Empty>{t('No transformations in this period. Choose another period, or record a transformation.')}</Empty>;
  return (
    <>
      <Section title={t('Summary')}>
        <Facts
          of={[
            [t('Processes'), showNumber(summary.processes)],
            [t('Measured events'), showNumber(summary.n)],
            [t('Events without known mass'), showNumber(summary.unmeasured)],
            [t('Outliers'), showNumber(summary.outlierCount)],
            [t('Finished goods per raw material'), showShare(summary.finishedPerRaw)],
          ]}
        />
      </Section>
      <Section title={t('By process')}>
        <Table
          caption={t('Yield by process')}
          rows={processes}
          keyOf={({ processType }) => processType ?? ''}
          columns={[
            { name: t('Process'), show: ({ label, processType }) => label ?? words(processType) },
            { name: t('Events'), number: true, show: ({ n, unmeasured }) => showNumber(n + unmeasured) },
            { name: t('Input'), number: true, show: ({ inputKg }) => kg(inputKg) },
            { name: t('Main output'), number: true, show: ({ mainOutputKg }) => kg(mainOutputKg) },
            { name: t('By-products'), number: true, show: ({ coProductKg }) => kg(coProductKg) },
            { name: t('Declared loss'), number: true, show: ({ declaredLossKg }) => kg(declaredLossKg) },
            { name: t('Unexplained'), number: true, show: ({ gapRatio }) => showShare(gapRatio) },
            { name: t('Yield'), number: true, show: (row) => <strong>{showShare(row.yield)}</strong> },
            { name: t('Expected'), show: (row) => <Spread of={row} /> },
          ]}
        />
      </Section>
      <MassFlow of={of} processName={nameOf} />
      {chains.length > 0 && (
        <Section title={t('Process chains')}>
          <Table
            caption={t('Process chains')}
            rows={chains}
            keyOf={({ route }) => route.join()}
            columns={[
              { name: t('Process chain'), show: ({ route }) => route.map(nameOf).join(' → ') },
              { name: t('Throughput'), number: true, show: ({ throughKg }) => kg(throughKg) },
              { name: t('Chain yield'), number: true, show: ({ rolledYield }) => <strong>{showShare(rolledYield)}</strong> },
            ]}
          />
        </Section>
      )}
      <Months of={processes} />
    </>
  );
}

/** The range that the map expects, and where the events are in it. The picture repeats the text. */
function Spread({ of: { distribution, expected } }: { readonly of: ProcessYieldView }) {
  const { min, max, p10, p90, median } = distribution;
  const most = Math.max(1, expected?.max ?? 0, max ?? 0);
  const at = (share: number): number => (share / most) * 120;
  return (
    <div>
      {expected ? t('{from} to {to}', { from: showShare(expected.min), to: showShare(expected.max) }) : t('nothing')}
      <svg class="plot" viewBox="0 0 120 12" aria-hidden="true">
        {expected && <line class="range" x1={at(expected.min)} x2={at(expected.max)} y1="6" y2="6" />}
        {p10 !== null && p90 !== null && p10 < p90 && <line class="box" x1={at(p10)} x2={at(p90)} y1="6" y2="6" />}
        {min !== null && <circle class="mark" cx={at(min)} cy="6" r="1.5" />}
        {max !== null && <circle class="mark" cx={at(max)} cy="6" r="1.5" />}
        {median !== null && <rect class="mark" x={at(median) - 1} y="0" width="2" height="12" />}
      </svg>
    </div>
  );
}

function Months({ of }: { readonly of: readonly ProcessYieldView[] }) {
  return (
    <Section title={t('By month')}>
      <div class="charts">
        {of.map(({ processType, label, byMonth }) => (
          <Bars
            key={processType}
            caption={t('{process}: yield', { process: label ?? words(processType) })}
            unit=""
            amountOf={showShare}
            ordered
            name={showMonth}
            values={Object.fromEntries(byMonth.flatMap((month) => (month.yield === null ? [] : [[month.month, month.yield]])))}
          />
        ))}
      </div>
    </Section>
  );
}
