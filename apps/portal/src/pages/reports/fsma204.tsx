import type { Fsma204ReportView } from '#client';
import { Empty, Section, Table } from '../../parts/basics';
import { showDay, showQuantity, words } from '../../state/format';
import { Report } from './report';
import { t } from '../../state/language';

export default function Fsma204Page() {
  return (
    <Report
      operation="GET /api/v1/reports/fsma204"
      about={t(
        'The sortable spreadsheet of 21 CFR 1.1455: critical tracking events (CTE) with their key data elements (KDE). The CSV file has all columns.',
      )}
    >
      {(report) => <Sheet of={report} />}
    </Report>
  );
}

const place = (...parts: readonly (string | null)[]): string => parts.filter(Boolean).join(', ') || '–';

function Sheet({ of: { rows } }: { readonly of: Fsma204ReportView }) {
  if (rows.length === 0) return <Empty>{t('No events in this period. Choose another period.')}</Empty>;
  return (
    <Section title={t('Tracking events')}>
      {rows.every(({ cte }) => cte === null) && (
        <p class="hint">{t('The process map assigns no critical tracking event to these processes.')}</p>
      )}
      <Table
        caption={t('Rows of the spreadsheet')}
        rows={rows}
        keyOf={({ eventId, tlc, inputTlc }) => `${eventId} ${tlc} ${inputTlc}`}
        columns={[
          { name: t('CTE'), show: ({ cte }) => words(cte) },
          { name: t('Date'), show: ({ eventDate, eventTimeZone }) => <span title={eventTimeZone ?? undefined}>{showDay(eventDate)}</span> },
          { name: t('Lot code'), show: ({ tlc, internalLotCode }) => tlc ?? internalLotCode ?? '–' },
          { name: t('Product'), show: ({ productDescription }) => productDescription ?? '–' },
          { name: t('Quantity'), number: true, show: ({ quantity, unit }) => showQuantity(quantity, unit) },
          {
            name: t('Where'),
            show: ({ locationName, locationCity, locationCountry }) => place(locationName, locationCity, locationCountry),
          },
          { name: t('From'), show: ({ previousSourceName, previousSourceCity }) => place(previousSourceName, previousSourceCity) },
          {
            name: t('To'),
            show: ({ subsequentRecipientName, subsequentRecipientCity }) => place(subsequentRecipientName, subsequentRecipientCity),
          },
          { name: t('Made from'), show: ({ inputTlc }) => inputTlc ?? '–' },
          {
            name: t('Document'),
            show: ({ referenceDocumentType, referenceDocumentNumber }) =>
              place(referenceDocumentType && words(referenceDocumentType), referenceDocumentNumber),
          },
        ]}
      />
    </Section>
  );
}
