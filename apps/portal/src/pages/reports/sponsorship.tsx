import type { SponsorshipReportView } from '#client';
import { Empty, Section, Table } from '../../parts/basics';
import { showEther, showNumber } from '../../state/format';
import { Report } from './report';

export default function SponsorshipReportPage() {
  return (
    <Report operation="GET /api/v1/reports/sponsorship" about="What members signed with passkeys, and who paid for it.">
      {(report) => <Sponsored of={report} />}
    </Report>
  );
}

function Sponsored({ of: { passkeys, summary } }: { readonly of: SponsorshipReportView }) {
  if (passkeys.length === 0) return <Empty>No calls were signed with a passkey in this period. Choose another period.</Empty>;
  return (
    <Section title={`${showNumber(summary.calls)} calls, ${showEther(summary.wei)}`}>
      <Table
        caption="By passkey, most expensive first"
        rows={passkeys}
        keyOf={({ account, signedBy, paidBy }) => `${account} ${signedBy} ${paidBy}`}
        columns={[
          { name: 'Organisation', show: ({ orgName }) => orgName ?? '–' },
          { name: 'Account', show: ({ label, account }) => label ?? <code>{account}</code> },
          { name: 'Passkey', show: ({ signedBy }) => <code>{signedBy.slice(0, 8)}…</code> },
          { name: 'Paid by', show: ({ paidBy }) => <code>{paidBy}</code> },
          { name: 'Calls', number: true, show: ({ calls }) => showNumber(calls) },
          { name: 'Failed', number: true, show: ({ reverted, notSent }) => showNumber(reverted + notSent) },
          { name: 'Cost', number: true, show: ({ wei }) => showEther(wei) },
        ]}
      />
    </Section>
  );
}
