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
  ext: 'Addresses elsewhere',
};
const STATUSES = ['ok', 'mismatch', 'unresolved', 'not_checked'] as const;

export default function DataReferencePage() {
  return (
    <Report
      operation="GET /api/v1/reports/data-reference"
      about="Whether what records point to is there, and is what they say: content, chain, documents."
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
      <Section title="In all">
        <Facts
          of={[
            ['Pointers', showNumber(summary.total)],
            ['Checked', showNumber(summary.checked)],
            ['Found', showShare(summary.resolvedRatio)],
            ['Match', showShare(summary.matchRatio)],
            ['Last round over all', showTime(summary.sweep.lapEndedAt)],
          ]}
        />
        <Table
          caption="By kind"
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
              ? 'Nothing is checked yet. Rounds over all records go on by themselves.'
              : 'No pointer is like this. Take a filter away.'}
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
              { name: 'Points to', show: ({ value }) => <code title={value}>{shortHash(value)}</code> },
              { name: 'State', show: ({ status }) => <Status of={status} /> },
              { name: 'What was seen', show: ({ detail }) => <div class="details">{detail}</div> },
              { name: 'Checked', show: ({ checkedAt }) => showTime(checkedAt) },
            ]}
          />
        )}
      </Section>
    </>
  );
}
