import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/** One key of the operator's, recognised by the start of its hash, so that sealed texts say which key opens them. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

export const sealingKey = (key: Buffer): SealingKey => ({ id: createHash('sha256').update(key).digest('hex').slice(0, 8), key });

/**
 * AES-256-GCM as `1.<key id>.<base64 of nonce, tag, ciphertext>`. `owner` is authenticated along, so that a row's secret does
 * not open in another row.
 * @param nonce 12 random bytes
 */
export function seal(plain: string, owner: string, { id, key }: SealingKey, nonce: Buffer): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `1.${id}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`;
}

/** @throws Error when no key fits or the text was changed: the operator's fault, not the caller's */
export function unseal(sealed: string, owner: string, keys: readonly SealingKey[]): string {
  const [, keyId, packed] = sealed.split('.');
  const key = keys.find((each) => each.id === keyId);
  if (!key) throw new Error(`a webhook secret was sealed with key ${keyId}, which is not configured (ENCRYPTION_KEY)`);
  const bytes = Buffer.from(packed!, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key.key, bytes.subarray(0, 12))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}
