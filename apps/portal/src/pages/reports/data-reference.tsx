import type { DataReferenceReportView } from '#client';
import { Empty, Facts, LotLink, Section, Status, Table } from '../../parts/basics';
import { shortHash, showNumber, showShare, showTime, words } from '../../state/format';
import { Report } from './report';
import { phrase, t, translated } from '../../state/language';

const KINDS: Readonly<Record<string, string>> = {
  cid: phrase('Content of events'),
  dataHash: phrase('Data hashes on chain'),
  tx: phrase('Transactions'),
  nft: phrase('Lots in the contract'),
  document: phrase('Documents'),
  ext: phrase('External URLs'),
};
const STATUSES = ['ok', 'mismatch', 'unresolved', 'not_checked'] as const;

export default function DataReferencePage() {
  return (
    <Report
      operation="GET /api/v1/reports/data-reference"
      about={t('Checks whether referenced content, transactions, lots and documents exist and match their hashes.')}
      filters={{
        kind: { label: t('Kind'), of: Object.entries(KINDS) },
        status: { label: t('State'), of: STATUSES.map((one) => [one, words(one)]) },
      }}
    >
      {(report) => <References of={report} />}
    </Report>
  );
}

function References({ of: { summary, pointers } }: { readonly of: DataReferenceReportView }) {
  return (
    <>
      <Section title={t('Summary')}>
        <Facts
          of={[
            [t('Pointers'), showNumber(summary.total)],
            [t('Checked'), showNumber(summary.checked)],
            [t('Found'), showShare(summary.resolvedRatio)],
            [t('Match'), showShare(summary.matchRatio)],
            [t('Last complete check'), showTime(summary.sweep.lapEndedAt)],
          ]}
        />
        <Table
          caption={t('By type')}
          rows={Object.entries(summary.byKind)}
          keyOf={([kind]) => kind}
          columns={[
            { name: t('Kind'), show: ([kind]) => translated(KINDS[kind] ?? words(kind)) },
            ...STATUSES.map((status) => ({
              name: words(status),
              number: true,
              show: ([, counts]: readonly [string, Readonly<Record<(typeof STATUSES)[number], number>>]) => showNumber(counts[status]),
            })),
          ]}
        />
      </Section>
      <Section title={t('Pointers')}>
        {pointers.length === 0 ? (
          <Empty>
            {summary.total === 0
              ? t('Nothing checked yet. The service checks all records in the background.')
              : t('No pointers match these filters. Remove one.')}
          </Empty>
        ) : (
          <Table
            caption={t('Pointers')}
            rows={pointers}
            keyOf={({ pointerId }) => pointerId}
            columns={[
              { name: t('Kind'), show: ({ kind }) => translated(KINDS[kind] ?? words(kind)) },
              {
                name: t('Of'),
                show: ({ subject }) =>
                  subject.tokenId ? (
                    <LotLink id={subject.tokenId}>{subject.tlc ?? subject.tokenId}</LotLink>
                  ) : (
                    <span title={subject.id}>{subject.tlc ?? `${words(subject.kind)} ${shortHash(subject.id)}`}</span>
                  ),
              },
              { name: t('Pointer'), show: ({ value }) => <code title={value}>{shortHash(value)}</code> },
              { name: t('Status'), show: ({ status }) => <Status of={status} /> },
              { name: t('Result'), show: ({ detail }) => <div class="details">{detail}</div> },
              { name: t('Checked'), show: ({ checkedAt }) => showTime(checkedAt) },
            ]}
          />
        )}
      </Section>
    </>
  );
}
