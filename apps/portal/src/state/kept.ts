/**
 * What outlives a reload of this tab: drafts, and transactions that were sent and not yet seen landed. By person and tenant: nobody sees
 * another's. No token is among it. What is kept on the device outlives the tab too, until its person signs out or another signs in.
 */
const PREFIX = 'portal.kept.';
let owner = '';

/** Forgets what others had begun in this tab. */
export function keepFor(person: string, tenant: string): void {
  owner = `${PREFIX}${person}.${tenant}.`;
  forget((key) => !key.startsWith(`${PREFIX}${person}.`));
}

export const forgetAll = (): void => forget(() => true);

function forget(which: (key: string) => boolean): void {
  for (const storage of [sessionStorage, localStorage])
    for (const key of Object.keys(storage))
      if (key.startsWith(PREFIX) && which(key) && !isSentFromDevice(storage, key)) storage.removeItem(key);
}

/** What waits on the device belongs to its person, who may sign in again: what was sent of it is not sent twice. */
const isSentFromDevice = (storage: Storage, key: string): boolean => storage === localStorage && key.includes('.sent.waiting ');

/** Where something is kept: for this tab, or on the device, which outlives the page. */
export type Keeping = 'tab' | 'device';
const storageOf = (where: Keeping): Storage => (where === 'tab' ? sessionStorage : localStorage);

export function kept<T>(name: string, where: Keeping = 'tab'): T | null {
  try {
    return JSON.parse(storageOf(where).getItem(owner + name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** What is kept on the device under this name, of all people. */
export const keptByAnybody = <T>(name: string): readonly T[] =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX) && key.endsWith(`.${name}`))
    .flatMap((key) => {
      try {
        return [JSON.parse(localStorage.getItem(key)!) as T];
      } catch {
        return [];
      }
    });

/** Without room for it the page goes on without keeping it. */
export function keep(name: string, value: unknown, where: Keeping = 'tab'): void {
  const storage = storageOf(where);
  try {
    if (value === null) storage.removeItem(owner + name);
    else storage.setItem(owner + name, JSON.stringify(value));
  } catch {
    storage.removeItem(owner + name);
  }
}
