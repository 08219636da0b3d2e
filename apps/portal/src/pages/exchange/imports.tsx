import { useState } from 'preact/hooks';
import type { ImportView } from '#client';
import { Action, Form } from '../../parts/action';
import { Empty, Field, Link, Section, Show, Status, Table } from '../../parts/basics';
import { Select } from '../../parts/inputs';
import { More } from '../../parts/more';
import { showNumber, showTime } from '../../state/format';
import { t } from '../../state/language';
import { useAll, useList } from '../../state/list';
import { go } from '../../state/router';
import { saveFile } from '../../state/save-file';
import { api } from '../../state/session';
import { useProcesses } from './processes';

interface SavedMapping {
  readonly id: string;
  readonly name: string;
  readonly partner: string;
  readonly version: number;
}

export default function ImportsPage() {
  return (
    <>
      <Begin />
      <Earlier />
    </>
  );
}

/** A file and what its rows are. */
function Begin() {
  const [file, setFile] = useState<File | null>(null);
  const [processType, setProcess] = useState('');
  const [mappingId, setMapping] = useState('');
  const processes = useProcesses();
  const mappings = useAll<SavedMapping>('/api/v1/import-mappings?limit=100');
  const begin = async (): Promise<void> => {
    const said = { ...(processType !== '' && { processType }), ...(mappingId !== '' && { mappingId }) };
    const { id } = await api().imports.start(file!, file!.name, said);
    go(`/exchange/import/${id}`);
  };
  const isXml = file?.name.toLowerCase().endsWith('.xml') ?? false;
  return (
    <Section title={t('Import a file')}>
      <p class="hint">{t('Each row becomes an event. Nothing is recorded before you have checked the rows and signed.')}</p>
      <Form
        label={t('Upload and read the file')}
        send={begin}
        disabled={file === null || (processType === '' && mappingId === '' && !isXml)}
      >
        <Field label={t('File')} hint={t('CSV, XLSX, X12 ship notice (856) or EPCIS in XML, at most 50 MiB and 100,000 rows.')}>
          <input
            type="file"
            accept=".csv,.txt,.tsv,.xlsx,.edi,.x12,.xml"
            required
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
        </Field>
        <Select
          label={t('Process')}
          hint={t('What the rows record.')}
          none={t('Choose')}
          of={processes}
          value={processType}
          onChange={setProcess}
        />
        {processType !== '' && (
          <Action
            label={t('Download an empty template')}
            run={async () => saveFile(await api().imports.template(processType), `${processType}.xlsx`)}
          />
        )}
        {(mappings.data?.length ?? 0) > 0 && (
          <Select
            label={t('Saved mapping (optional)')}
            hint={t('For files that always have the same columns.')}
            none={t('None: propose one')}
            of={mappings.data!.map(
              ({ id, name, partner, version }) => [id, [name, partner, `v${version}`].filter(Boolean).join(' · ')] as const,
            )}
            value={mappingId}
            onChange={setMapping}
          />
        )}
      </Form>
    </Section>
  );
}

function Earlier() {
  const imports = useList<ImportView>('/api/v1/imports?limit=20');
  return (
    <Section title={t('Earlier imports')}>
      <Show what={imports}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('No imports yet.')}</Empty>
          ) : (
            <Table
              caption={t('Earlier imports')}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { name: t('File'), show: ({ id, name }) => <Link to={`/exchange/import/${id}`}>{name}</Link> },
                { name: t('State'), show: ({ state }) => <Status of={state} /> },
                { name: t('Rows'), number: true, show: ({ rows }) => showNumber(rows.total) },
                { name: t('With problems'), number: true, show: ({ rows }) => showNumber(rows.invalid) },
                { name: t('Prepared'), number: true, show: ({ rows }) => showNumber(rows.prepared) },
                { name: t('Uploaded'), show: ({ createdAt }) => showTime(createdAt) },
              ]}
            />
          )
        }
      </Show>
      <More of={imports} />
    </Section>
  );
}
