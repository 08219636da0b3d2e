import { Injectable } from '@nestjs/common';
import type { SystemTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries, type Revoke } from '../access/revocations.queries.js';
import { AuditLog } from '../contract.js';
import { walletNotProposed } from '../errors.js';
import { CheckSignature, type SignedMessage } from './check-signature.js';
import { AddMember } from '../members/change-member.js';
import { Member } from '../members/member.js';
import { MembersQueries } from '../members/members.queries.js';

/**
 * A proposed wallet becomes the member's by two proofs: a session of the member, and a message that the wallet signs. So neither an
 * administrator nor the owner of a wallet decides alone who signs in as whom. What was only typed about the address before gives way.
 */
@Injectable()
export class ConfirmWallet {
  constructor(
    private readonly signatures: CheckSignature,
    private readonly members: MembersQueries,
    private readonly addMember: AddMember,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @throws DomainError 400 and 401 `siwe_…`, 404 `member_not_found`, 409 `wallet_not_proposed`, `wallet_taken`;
   * EngineUnavailable('chain')
   */
  async confirm({ tenantId, userId }: Pick<Member, 'tenantId' | 'userId'>, signed: SignedMessage): Promise<void> {
    const address = await this.signatures.check(signed);
    await this.revocations.asSystem(async (tx, revoke) => {
      await this.members.lockTenantMembers(tx, tenantId);
      const member = await this.members.active(tx, tenantId, userId);
      if (member.proposedWallet !== address) throw walletNotProposed(address);
      await this.bind(tx, revoke, member, address);
    });
  }

  private async bind(tx: SystemTx, revoke: Revoke, member: Member, address: string): Promise<void> {
    const { tenantId, userId, wallet: before } = member;
    const grants = Object.assign(new Member(), member, { wallet: address });
    await this.members.endInvitations(tx, member);
    await this.addMember.addIn(tx, revoke, Object.assign(member, { proposedWallet: null, recoveringSince: null, proven: true }), grants);
    // The others of an organisation to which somebody had bound the address lose it.
    await revoke(subjectOf.tenant(tenantId));
    await this.members.releaseWallet(tx, grants);
    const details = { before, wallet: address };
    await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, { action: 'member.wallet_confirmed', subject: userId, details });
  }
}
