import { useState } from 'preact/hooks';
import { addressOf } from '#client';
import { Form } from '../../parts/action';
import { Link, Section } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { OrganisationField } from '../../parts/organisation-field';
import { dayStart } from '../../state/filters';
import { type Phrase, phrase, t } from '../../state/language';
import { administersAll } from '../../state/rights';
import { saveFile } from '../../state/save-file';
import { api, me, readsReports } from '../../state/session';
import { useProcesses } from './processes';

type What = 'events' | 'lots' | 'transfers' | keyof typeof REPORTS;

const LISTS: readonly (readonly [What, Phrase])[] = [
  ['events', phrase('Events')],
  ['lots', phrase('Lots')],
  ['transfers', phrase('Transfers')],
];
const REPORTS = {
  inventory: phrase('Report: inventory'),
  yield: phrase('Report: yield'),
  suppliers: phrase('Report: suppliers'),
  documents: phrase('Report: documents'),
  'data-reference': phrase('Report: data references'),
  alerts: phrase('Report: alerts'),
  fsma204: phrase('Report: FSMA 204'),
  sponsorship: phrase('Report: sponsorship'),
} as const satisfies Readonly<Record<string, Phrase>>;

const FORMATS: readonly (readonly [string, Phrase])[] = [
  ['xlsx', phrase('XLSX: for spreadsheets')],
  ['csv', phrase('CSV: for spreadsheets and databases')],
  ['ndjson', phrase('NDJSON: for programs, nothing left out')],
];

/** Every list and report as one file, as far as the person may read it. */
export default function ExportPage() {
  const [what, setWhat] = useState<What>('events');
  const [format, setFormat] = useState('xlsx');
  const [filter, setFilter] = useState({ from: '', to: '', processType: '', orgId: me.value!.orgId ?? '' });
  const [saved, setSaved] = useState('');
  const processes = useProcesses();
  const set = (change: Partial<typeof filter>): void => setFilter({ ...filter, ...change });
  const offered = [...LISTS, ...(readsReports.value ? (Object.entries(REPORTS) as [What, Phrase][]) : [])];
  const save = async (): Promise<void> => {
    setSaved('');
    const name = `${what}-${new Date().toISOString().slice(0, 10)}.${format}`;
    saveFile(await api().download(pathOf(what, format, filter)), name);
    setSaved(t('Saved as {name}.', { name }));
  };
  return (
    <>
      <Section title={t('Export a table')}>
        <p class="hint">{t('The file has every row that you may read, not only one page.')}</p>
        <Form label={t('Download')} send={save} disabled={what === 'transfers' && filter.orgId === ''}>
          <Select
            label={t('What')}
            of={offered.map(([key, name]) => [key, t(name)] as const)}
            value={what}
            onChange={(next) => setWhat(next as What)}
          />
          <Select label={t('Format')} of={FORMATS.map(([key, name]) => [key, t(name)] as const)} value={format} onChange={setFormat} />
          {what === 'events' && (
            <Select
              label={t('Process')}
              hint={t('Events of one process have its columns: change the sheet and import it again.')}
              none={t('All processes')}
              of={processes}
              value={filter.processType}
              onChange={(processType) => set({ processType })}
            />
          )}
          {what === 'transfers' && (
            <OrganisationField label={t('Organisation')} value={filter.orgId} onChange={(orgId) => set({ orgId })} />
          )}
          {what !== 'lots' && what !== 'transfers' && (
            <div class="fields">
              <Text label={t('From')} type="date" value={filter.from} onChange={(from) => set({ from })} />
              <Text label={t('To (included)')} type="date" value={filter.to} onChange={(to) => set({ to })} />
            </div>
          )}
        </Form>
        {saved !== '' && (
          <p class="notice" role="status">
            {saved}
          </p>
        )}
      </Section>
      <Section title={t('Other exports')}>
        <ul>
          <li>{t('One lot as EPCIS, EUDR, PACT or UNTP: on the page of the lot.')}</li>
          <li>
            {t('Events as EPCIS:')} <Link to="/exchange/queries">{t('EPCIS queries')}</Link>
          </li>
          {administersAll.value && (
            <li>
              {t('The whole tenant, to move it to another service:')} <Link to="/exchange/archive">{t('Archive')}</Link>
            </li>
          )}
        </ul>
      </Section>
    </>
  );
}

function pathOf(
  what: What,
  format: string,
  { from, to, processType, orgId }: { readonly from: string; readonly to: string; readonly processType: string; readonly orgId: string },
): string {
  const period = { ...(from && { from: dayStart(from) }), ...(to && { to: dayStart(to, 1) }) };
  switch (what) {
    case 'events':
      return addressOf('GET /api/v1/events', {
        query: { ...period, ...(processType && { processType }), format: format as 'csv', all: true },
      }).path;
    case 'lots':
      return addressOf('GET /api/v1/nfts', { query: { format: format as 'csv', all: true } }).path;
    case 'transfers':
      return addressOf('GET /api/v1/custody/org/{orgId}', { path: { orgId }, query: { format: format as 'csv', all: true, status: 'all' } })
        .path;
    default:
      return addressOf(`GET /api/v1/reports/${what}`, { query: { ...period, format: format as 'csv' } }).path;
  }
}
