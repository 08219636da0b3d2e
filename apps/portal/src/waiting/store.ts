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
}

const STORE = 'records';
let opened: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('portal.waiting', 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'id' }));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error(t('This device keeps nothing.'))));
  });
  return opened;
}

async function within<T>(mode: IDBTransactionMode, what: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const transaction = (await open()).transaction(STORE, mode, { durability: 'strict' });
  const request = what(transaction.objectStore(STORE));
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
