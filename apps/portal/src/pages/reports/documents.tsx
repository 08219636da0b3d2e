import type { DocumentsReportView } from '#client';
import { Bars } from '../../parts/bars';
import { Empty, Facts, Link, LotLink, Section, Status, Table } from '../../parts/basics';
import { showDay, showNumber, showShare, words } from '../../state/format';
import { useProcessNames } from '../../state/process-names';
import { Report } from './report';
import { t } from '../../state/language';

export default function DocumentsPage() {
  return (
    <Report
      operation="GET /api/v1/reports/documents"
      linked="document"
      about={t('Documents referenced by events of the period, and required documents that are missing.')}
    >
      {(report) => <Documents of={report} />}
    </Report>
  );
}

const MANY = 3;

function Documents({ of: { summary, documents, missing } }: { readonly of: DocumentsReportView }) {
  const nameOf = useProcessNames();
  if (summary.documents === 0 && summary.required === 0) return <Empty>{t('No documents in this period. Choose another period.')}</Empty>;
  return (
    <>
      <Section title={t('Summary')}>
        <Facts
          of={[
            [t('Documents'), showNumber(summary.documents)],
            [t('Required'), showNumber(summary.required)],
            [t('There'), showShare(summary.coverage)],
            [t('Missing'), showNumber(summary.missing)],
            [t('Contradicting'), showNumber(summary.conflicts)],
          ]}
        />
        <div class="charts">
          <Bars caption={t('By status')} unit="" values={summary.byStatus as Record<string, number>} />
          <Bars caption={t('By type')} unit="" values={summary.byType as Record<string, number>} />
        </div>
      </Section>
      {missing.length > 0 && (
        <Section title={t('Missing')}>
          <Table
            caption={t('Missing documents')}
            rows={missing}
            keyOf={({ eventId, type }) => `${eventId} ${type}`}
            columns={[
              { name: t('Document'), show: ({ type }) => words(type) },
              { name: t('Process'), show: ({ processType }) => nameOf(processType) },
              { name: t('Event'), show: ({ eventId }) => <Link to={`/events/${eventId}`}>{t('Show')}</Link> },
            ]}
          />
          {summary.missingTruncated && <p class="hint">{t('More documents are missing; the CSV file has all of them.')}</p>}
        </Section>
      )}
      {documents.length > 0 && (
        <Section title={t('Documents')}>
          <Table
            caption={t('Documents')}
            rows={documents}
            keyOf={({ documentKey }) => documentKey}
            columns={[
              { name: t('Type'), show: ({ type }) => words(type) },
              { name: t('Number'), show: ({ number }) => number ?? '–' },
              { name: t('Issued by'), show: ({ issuer }) => issuer ?? '–' },
              { name: t('Valid until'), show: ({ validTo }) => showDay(validTo) },
              { name: t('Status'), show: ({ status, conflict }) => <Status of={conflict ? 'conflicting' : status} /> },
              { name: t('Content'), show: ({ verification }) => <Status of={verification} /> },
              {
                name: t('Lots'),
                show: ({ usedBy, uses }) => {
                  const lots = new Map(usedBy.flatMap(({ tokenIds, tlcs }) => tokenIds.map((id, index) => [id, tlcs[index]] as const)));
                  return (
                    <div>
                      {[...lots].slice(0, MANY).map(([id, tlc]) => (
                        <div key={id}>
                          <LotLink id={id}>{tlc ?? id}</LotLink>
                        </div>
                      ))}
                      {lots.size > MANY && <span class="hint">{t('and more, in {count} events', { count: uses })}</span>}
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
