/**
 * What outlives a reload of this tab: drafts, and transactions that were sent and not yet seen landed. By person and tenant: nobody sees
 * another's. No token is among it.
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
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX) && which(key)) sessionStorage.removeItem(key);
}

export function kept<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(owner + name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** Without room for it the page goes on without keeping it. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(owner + name);
    else sessionStorage.setItem(owner + name, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(owner + name);
  }
}
