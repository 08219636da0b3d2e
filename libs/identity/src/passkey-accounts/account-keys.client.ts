import { createHash } from 'node:crypto';
import { type AccountCall, type AccountConfig, type AccountKey, keyIdOf, passkeyAccount } from '#chain';
import type { Passkey } from '../passkeys/passkey.js';

/** A key that signs, or may be made to sign, for an account on chain. */
export interface NamedKey {
  /** Its name in calls and logs of the account. */
  readonly keyId: string;
  readonly key: AccountKey;
  /** Null for a key of a passkey that is deleted here. */
  readonly passkey: Pick<Passkey, 'id' | 'name' | 'userId'> | null;
}

export interface KeyState {
  readonly signs: boolean;
  /** Of a guarded account: when another owner may remove the key. Null when nobody has proposed it. */
  readonly removableAt: Date | null;
}

export interface AccountState {
  readonly deployed: boolean;
  /** How many keys sign: more than are known here, when a passkey was deleted. */
  readonly keyCount: number;
  /** By key id. */
  readonly keys: ReadonlyMap<string, KeyState>;
}

/** A PasskeyAccount has room for so many. */
export const MOST_KEYS = 20;

export function accountKeyOf({ key: { x, y, rpId } }: Pick<Passkey, 'key'>): AccountKey {
  return { x, y, rpIdHash: `0x${createHash('sha256').update(rpId).digest('hex')}` };
}

/** Keys of the given passkeys, then those of the first configuration of which the passkey is gone. */
export function namedKeys(passkeys: readonly Passkey[], { keys }: Pick<AccountConfig, 'keys'>): readonly NamedKey[] {
  const named = passkeys.map((passkey) => {
    const key = accountKeyOf(passkey);
    return { keyId: keyIdOf(key), key, passkey };
  });
  const known = new Set<string>(named.map(({ keyId }) => keyId));
  const nameless = keys.map((key) => ({ keyId: keyIdOf(key), key, passkey: null }));
  return [...named, ...nameless.filter(({ keyId }) => !known.has(keyId))];
}

/** Before it is deployed. */
export function firstState({ keys }: Pick<AccountConfig, 'keys'>, keyIds: readonly string[]): AccountState {
  const signing = new Set<string>(keys.map(keyIdOf));
  const states = keyIds.map((keyId) => [keyId, { signs: signing.has(keyId), removableAt: null }] as const);
  return { deployed: false, keyCount: keys.length, keys: new Map(states) };
}

/** A call that an account makes to itself, in a batch that one of its keys signs. */
export function callOfItself(
  account: string,
  method: 'addKey' | 'removeKey' | 'proposeRemoval' | 'vetoRemoval',
  of: AccountKey | string,
): AccountCall {
  return { to: account, data: passkeyAccount.encodeCall(method, [of])! };
}
