import { Injectable } from '@nestjs/common';
import { type PreparedCall, TransactionPreparer } from '#chain';
import { type Actor, isUuid } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { ChainGrants } from '../administration.ports.js';
import { AuditLog, ProcessDirectory, Tenants } from '../contract.js';
import type { AuditActor } from '../domain/audit.js';
import { type GrantCall, NO_GRANT, grantCalls, wantedGrant } from '../domain/chain-grant.js';
import { memberNotFound, noMemberWallet } from '../domain/errors.js';
import { Member } from '../domain/member.js';

/** Call of the tenant's contract with what it does, for whoever signs it. */
export interface PreparedAdministration extends PreparedCall {
  readonly method: string;
}

/** What an administrator signs so that the contract lets a member do what the service lets them do, no less and no more. */
@Injectable()
export class PrepareGrants {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tenants: Tenants,
    private readonly processes: ProcessDirectory,
    private readonly chainGrants: ChainGrants,
    private readonly preparer: TransactionPreparer,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Of a removed member everything is taken. Empty where chain and service agree.
   * @param from EIP-55 of the administrator who signs, or null
   * @throws DomainError 404 `member_not_found`, 409 `member_has_no_wallet`, `tenant_has_no_contract`, 422 `tx_would_revert`
   */
  async prepare(tenantId: string, userId: string, from: string | null, by: Actor | AuditActor): Promise<readonly PreparedAdministration[]> {
    const contract = await this.tenants.contractOf(tenantId);
    const calls = await this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      const member = await memberOf(tx, userId);
      if (member.wallet === null) throw noMemberWallet();
      await this.audit.record(tx, tenantId, by, { action: 'member.grants_prepared', subject: userId, details: { wallet: member.wallet } });
      return this.callsFor(tx, contract, member, member.wallet);
    });
    return this.prepareAll(contract, from, calls);
  }

  async callsFor(tx: TenantTx, contract: string, member: Member, wallet: string): Promise<readonly GrantCall[]> {
    const standing = (await this.chainGrants.of(tx, contract, [wallet])).get(wallet) ?? NO_GRANT;
    const wanted = member.revokedAt ? NO_GRANT : wantedGrant(member.roles, member.roleScopes, await this.processes.processes(tx));
    return grantCalls(wallet, wanted, standing);
  }

  async prepareAll(
    contract: string,
    from: string | null,
    calls: readonly { readonly method: string; readonly args: readonly unknown[] }[],
  ): Promise<PreparedAdministration[]> {
    const prepared = await Promise.all(calls.map(({ method, args }) => this.preparer.prepare({ contract, from, method, args })));
    return prepared.map((call, i) => ({ ...inOrder(call, i), method: calls[i]!.method }));
  }
}

/** Transactions of one sender that are signed one after the other have nonces one after the other. */
const inOrder = (call: PreparedCall, position: number): PreparedCall => ({
  ...call,
  hints: { ...call.hints, nonce: call.hints.nonce === null ? null : call.hints.nonce + position },
});

/** Removed ones too. @throws DomainError 404 `member_not_found` */
export async function memberOf(tx: TenantTx, userId: string): Promise<Member> {
  const member = isUuid(userId) ? await tx.repository(Member).findOneBy({ tenantId: tx.tenantId, userId }) : null;
  if (!member) throw memberNotFound();
  return member;
}
