import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { keyIdOf } from '#chain';
import type { SystemTx } from '#persistence';
import type { Passkey } from './passkey.js';
import { MOST_PASSKEYS, RECENT_SIGN_IN_MS, readAnswer } from './passkey.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { AuditLog } from '../contract.js';
import { passkeyChallengeUnknown, passkeyMalformed, tooManyPasskeys } from '../errors.js';
import { OpenAccount } from './open-account.js';
import { PasskeysQueries, type Registrant } from './passkeys.queries.js';
import { rpIdHashOf } from './relay-accounts.queries.js';
import { WebauthnClient } from './webauthn.client.js';

export interface RegistrationAnswer {
  readonly response: Record<string, unknown>;
  readonly name: string;
}

/** Adds a passkey to a person in a tenant. Who that is was checked before: a session with its password, or an invitation. */
@Injectable()
export class RegisterPasskey {
  constructor(
    private readonly passkeys: PasskeysQueries,
    private readonly webauthn: WebauthnClient,
    private readonly account: OpenAccount,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  isRecent(signedInAt: Date): boolean {
    return this.passkeys.now().getTime() - signedInAt.getTime() <= RECENT_SIGN_IN_MS;
  }

  /** @param name that the device shows for the passkey @throws DomainError 409 `too_many_passkeys` */
  async options(of: Registrant, name: string): Promise<object> {
    const known = await this.passkeys.known(of);
    if (known.length >= MOST_PASSKEYS) throw tooManyPasskeys(MOST_PASSKEYS);
    const challenge = await this.passkeys.issueChallenge(of);
    return this.webauthn.registrationOptions({ challenge, userHandle: userHandle(of), name, known });
  }

  /** @throws DomainError 400, 401 `passkey_…`, 422 `passkey_unsupported` */
  async verify(of: Registrant, { response, name }: RegistrationAnswer): Promise<Omit<Passkey, 'createdAt' | 'lastUsedAt'>> {
    const answer = readAnswer(response);
    if (!answer) throw passkeyMalformed();
    if (!(await this.passkeys.consumeChallenge(answer.clientData.challenge, of))) throw passkeyChallengeUnknown();
    return { id: answer.id, ...of, name: name.trim() || 'Passkey', ...(await this.webauthn.verifyRegistration(answer)) };
  }

  /**
   * @param more what else the transaction of the new passkey does
   * @throws DomainError 409 `passkey_taken`, `too_many_passkeys`
   */
  async store(passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>, more?: (tx: SystemTx) => Promise<void>): Promise<void> {
    const factory = await this.account.factory();
    await this.revocations.asSystem(async (tx, revoke) => {
      await this.storeIn(tx, passkey);
      await more?.(tx);
      await this.account.openIn(tx, revoke, passkey, factory);
    });
  }

  /** For a passkey that signs in and has no account: there was no factory when it was made. */
  async openAccount(passkey: Pick<Passkey, 'id' | 'tenantId' | 'userId'>): Promise<string | null> {
    const factory = await this.account.factory();
    return factory && this.revocations.asSystem((tx, revoke) => this.account.openIn(tx, revoke, passkey, factory));
  }

  private async storeIn(tx: SystemTx, passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>): Promise<void> {
    const { id, userId, tenantId, name, backedUp, key } = passkey;
    await this.passkeys.lock(tx, userId);
    if ((await this.passkeys.list(tx, passkey)).length >= MOST_PASSKEYS) throw tooManyPasskeys(MOST_PASSKEYS);
    await this.passkeys.insert(tx, passkey);
    // By this name logs of accounts say who signed, also when the passkey is deleted.
    const keyId = keyIdOf({ x: key.x, y: key.y, rpIdHash: rpIdHashOf(key.rpId) });
    const details = { passkey: id, name, backedUp, keyId };
    await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, { action: 'passkey.added', subject: userId, details });
  }
}

/** What an authenticator files the passkey under. It tells neither person nor tenant, and is another one in each tenant. */
const userHandle = ({ userId, tenantId }: Registrant): Buffer => createHash('sha256').update(`passkey:${tenantId}:${userId}`).digest();
