import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { seal, type SealingKey, unseal } from '../domain/sealed-secret.js';
import { SECRET_BYTES, secretFrom } from '../domain/signature.js';

const NONCE_BYTES = 12;

/** Makes secrets and keeps them unreadable at rest: the first key seals, all of them open. */
@Injectable()
export class SecretVault {
  constructor(private readonly keys: readonly [SealingKey, ...SealingKey[]]) {}

  newSecret(): string {
    return secretFrom(randomBytes(SECRET_BYTES));
  }

  seal(secret: string, subscriptionId: string): string {
    return seal(secret, subscriptionId, this.keys[0], randomBytes(NONCE_BYTES));
  }

  open(sealed: string, subscriptionId: string): string {
    return unseal(sealed, subscriptionId, this.keys);
  }
}
