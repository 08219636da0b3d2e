import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** docs/spec/service.md#signature: keyed with the UTF-8 bytes of the secret exactly as returned, prefix included. */
const bodySignature = (secret: string, body: Buffer): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Standard Webhooks: keyed with the base64-decoded part behind `whsec_`, over id, time and body. */
function standardSignature(secret: string, id: string, unixSeconds: number, body: Buffer): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${unixSeconds}.`).update(body).digest('base64')}`;
}

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** 32 to 64 bytes in base64, in full groups with their padding. */
export const OWN_SECRET = /^whsec_(?=.{44,88}$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
export const secretFrom = (random: Buffer): string => `${SECRET_PREFIX}${random.toString('base64')}`;

interface SignedDelivery {
  /** `X-Webhook-Id`; the same on every attempt. */
  readonly id: string;
  readonly event: string;
  readonly body: Buffer;
  readonly secret: string;
  /** The secret before the rotation, while its grace period lasts. */
  readonly previousSecret: string | null;
}

/** Headers of one attempt (docs/spec/service.md#wire-format, docs/spec/reliability.md#webhooks). Only those of Standard Webhooks contain the time. */
export function deliveryHeaders({ id, event, body, secret, previousSecret }: SignedDelivery, at: Date): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'traceability-service-webhooks/1',
    'X-Webhook-Id': id,
    'X-Webhook-Event': event,
    'X-Webhook-Signature': bodySignature(secret, body),
    ...(previousSecret !== null && { 'X-Webhook-Signature-Previous': bodySignature(previousSecret, body) }),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((each) => standardSignature(each, id, seconds, body)).join(' '),
  };
}

const NONCE_BYTES = 12;
/** Opened secrets that a process remembers: those of its busy subscriptions. */
const MAX_REMEMBERED = 1_000;

/** Makes secrets and encrypts them at rest: the first key seals, all keys open. */
export class SecretVault {
  private readonly opened = new Map<string, string>();

  constructor(private readonly keys: readonly [SealingKey, ...SealingKey[]]) {}

  newSecret(): string {
    return secretFrom(randomBytes(SECRET_BYTES));
  }

  seal(secret: string, subscriptionId: string): string {
    return seal(secret, subscriptionId, this.keys[0], randomBytes(NONCE_BYTES));
  }

  open(sealed: string, subscriptionId: string): string {
    const key = `${subscriptionId} ${sealed}`;
    const known = this.opened.get(key);
    if (known !== undefined) return known;
    if (this.opened.size >= MAX_REMEMBERED) this.opened.clear();
    const secret = unseal(sealed, subscriptionId, this.keys);
    this.opened.set(key, secret);
    return secret;
  }
}

/** A key of the operator; its id, the start of its hash, is part of each text that it sealed. */
interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

export const sealingKey = (key: Buffer): SealingKey => ({ id: createHash('sha256').update(key).digest('hex').slice(0, 8), key });

/**
 * AES-256-GCM as `1.<key id>.<base64 of nonce, tag, ciphertext>`. `owner` is authenticated too: a secret that was copied to
 * another row does not open there.
 * @param nonce 12 random bytes
 */
export function seal(plain: string, owner: string, { id, key }: SealingKey, nonce: Buffer): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `1.${id}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`;
}

/** @throws Error when no key fits or the text was changed: a fault of the operator, not of the caller */
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
