import type { DocumentsReportView } from '#client';
import { Bars } from '../../parts/bars';
import { Empty, Facts, LotLink, Section, Status, Table } from '../../parts/basics';
import { showDay, showNumber, showShare, words } from '../../state/format';
import { Report } from './report';

export default function DocumentsPage() {
  return (
    <Report
      operation="GET /api/v1/reports/documents"
      linked="document"
      about="Documents referenced by events of the period, and required documents that are missing."
    >
      {(report) => <Documents of={report} />}
    </Report>
  );
}

const MANY = 3;

function Documents({ of: { summary, documents, missing } }: { readonly of: DocumentsReportView }) {
  if (summary.documents === 0 && summary.required === 0) return <Empty>No documents in this period. Choose another period.</Empty>;
  return (
    <>
      <Section title="Summary">
        <Facts
          of={[
            ['Documents', showNumber(summary.documents)],
            ['Required', showNumber(summary.required)],
            ['There', showShare(summary.coverage)],
            ['Missing', showNumber(summary.missing)],
            ['Contradicting', showNumber(summary.conflicts)],
          ]}
        />
        <div class="charts">
          <Bars caption="By status" unit="" values={summary.byStatus as Record<string, number>} />
          <Bars caption="By type" unit="" values={summary.byType as Record<string, number>} />
        </div>
      </Section>
      {missing.length > 0 && (
        <Section title="Missing">
          <Table
            caption="Missing documents"
            rows={missing}
            keyOf={({ eventId, type }) => `${eventId} ${type}`}
            columns={[
              { name: 'Document', show: ({ type }) => words(type) },
              { name: 'Process', show: ({ processType }) => words(processType) },
              { name: 'Event', show: ({ eventId }) => <code>{eventId}</code> },
            ]}
          />
          {summary.missingTruncated && <p class="hint">More documents are missing; the CSV file has all of them.</p>}
        </Section>
      )}
      {documents.length > 0 && (
        <Section title="Documents">
          <Table
            caption="Documents"
            rows={documents}
            keyOf={({ documentKey }) => documentKey}
            columns={[
              { name: 'Type', show: ({ type }) => words(type) },
              { name: 'Number', show: ({ number }) => number ?? '–' },
              { name: 'Issued by', show: ({ issuer }) => issuer ?? '–' },
              { name: 'Valid until', show: ({ validTo }) => showDay(validTo) },
              { name: 'Status', show: ({ status, conflict }) => <Status of={conflict ? 'conflicting' : status} /> },
              { name: 'Content', show: ({ verification }) => <Status of={verification} /> },
              {
                name: 'Lots',
                show: ({ usedBy, uses }) => {
                  const lots = new Map(usedBy.flatMap(({ tokenIds, tlcs }) => tokenIds.map((id, index) => [id, tlcs[index]] as const)));
                  return (
                    <div>
                      {[...lots].slice(0, MANY).map(([id, tlc]) => (
                        <div key={id}>
                          <LotLink id={id}>{tlc ?? id}</LotLink>
                        </div>
                      ))}
                      {lots.size > MANY && <span class="hint">and more, in {showNumber(uses)} events</span>}
                    </div>
                  );
                },
              },
            ]}
          />
        </Section>
      )}
    </>
  );
}
