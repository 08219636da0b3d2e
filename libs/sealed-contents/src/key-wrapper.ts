import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { drawRandom } from '#envelope';

/** A key that cannot be unwrapped: its wrapping key is not configured, or it was changed. */
export class KeyLost extends Error {}

/** Wraps the keys of tenants: by keys of the configuration, or by a key management service. */
export abstract class KeyWrapper {
  /** Whether this text was wrapped by the key that wraps now; otherwise a rotation wraps it again. */
  abstract isCurrent(wrapped: string): boolean;
  /** Whether the key that wrapped this text is known. */
  abstract knows(wrapped: string): boolean;
  /** @param owner authenticated too: in another row the text does not open */
  abstract wrap(key: Uint8Array, owner: string): Promise<string>;
  /** @throws KeyLost */
  abstract unwrap(wrapped: string, owner: string): Promise<Buffer>;
}

interface WrappingKey {
  /** The start of its hash; it is part of each text that it wrapped. */
  readonly id: string;
  readonly key: Buffer;
}

/** Keys of the configuration: the first one wraps, all of them unwrap. */
export class ConfiguredKeys extends KeyWrapper {
  private readonly keys: readonly WrappingKey[];

  /** @param secrets the key of the service, then those that were replaced */
  constructor(secrets: readonly Buffer[]) {
    super();
    this.keys = secrets.map((secret) => ({
      id: createHash('sha256').update('content keys').update(secret).digest('hex').slice(0, 12),
      // For this purpose only: the same secret also seals secrets of webhooks.
      key: Buffer.from(hkdfSync('sha256', secret, '', 'content keys', 32)),
    }));
  }

  override isCurrent(wrapped: string): boolean {
    return wrapped.split('.')[1] === this.keys[0]!.id;
  }

  override knows(wrapped: string): boolean {
    return this.keys.some(({ id }) => id === wrapped.split('.')[1]);
  }

  override async wrap(key: Uint8Array, owner: string): Promise<string> {
    const { id, key: by } = this.keys[0]!;
    return `1.${id}.${sealBytes(key, by, owner).toString('base64url')}`;
  }

  override async unwrap(wrapped: string, owner: string): Promise<Buffer> {
    const [, id, text] = wrapped.split('.');
    const by = this.keys.find((one) => one.id === id);
    if (!by) throw new KeyLost(`a key was wrapped by ENCRYPTION_KEY ${id}, which is neither configured nor among RETIRED_ENCRYPTION_KEYS`);
    return openBytes(Buffer.from(text ?? '', 'base64url'), by.key, owner);
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM: nonce, tag, sealed bytes. @param owner what the bytes belong to */
export function sealBytes(bytes: Uint8Array, key: Uint8Array, owner: string): Buffer {
  const nonce = drawRandom(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws KeyLost */
export function openBytes(sealed: Uint8Array, key: Uint8Array, owner: string): Buffer {
  try {
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new KeyLost(`the keys of ${owner} were changed, or belong to another row`);
  }
}
