import type { DataReferenceReportView } from '#client';
import { Empty, Facts, LotLink, Section, Status, Table } from '../../parts/basics';
import { shortHash, showNumber, showShare, showTime, words } from '../../state/format';
import { Report } from './report';

const KINDS: Readonly<Record<string, string>> = {
  cid: 'Content of events',
  dataHash: 'Data hashes on chain',
  tx: 'Transactions',
  nft: 'Lots in the contract',
  document: 'Documents',
  ext: 'External URLs',
};
const STATUSES = ['ok', 'mismatch', 'unresolved', 'not_checked'] as const;

export default function DataReferencePage() {
  return (
    <Report
      operation="GET /api/v1/reports/data-reference"
      about="Checks whether referenced content, transactions, lots and documents exist and match their hashes."
      filters={{
        kind: { label: 'Kind', of: Object.entries(KINDS) },
        status: { label: 'State', of: STATUSES.map((one) => [one, words(one)]) },
      }}
    >
      {(report) => <References of={report} />}
    </Report>
  );
}

function References({ of: { summary, pointers } }: { readonly of: DataReferenceReportView }) {
  return (
    <>
      <Section title="Summary">
        <Facts
          of={[
            ['Pointers', showNumber(summary.total)],
            ['Checked', showNumber(summary.checked)],
            ['Found', showShare(summary.resolvedRatio)],
            ['Match', showShare(summary.matchRatio)],
            ['Last complete check', showTime(summary.sweep.lapEndedAt)],
          ]}
        />
        <Table
          caption="By type"
          rows={Object.entries(summary.byKind)}
          keyOf={([kind]) => kind}
          columns={[
            { name: 'Kind', show: ([kind]) => KINDS[kind] ?? words(kind) },
            ...STATUSES.map((status) => ({
              name: words(status),
              number: true,
              show: ([, counts]: readonly [string, Readonly<Record<(typeof STATUSES)[number], number>>]) => showNumber(counts[status]),
            })),
          ]}
        />
      </Section>
      <Section title="Pointers">
        {pointers.length === 0 ? (
          <Empty>
            {summary.total === 0
              ? 'Nothing checked yet. The service checks all records in the background.'
              : 'No pointers match these filters. Remove one.'}
          </Empty>
        ) : (
          <Table
            caption="Pointers"
            rows={pointers}
            keyOf={({ pointerId }) => pointerId}
            columns={[
              { name: 'Kind', show: ({ kind }) => KINDS[kind] ?? words(kind) },
              {
                name: 'Of',
                show: ({ subject }) =>
                  subject.tokenId ? (
                    <LotLink id={subject.tokenId}>{subject.tlc ?? subject.tokenId}</LotLink>
                  ) : (
                    <span title={subject.id}>{subject.tlc ?? `${words(subject.kind)} ${shortHash(subject.id)}`}</span>
                  ),
              },
              { name: 'Pointer', show: ({ value }) => <code title={value}>{shortHash(value)}</code> },
              { name: 'Status', show: ({ status }) => <Status of={status} /> },
              { name: 'Result', show: ({ detail }) => <div class="details">{detail}</div> },
              { name: 'Checked', show: ({ checkedAt }) => showTime(checkedAt) },
            ]}
          />
        )}
      </Section>
    </>
  );
}
