import { Injectable } from '@nestjs/common';
import { type Actor, isUuid, requireAuthorityOver, requireRole } from '#kernel';
import type { SystemTx } from '#persistence';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { AuditLog } from '../contract.js';
import { anotherAdminRequired, memberNotFound, noMemberWallet, noNewPasskey } from '../errors.js';
import { InviteMember } from '../members/invite-member.js';
import type { Member } from '../members/member.js';
import { MembersQueries } from '../members/members.queries.js';
import { type PreparedReplacement, PrepareGrants, ReplaceWallet } from '../members/prepare-grants.js';
import { DeletePasskey } from '../passkeys/delete-passkey.js';
import { ReserveAccount } from './reserve-account.js';

/**
 * A member lost all passkeys, or they were stolen. Another administrator starts the recovery: the passkeys, the sessions and the old wallet
 * sign in no longer, and a link to a new passkey goes to the mailbox.
 */
@Injectable()
export class RecoverMember {
  constructor(
    private readonly members: MembersQueries,
    private readonly passkeys: DeletePasskey,
    private readonly invite: InviteMember,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 403 `beyond_own_grants`, 404 `member_not_found`, 409 `another_admin_required`, `member_has_no_wallet` */
  async start(actor: Actor, userId: string): Promise<void> {
    const { tenantId } = actor;
    const mail = await this.revocations.asSystem(async (tx, revoke) => {
      await this.members.lockTenantMembers(tx, tenantId);
      await recoverable(tx, this.members, actor, userId);
      await this.members.startRecovery(tx, tenantId, userId);
      const { passkeys, user } = await this.passkeys.deleteAllIn(tx, revoke, { tenantId, userId });
      await this.audit.record(tx, tenantId, actor, { action: 'member.recovery_started', subject: userId, details: { passkeys } });
      return this.invite.linkAgain(tx, tenantId, user);
    });
    this.invite.sendAgain(mail);
  }
}

/** The second half of a recovery: the wallet moves to an account of the passkeys that the member has now, after the contract's seven days. */
@Injectable()
export class PrepareRecovery {
  constructor(
    private readonly members: MembersQueries,
    private readonly accounts: ReserveAccount,
    private readonly replaceWallet: ReplaceWallet,
    private readonly revocations: RevocationsQueries,
  ) {}

  /**
   * @param from EIP-55 of the administrator who signs, or null
   * @throws DomainError as `RecoverMember.start`; 409 `no_account_factory`, `no_new_passkey`, `tenant_has_no_contract`, 422 `tx_would_revert`
   */
  async prepare(actor: Actor, userId: string, from: string | null): Promise<PreparedReplacement> {
    const { tenantId } = actor;
    const factory = await this.accounts.factory();
    const address = await this.revocations.asSystem(async (tx) => {
      await this.members.lockTenantMembers(tx, tenantId);
      const { wallet: but, recoveringSince } = await recoverable(tx, this.members, actor, userId);
      return recoveringSince && this.accounts.ofPasskeysIn(tx, { tenantId, userId }, { factory, but });
    });
    if (address === null) throw noNewPasskey();
    return this.replaceWallet.prepare(actor, userId, address, from);
  }
}

async function recoverable(
  tx: SystemTx,
  members: MembersQueries,
  actor: Actor,
  userId: string,
): Promise<Member & { readonly wallet: string }> {
  requireRole(actor, PrepareGrants.roles);
  if (!isUuid(userId)) throw memberNotFound();
  // Who holds the lost keys could do it too: somebody else has to know that they are lost.
  if (userId.toLowerCase() === actor.id) throw anotherAdminRequired();
  const member = await members.active(tx, actor.tenantId, userId);
  requireAuthorityOver(actor, member);
  const { wallet } = member;
  if (wallet === null) throw noMemberWallet();
  return Object.assign(member, { wallet });
}
