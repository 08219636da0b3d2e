import { ApiProblem, PasskeyRelay, type RelayableCall, hasPasskeys, usePasskey } from '#client';
import { api, me } from './session';
import { t } from './language';

/** The account of passkeys that is the wallet of who is signed in. */
export interface DeviceAccount {
  readonly address: string;
  /** Passkeys that sign for it, oldest first. */
  readonly keys: readonly { readonly passkeyId: string; readonly name: string; readonly signs: boolean }[];
}

let known: { readonly of: string; readonly account: Promise<DeviceAccount | null> } | null = null;

/** Null where this person signs with a wallet, or this browser has no passkeys. */
export function deviceAccount(): Promise<DeviceAccount | null> {
  const wallet = me.value?.wallet;
  if (!wallet || !hasPasskeys()) return Promise.resolve(null);
  const of = `${me.value!.sub} ${me.value!.tid} ${wallet}`;
  if (known?.of === of) return known.account;
  const account = readAccount(wallet);
  known = { of, account };
  account.catch(forgetDevice);
  return account;
}

/** Passkeys were added or deleted. */
export function forgetDevice(): void {
  known = null;
}

async function readAccount(wallet: string): Promise<DeviceAccount | null> {
  // Who has no passkey has no account of passkeys: a question that is refused would be an error in the browser's log.
  if ((await ownPasskeys()).length === 0) return null;
  try {
    const { address, keys } = await api().get<DeviceAccount>('/api/v1/tx/relay');
    const signing = keys.filter(({ signs }) => signs);
    return address === wallet && signing.length > 0 ? { address, keys: signing } : null;
  } catch (problem) {
    if (problem instanceof ApiProblem && problem.code === 'not_sponsorable') return null;
    throw problem;
  }
}

interface OwnPasskey {
  readonly id: string;
  readonly lastUsedAt: string | null;
}

const ownPasskeys = async (): Promise<readonly OwnPasskey[]> =>
  (await api().get<{ readonly data: readonly OwnPasskey[] }>('/api/v2/auth/passkeys')).data;

const CHOSEN = 'portal.passkey';

/** The passkey that this device signed with last; else the one that somebody signed in with last, which is most likely here. */
export async function likelyKey({ keys }: DeviceAccount): Promise<string> {
  const used = localStorage.getItem(CHOSEN);
  const certain = keys.length === 1 ? keys[0] : keys.find(({ passkeyId }) => passkeyId === used);
  if (certain) return certain.passkeyId;
  const lastUse = new Map((await ownPasskeys()).map(({ id, lastUsedAt }) => [id, lastUsedAt ?? '']));
  const [latest] = keys.toSorted((a, b) => (lastUse.get(b.passkeyId) ?? '').localeCompare(lastUse.get(a.passkeyId) ?? ''));
  return latest!.passkeyId;
}

/** Has this device sign the calls, and hands them to the service, which sends them and pays. @returns ids of trackings */
export async function relay(calls: readonly RelayableCall[], passkeyId: string): Promise<readonly string[]> {
  try {
    const { trackingIds } = await new PasskeyRelay(api(), usePasskey, passkeyId).send(calls);
    localStorage.setItem(CHOSEN, passkeyId);
    return trackingIds;
  } catch (problem) {
    if ((problem as Error).name !== 'NotAllowedError') throw problem;
    throw new Error(t('Nothing was signed: the device was not unlocked, or this passkey is on another device.'), { cause: problem });
  }
}
