import { Injectable } from '@nestjs/common';
import { type PreparedCall, TransactionPreparer } from '#chain';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { ChainGrants } from '../administration.ports.js';
import { AuditLog, Tenants } from '../contract.js';
import { NO_GRANT, grantCalls } from '../domain/chain-grant.js';
import { memberNotFound, noMemberWallet } from '../domain/errors.js';
import { subjectOf } from '../domain/revocation.js';
import { Revocations } from '../ports.js';
import { BindWallet } from './bind-wallet.js';
import { type PreparedAdministration, PrepareGrants, memberOf } from './prepare-grants.js';

export interface PreparedReplacement {
  /** For the administrator: the old wallet loses its rights, the move is proposed, the new wallet gets its rights. */
  readonly preparedTxs: readonly PreparedAdministration[];
  /** For the new wallet, when the contract's delay of seven days is over. */
  readonly acceptance: PreparedCall;
}

/** A member lost the key of their wallet. The contract gives the custodian seven days to object, in case it is not lost. */
@Injectable()
export class ReplaceWallet {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tenants: Tenants,
    private readonly chainGrants: ChainGrants,
    private readonly prepareGrants: PrepareGrants,
    private readonly preparer: TransactionPreparer,
    private readonly bindWallet: BindWallet,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Binds the new address to the member at once; it becomes the member's wallet when the move has landed.
   * @throws DomainError 404, 409 `member_has_no_wallet`, `wallet_taken`, `tenant_has_no_contract`, 422 `tx_would_revert`: for example the
   * old wallet never held a lot, so there is nothing to move (then change the member's wallet instead)
   */
  async prepare(actor: Actor, userId: string, to: string, from: string | null): Promise<PreparedReplacement> {
    const { tenantId } = actor;
    const contract = await this.tenants.contractOf(tenantId);
    const { lost, calls } = await this.unitOfWork.inTransaction(actor, async (tx) => {
      const member = await memberOf(tx, userId);
      if (member.revokedAt) throw memberNotFound();
      if (member.wallet === null) throw noMemberWallet();
      const standing = (await this.chainGrants.of(tx, contract, [member.wallet])).get(member.wallet) ?? NO_GRANT;
      return {
        lost: member,
        calls: [
          ...grantCalls(member.wallet, NO_GRANT, standing),
          { method: 'proposeWallet', args: [member.wallet, to] },
          ...(await this.prepareGrants.callsFor(tx, contract, member, to)),
        ],
      };
    });
    const preparedTxs = await this.prepareGrants.prepareAll(contract, from, calls);
    const acceptance = await this.preparer.prepare({ contract, from: null, method: 'acceptWallet', args: [lost.wallet] });
    await this.bind(actor, userId, lost.orgId, lost.wallet!, to);
    return { preparedTxs, acceptance };
  }

  private async bind(actor: Actor, userId: string, orgId: string | null, lost: string, to: string): Promise<void> {
    const subjects = [subjectOf.tenant(actor.tenantId)];
    await this.unitOfWork.asSystem(async (tx) => {
      await this.revocations.record(tx, subjects);
      await this.bindWallet.bindIn(tx, actor.tenantId, { address: to, userId, orgId });
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'member.wallet_replacement_prepared',
        subject: userId,
        details: { from: lost, to },
      });
    });
    this.revocations.forget(subjects);
  }
}
