import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { seal, type SealingKey, unseal } from '../domain/sealed-secret.js';
import { SECRET_BYTES, secretFrom } from '../domain/signature.js';

const NONCE_BYTES = 12;
/** Opened secrets remembered: those of the subscriptions that are busy now. */
const REMEMBERED = 1_000;

/** Makes secrets and keeps them unreadable at rest: the first key seals, all of them open. */
@Injectable()
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
    if (this.opened.size >= REMEMBERED) this.opened.clear();
    const secret = unseal(sealed, subscriptionId, this.keys);
    this.opened.set(key, secret);
    return secret;
  }
}
