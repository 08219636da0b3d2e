import type { Fsma204ReportView } from '#client';
import { Empty, Section, Table } from '../../parts/basics';
import { showDay, showQuantity, words } from '../../state/format';
import { Report } from './report';

export default function Fsma204Page() {
  return (
    <Report
      operation="GET /api/v1/reports/fsma204"
      about="The sortable spreadsheet of 21 CFR 1.1455: critical tracking events (CTE) with their key data elements (KDE). The CSV file has all columns."
    >
      {(report) => <Sheet of={report} />}
    </Report>
  );
}

const place = (...parts: readonly (string | null)[]): string => parts.filter(Boolean).join(', ') || '–';

function Sheet({ of: { rows } }: { readonly of: Fsma204ReportView }) {
  if (rows.length === 0) return <Empty>No events in this period. Choose another period.</Empty>;
  return (
    <Section title="Tracking events">
      {rows.every(({ cte }) => cte === null) && <p class="hint">The process map assigns no critical tracking event to these processes.</p>}
      <Table
        caption="Rows of the spreadsheet"
        rows={rows}
        keyOf={({ eventId, tlc, inputTlc }) => `${eventId} ${tlc} ${inputTlc}`}
        columns={[
          { name: 'CTE', show: ({ cte }) => words(cte) },
          { name: 'Date', show: ({ eventDate, eventTimeZone }) => <span title={eventTimeZone ?? undefined}>{showDay(eventDate)}</span> },
          { name: 'Lot code', show: ({ tlc, internalLotCode }) => tlc ?? internalLotCode ?? '–' },
          { name: 'Product', show: ({ productDescription }) => productDescription ?? '–' },
          { name: 'Quantity', number: true, show: ({ quantity, unit }) => showQuantity(quantity, unit) },
          { name: 'Where', show: ({ locationName, locationCity, locationCountry }) => place(locationName, locationCity, locationCountry) },
          { name: 'From', show: ({ previousSourceName, previousSourceCity }) => place(previousSourceName, previousSourceCity) },
          {
            name: 'To',
            show: ({ subsequentRecipientName, subsequentRecipientCity }) => place(subsequentRecipientName, subsequentRecipientCity),
          },
          { name: 'Made from', show: ({ inputTlc }) => inputTlc ?? '–' },
          {
            name: 'Document',
            show: ({ referenceDocumentType, referenceDocumentNumber }) =>
              place(referenceDocumentType && words(referenceDocumentType), referenceDocumentNumber),
          },
        ]}
      />
    </Section>
  );
}
