import { useState } from 'preact/hooks';
import type { StoredDocumentView } from '#client';
import { Action, Form } from '../../parts/action';
import { Empty, Field, Section, Show, Status, Table } from '../../parts/basics';
import { Select, Text } from '../../parts/inputs';
import { More } from '../../parts/more';
import { showNumber, showTime } from '../../state/format';
import { t } from '../../state/language';
import { useList } from '../../state/list';
import { saveFile } from '../../state/save-file';
import { api, me } from '../../state/session';

const UPLOADS = new Set(['OPERATOR', 'ADMIN', 'COMPLIANCE', 'TENANT_ADMIN']);
const ERASES = new Set(['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN']);

const showSize = (bytes: number): string =>
  bytes < 1_048_576 ? `${showNumber(Math.ceil(bytes / 1024))} KiB` : `${showNumber(bytes / 1_048_576)} MiB`;

/** Certificates, delivery notes and photos that events refer to. */
export default function DocumentsPage() {
  const documents = useList<StoredDocumentView>('/api/v1/documents?limit=50');
  const has = (roles: ReadonlySet<string>): boolean => me.value!.roles.some((role) => roles.has(role));
  const save =
    ({ id, name }: StoredDocumentView) =>
    async (): Promise<void> =>
      saveFile(await api().documents.content(id), name);
  return (
    <>
      <Section title={t('Stored documents')}>
        <Show what={documents}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>{t('No documents yet.')}</Empty>
            ) : (
              <Table
                caption={t('Stored documents')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { name: t('Name'), show: ({ name }) => name },
                  { name: t('Type'), show: ({ type }) => type ?? '–' },
                  { name: t('Number'), show: ({ number }) => number ?? '–' },
                  { name: t('Who may read it'), show: ({ visibility }) => <Status of={visibility} /> },
                  { name: t('Size'), number: true, show: ({ size }) => showSize(size) },
                  { name: t('Uploaded'), show: ({ uploadedAt }) => showTime(uploadedAt) },
                  {
                    name: t('Change'),
                    show: (one) => (
                      <div class="actions">
                        <Action label={t('Download')} run={save(one)} />
                        {has(ERASES) && (
                          <Action
                            label={t('Erase')}
                            sure={t('The file is erased for good. Events keep its hash, and nobody can read it again.')}
                            run={() => api().documents.delete(one.id).then(documents.again)}
                          />
                        )}
                      </div>
                    ),
                  },
                ]}
              />
            )
          }
        </Show>
        <More of={documents} />
      </Section>
      {has(UPLOADS) && <Upload after={documents.again} />}
    </>
  );
}

function Upload({ after }: { readonly after: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [said, setSaid] = useState({ visibility: 'restricted', type: '', number: '' });
  const [done, setDone] = useState('');
  const upload = async (): Promise<void> => {
    const { name } = await api().documents.upload(
      file!,
      file!.name,
      Object.fromEntries(Object.entries(said).filter(([, value]) => value !== '')),
    );
    setDone(t('Saved as {name}.', { name }));
    after();
  };
  return (
    <Section title={t('Upload a document')}>
      <Form label={t('Upload')} send={upload} disabled={file === null}>
        <Field label={t('File')}>
          <input type="file" required onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)} />
        </Field>
        <Select
          label={t('Who may read it')}
          of={[
            ['restricted', t('Who may read the event')],
            ['authority', t('Authorities too')],
            ['public', t('Everybody')],
          ]}
          value={said.visibility}
          onChange={(visibility) => setSaid({ ...said, visibility })}
        />
        <Text
          label={t('Type (optional)')}
          hint={t('As in certificate or bill of lading')}
          maxLength={100}
          value={said.type}
          onChange={(type) => setSaid({ ...said, type })}
        />
        <Text label={t('Number (optional)')} maxLength={100} value={said.number} onChange={(number) => setSaid({ ...said, number })} />
      </Form>
      {done !== '' && (
        <p class="notice" role="status">
          {done}
        </p>
      )}
    </Section>
  );
}
