import type { ProcessYieldView, YieldReportView } from '#client';
import { Sankey } from '../../charts/sankey';
import { Section, Table } from '../../parts/basics';
import { showNumber } from '../../state/format';
import { type Phrase, phrase, t, translated } from '../../state/language';
import type { Flow } from '../../charts/sankey-layout';

/** Ends of the flows that are no process. */
const ENDS: Readonly<Record<string, Phrase>> = {
  '(source)': phrase('Other sources'),
  '(rest)': phrase('In stock or delivered'),
  '(loss)': phrase('Declared loss'),
  '(gap)': phrase('Unexplained'),
};

/** What each process took from another, and what became of the rest. */
function flowsOf({ flows, processes }: YieldReportView): readonly Flow[] {
  const drawn = flows.map(({ from, to, kg }) => ({ from: from ?? '(source)', to, value: kg }));
  return [...drawn, ...processes.flatMap((row) => restOf(row, drawn))].filter(({ value }) => value > 0);
}

function restOf(
  { processType, mainOutputKg, coProductKg, declaredLossKg, gapKg }: ProcessYieldView,
  drawn: readonly Flow[],
): readonly Flow[] {
  if (processType === null) return [];
  const used = drawn.filter(({ from }) => from === processType).reduce((sum, { value }) => sum + value, 0);
  return [
    { from: processType, to: '(rest)', value: mainOutputKg + coProductKg - used },
    { from: processType, to: '(loss)', value: declaredLossKg },
    { from: processType, to: '(gap)', value: gapKg },
  ];
}

const kg = (value: number): string => `${showNumber(Math.round(value * 1_000) / 1_000)} kg`;

export function MassFlow({ of, processName }: { readonly of: YieldReportView; readonly processName: (processType: string) => string }) {
  const flows = flowsOf(of);
  if (flows.length === 0) return null;
  const labels = new Map(of.processes.map(({ processType, label }) => [processType, label]));
  const nameOf = (key: string): string => (ENDS[key] ? translated(ENDS[key]) : (labels.get(key) ?? processName(key)));
  return (
    <Section title={t('Mass flow')}>
      <p class="hint">
        {t('From process to process, in measured events of the period. What is used again and again is in the table only.')}
      </p>
      <Sankey label={t('Mass flow')} flows={flows} nameOf={nameOf} amountOf={kg} />
      <details>
        <summary>{t('Mass flow as a table')}</summary>
        <Table
          caption={t('Mass flow')}
          rows={flows}
          keyOf={({ from, to }) => `${from}>${to}`}
          columns={[
            { name: t('From'), show: ({ from }) => nameOf(from) },
            { name: t('To'), show: ({ to }) => nameOf(to) },
            { name: t('Mass'), number: true, show: ({ value }) => kg(value) },
          ]}
        />
      </details>
    </Section>
  );
}
