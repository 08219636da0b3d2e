import type { SponsorshipReportView } from '#client';
import { Empty, Section, Table } from '../../parts/basics';
import { showEther, showNumber } from '../../state/format';
import { Report } from './report';
import { t } from '../../state/language';

export default function SponsorshipReportPage() {
  return (
    <Report operation="GET /api/v1/reports/sponsorship" about={t('What members signed with passkeys, and who paid for it.')}>
      {(report) => <Sponsored of={report} />}
    </Report>
  );
}

function Sponsored({ of: { passkeys, summary } }: { readonly of: SponsorshipReportView }) {
  if (passkeys.length === 0) return <Empty>{t('No calls were signed with a passkey in this period. Choose another period.')}</Empty>;
  return (
    <Section title={t('{count} calls, {amount}', { count: summary.calls, amount: showEther(summary.wei) })}>
      <Table
        caption={t('By passkey, most expensive first')}
        rows={passkeys}
        keyOf={({ account, signedBy, paidBy }) => `${account} ${signedBy} ${paidBy}`}
        columns={[
          { name: t('Organisation'), show: ({ orgName }) => orgName ?? '–' },
          { name: t('Account'), show: ({ label, account }) => label ?? <code>{account}</code> },
          { name: t('Passkey'), show: ({ signedBy }) => <code>{signedBy.slice(0, 8)}…</code> },
          { name: t('Paid by'), show: ({ paidBy }) => <code>{paidBy}</code> },
          { name: t('Calls'), number: true, show: ({ calls }) => showNumber(calls) },
          { name: t('Failed'), number: true, show: ({ reverted, notSent }) => showNumber(reverted + notSent) },
          { name: t('Cost'), number: true, show: ({ wei }) => showEther(wei) },
        ]}
      />
    </Section>
  );
}
