import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { AuditLog } from '../contract.js';
import { invitationNotFound } from '../errors.js';
import { MembersQueries } from '../members/members.queries.js';
import type { Registrant } from './passkeys.queries.js';
import { type RegistrationAnswer, RegisterPasskey } from './register-passkey.js';

/** An invitation ends with a passkey instead of a password: nobody has to remember anything. */
@Injectable()
export class AcceptWithPasskey {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly members: MembersQueries,
    private readonly accounts: AccountsQueries,
    private readonly register: RegisterPasskey,
    private readonly audit: AuditLog,
  ) {}

  /** The link stays valid until a passkey is made. @throws DomainError 404 `invitation_not_found` */
  async options(token: string): Promise<object> {
    const { of, email } = await this.invited(token);
    return this.register.options(of, email);
  }

  /** @returns whose passkey it is @throws DomainError 404 `invitation_not_found`, 400 and 401 `passkey_…`, 409, 422 */
  async accept(token: string, answer: RegistrationAnswer): Promise<Registrant & { readonly id: string }> {
    const { of } = await this.invited(token);
    const passkey = await this.register.verify(of, answer);
    await this.register.store(passkey, async (tx) => {
      if (!(await this.members.takeInvitation(tx, hashOf(token)))) throw invitationNotFound();
      const { userId, tenantId } = of;
      const entry = { action: 'invitation.accepted', subject: userId, details: { passkey: passkey.id } } as const;
      await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, entry);
    });
    return passkey;
  }

  private async invited(token: string): Promise<{ readonly of: Registrant; readonly email: string }> {
    const found = await this.unitOfWork.asSystem(async (tx) => {
      const of = await this.members.findInvitation(tx, hashOf(token));
      const account = of && (await this.accounts.byId(tx, of.userId));
      // Who has a password adds a passkey after it; an old link does not.
      return of && account?.user.passwordHash === null ? { of, email: account.user.email } : null;
    });
    if (!found) throw invitationNotFound();
    return found;
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
