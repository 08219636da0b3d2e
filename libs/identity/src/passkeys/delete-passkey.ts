import { Injectable } from '@nestjs/common';
import type { SystemTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { type Revoke, RevocationsQueries } from '../access/revocations.queries.js';
import type { User } from '../accounts/account.js';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { AuditLog } from '../contract.js';
import { lastPasskey, passkeyNotFound } from '../errors.js';
import { PasskeysQueries, type Registrant } from './passkeys.queries.js';

/** Deletes a passkey of one's own. The other sessions end: one of them may be the thief's. */
@Injectable()
export class DeletePasskey {
  constructor(
    private readonly accounts: AccountsQueries,
    private readonly passkeys: PasskeysQueries,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /** All of a person in one tenant, and the sessions in it. @returns the ids of the passkeys */
  async deleteAllIn(tx: SystemTx, revoke: Revoke, of: Registrant): Promise<{ readonly passkeys: readonly string[]; readonly user: User }> {
    const account = await this.accounts.byId(tx, of.userId);
    const passkeys = await this.passkeys.deleteAll(tx, of);
    await this.accounts.endSessionsIn(tx, of);
    await revoke(subjectOf.user(of.userId));
    return { passkeys, user: account!.user };
  }

  /** @throws DomainError 404 `passkey_not_found`, 409 `last_passkey` */
  async delete({ sessionId, ...of }: Registrant & { readonly sessionId: string }, id: string): Promise<void> {
    const { userId, tenantId } = of;
    await this.revocations.asSystem(async (tx, revoke) => {
      await this.passkeys.lock(tx, userId);
      const account = await this.accounts.byId(tx, userId);
      if (!(await this.passkeys.delete(tx, of, id))) throw passkeyNotFound();
      if (account?.user.passwordHash === null && (await this.passkeys.list(tx, of)).length === 0) throw lastPasskey();
      await this.accounts.endSessions(tx, userId, sessionId);
      await revoke(subjectOf.user(userId));
      const entry = { action: 'passkey.removed', subject: userId, details: { passkey: id } } as const;
      await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, entry);
    });
  }
}
