import { useState } from 'preact/hooks';
import { Select } from '../parts/inputs';
import { explain } from '../parts/problem';
import { words } from '../state/format';
import { isOutOfReach } from '../state/line';
import { api } from '../state/session';
import type { WaitingFile } from '../waiting/store';
import { t } from '../state/language';

const LONGEST = 120;

/** A file, and how far it is. */
interface Upload extends WaitingFile {
  readonly id: number;
  readonly state: 'uploading' | 'uploaded' | 'waiting' | 'refused';
  readonly says: string;
}

let uploads = 0;

/** Photos and files of an event: stored by the service at once, or with the event where there is no line. */
export function DocumentUpload({
  types,
  onReference,
  onWaiting,
}: {
  /** Of the process map; the first is what it asks for. */
  readonly types: readonly string[];
  readonly onReference: (reference: object) => void;
  readonly onWaiting: (file: WaitingFile) => void;
}) {
  const [type, setType] = useState(types[0] ?? 'PHOTO');
  const [files, setFiles] = useState<readonly Upload[]>([]);
  const note = (upload: Upload): void => setFiles((before) => [...before.filter(({ id }) => id !== upload.id), upload]);
  const upload = async (file: Upload): Promise<void> => {
    note({ ...file, state: 'uploading', says: t('Uploading …') });
    try {
      const { reference } = await api().documents.upload(file.blob, file.name, { type: file.type, number: file.number });
      note({ ...file, state: 'uploaded', says: t('Uploaded') });
      onReference(reference);
    } catch (problem) {
      if (!isOutOfReach(problem)) return note({ ...file, state: 'refused', says: explain(problem).words });
      note({ ...file, state: 'waiting', says: t('Is uploaded with the event') });
      onWaiting(file);
      onReference(await referenceOf(file));
    }
  };
  const take = (list: FileList | null): void => {
    for (const blob of list ?? [])
      void upload({ id: ++uploads, blob, name: blob.name, type, number: blob.name.slice(0, LONGEST), state: 'uploading', says: '' });
  };
  return (
    <div class="stack uploads">
      <div class="actions">
        <Select
          label={t('Type of document')}
          value={type}
          of={[...new Set([...types, 'PHOTO', 'OTHER'])].map((one) => [one, words(one)])}
          onChange={setType}
        />
        <label class="button">
          {t('Add a photo or file')}
          <input
            type="file"
            multiple
            accept="image/*,.pdf,.docx,.xlsx,.odt,.ods,.csv,.txt,.xml,.json"
            class="hidden"
            onChange={({ currentTarget }) => {
              take(currentTarget.files);
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      <ul class="plain" aria-label={t('Files')}>
        {files.map((file) => (
          <li key={file.id}>
            {file.name}{' '}
            <span class={file.state === 'refused' ? 'error' : 'hint'} role="status">
              {file.says}
            </span>
            {file.state === 'refused' && (
              <button type="button" onClick={() => void upload(file)}>
                {t('Try again')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What the service will say of it: the hash is that of the bytes. */
async function referenceOf({ blob, type, number }: WaitingFile): Promise<object> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return {
    type,
    number,
    sha256: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    ...(blob.type && { mediaType: blob.type }),
    visibility: 'restricted',
  };
}
