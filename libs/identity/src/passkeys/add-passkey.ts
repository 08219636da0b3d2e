import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { MAX_PASSWORD_BYTES } from '../accounts/account.js';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { PasswordHasher } from '../accounts/passwords.client.js';
import { invalidToken, recentSignInRequired, wrongPassword } from '../errors.js';
import { SessionsQueries } from '../sessions/sessions.queries.js';
import type { Passkey } from './passkey.js';
import { PasskeysQueries, type Registrant } from './passkeys.queries.js';
import { type RegistrationAnswer, RegisterPasskey } from './register-passkey.js';

type Caller = Registrant & { readonly sessionId: string };

/** A further passkey of who is signed in. A stolen access token alone adds none. */
@Injectable()
export class AddPasskey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsQueries,
    private readonly passwords: PasswordHasher,
    private readonly sessions: SessionsQueries,
    private readonly register: RegisterPasskey,
  ) {}

  /**
   * @param password of a person who has one
   * @throws DomainError 401 `wrong_password`, 403 `recent_sign_in_required` without a password, 409 `too_many_passkeys`
   */
  async options({ sessionId, ...of }: Caller, password: string | undefined): Promise<object> {
    const [account, session] = await this.unitOfWork.readAsSystem((tx) =>
      Promise.all([this.accounts.byId(tx, of.userId), this.sessions.find(tx, sessionId)]),
    );
    if (!account || !session) throw invalidToken();
    const { passwordHash, email } = account.user;
    if (passwordHash !== null) {
      const given = password ?? '';
      if (Buffer.byteLength(given) > MAX_PASSWORD_BYTES || !(await this.passwords.verify(given, passwordHash))) throw wrongPassword();
    } else if (!this.register.isRecent(session.createdAt)) throw recentSignInRequired();
    return this.register.options(of, email);
  }

  /** @throws DomainError 400 and 401 `passkey_…`, 409 `passkey_taken`, `too_many_passkeys`, 422 `passkey_unsupported` */
  async verify({ userId, tenantId }: Caller, answer: RegistrationAnswer): Promise<Pick<Passkey, 'id'>> {
    const passkey = await this.register.verify({ userId, tenantId }, answer);
    await this.register.store(passkey);
    return passkey;
  }
}

/** The passkeys of who is signed in. */
@Injectable()
export class OwnPasskeys {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly passkeys: PasskeysQueries,
  ) {}

  list(of: Registrant): Promise<readonly Passkey[]> {
    return this.unitOfWork.readAsSystem((tx) => this.passkeys.list(tx, of));
  }
}
