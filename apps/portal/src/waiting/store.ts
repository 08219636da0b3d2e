import { t } from '../state/language';

/** A photo or document that belongs to a record and is not uploaded yet. */
export interface WaitingFile {
  readonly blob: Blob;
  readonly name: string;
  readonly type: string;
  readonly number: string;
}

/** A record that is to be sent. It is in the device's database until it is on the chain, whatever becomes of the page. */
export interface WaitingRecord {
  /** Also its Idempotency-Key: it is prepared once, however often it is sent. */
  readonly id: string;
  /** The person and the tenant; nobody else sees or sends it. */
  readonly owner: string;
  readonly savedAt: string;
  readonly processType: string;
  /** What will be recorded, in words. */
  readonly title: string;
  readonly sentences: readonly string[];
  /** The request that prepares it. */
  readonly path: string;
  readonly body: unknown;
  readonly files: readonly WaitingFile[];
  /** The form, to correct what is refused. */
  readonly draft: unknown;
  /** The event that was prepared. */
  readonly eventId: string | null;
  /** Why the service refused it. */
  readonly refusal: string | null;
  /** Recorded while nobody was signed in: its person reads it before it is sent. */
  readonly isUnseen?: boolean;
}

/** Files of a form that is not finished, under the form's name and person. */
interface DraftFiles {
  readonly id: string;
  readonly files: readonly WaitingFile[];
}

const STORE = 'records';
const DRAFT_FILES = 'draft-files';
let opened: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('portal.waiting', 2);
    request.addEventListener('upgradeneeded', () => {
      for (const name of [STORE, DRAFT_FILES])
        if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name, { keyPath: 'id' });
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error(t('This device keeps nothing.'))));
  });
  return opened;
}

async function within<T>(mode: IDBTransactionMode, what: (store: IDBObjectStore) => IDBRequest<T>, name = STORE): Promise<T> {
  const transaction = (await open()).transaction(name, mode, { durability: 'strict' });
  const request = what(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve(request.result));
    transaction.addEventListener('error', () => reject(transaction.error ?? new Error(t('This device keeps nothing.'))));
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error(t('This device has no room left.'))));
  });
}

export const readAll = async (): Promise<readonly WaitingRecord[]> =>
  ((await within('readonly', (store) => store.getAll())) as WaitingRecord[]).toSorted((a, b) => a.savedAt.localeCompare(b.savedAt));
/** Resolved when it is on the device. */
export const put = (record: WaitingRecord): Promise<IDBValidKey> => within('readwrite', (store) => store.put(record));
export const remove = (id: string): Promise<void> => within('readwrite', (store) => store.delete(id));

/** Resolved when they are on the device. */
export const keepDraftFiles = (id: string, files: readonly WaitingFile[]): Promise<unknown> =>
  within<unknown>(
    'readwrite',
    (store) => (files.length === 0 ? store.delete(id) : store.put({ id, files } satisfies DraftFiles)) as IDBRequest<unknown>,
    DRAFT_FILES,
  );
export const draftFiles = async (id: string): Promise<readonly WaitingFile[]> =>
  ((await within('readonly', (store) => store.get(id), DRAFT_FILES)) as DraftFiles | undefined)?.files ?? [];
/** Those of all people. */
export const forgetDraftFiles = (): Promise<void> => within('readwrite', (store) => store.clear(), DRAFT_FILES);
