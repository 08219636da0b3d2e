import type { SuppliersReportView } from '#client';
import { Bars } from '../../parts/bars';
import { Empty, Link, Section, Table } from '../../parts/basics';
import { showLength, showNumber, showShare } from '../../state/format';
import { Report } from './report';
import { t } from '../../state/language';

export default function SuppliersPage() {
  return (
    <Report operation="GET /api/v1/reports/suppliers" about={t('Supplier scores, from events recorded in the period.')}>
      {(report) => <Suppliers of={report} />}
    </Report>
  );
}

function Suppliers({ of: { organizations } }: { readonly of: SuppliersReportView }) {
  if (organizations.length === 0) return <Empty>{t('No events recorded in this period. Choose another period.')}</Empty>;
  const scores = Object.fromEntries(organizations.flatMap(({ name, score }) => (score === null ? [] : [[name, score]])));
  return (
    <>
      {Object.keys(scores).length > 0 && (
        <Section title={t('Score')}>
          <Bars caption={t('Score out of 100, best first')} unit="" values={scores} name={(name) => name} />
        </Section>
      )}
      <Section title={t('Metrics')}>
        <Table
          caption={t('Organisations')}
          rows={organizations}
          keyOf={({ orgId }) => orgId}
          columns={[
            { name: t('Organisation'), show: ({ orgId, name }) => <Link to={`/admin/organisations/${orgId}`}>{name}</Link> },
            {
              name: t('Grade'),
              show: ({ grade, gradeReason }) =>
                grade ?? (gradeReason === 'nothing_supplied' ? t('supplied nothing') : t('not enough data')),
            },
            { name: t('Supplied'), number: true, show: ({ massSuppliedKg }) => `${showNumber(massSuppliedKg)} kg` },
            { name: t('Accepted'), number: true, show: ({ metrics }) => showShare(metrics.acceptanceRate) },
            { name: t('Accepted on time'), number: true, show: ({ metrics }) => showShare(metrics.onTimeAcceptance) },
            { name: t('Recorded on time'), number: true, show: ({ metrics }) => showShare(metrics.recordingOnTime) },
            { name: t('Recording delay'), show: ({ metrics }) => showLength(metrics.medianRecordingDelaySeconds) },
            { name: t('Key data'), number: true, show: ({ metrics }) => showShare(metrics.kdeCompleteness) },
            { name: t('Documents'), number: true, show: ({ metrics }) => showShare(metrics.documentCoverage) },
            { name: t('Mass balance'), number: true, show: ({ metrics }) => showShare(metrics.massBalanceConformity) },
            { name: t('Recalled'), number: true, show: ({ metrics }) => showShare(metrics.recallRate) },
            {
              name: t('CO₂e per kg'),
              number: true,
              show: ({ metrics: { carbonPerKg } }) => (carbonPerKg === null ? '–' : `${showNumber(carbonPerKg)} kg`),
            },
          ]}
        />
      </Section>
    </>
  );
}
