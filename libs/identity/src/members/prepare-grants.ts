import { Injectable } from '@nestjs/common';
import type { PreparedCall } from '#chain';
import { type Actor, invalidContent, requireAuthorityOver, requireRole, type Role } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { EstimateCalls } from '#prepare';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import type { AuditActor } from '../audit/audit.js';
import { AuditLog } from '../contract.js';
import { memberNotFound, noMemberWallet } from '../errors.js';
import type { Member } from './member.js';
import { MembersQueries } from './members.queries.js';
import { BindWallet } from '../wallets/bind-wallet.js';
import { grantCalls, NO_GRANT } from '../wallets/chain-grant.js';
import { CompareGrants } from '../wallets/compare-grants.js';

/** Call of the tenant's contract, with the name of its method for the person who signs. */
export interface PreparedAdministration extends PreparedCall {
  readonly method: string;
}

export interface PreparedReplacement {
  /** For the administrator: the old wallet loses its rights, the move is proposed, the new wallet gets its rights. */
  readonly preparedTxs: readonly PreparedAdministration[];
  /** For the new wallet, after the contract's delay of seven days. */
  readonly acceptance: PreparedCall;
}

/** Of a batch of a passkey account. */
const MOST_CALLS = 100;

interface ContractCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Transactions for an administrator to sign, so that the contract lets a member do exactly what the service lets them do. */
@Injectable()
export class PrepareGrants {
  static readonly roles: readonly Role[] = ['TENANT_ADMIN'];
  static readonly bearerOnly = true;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly members: MembersQueries,
    private readonly grants: CompareGrants,
    private readonly estimates: EstimateCalls,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A removed member loses all rights. Empty when chain and service agree.
   * @param from EIP-55 of the administrator who signs, or null
   * @throws DomainError 404 `member_not_found`, 403 `beyond_own_grants`, 409 `member_has_no_wallet`, `tenant_has_no_contract`, 422 `tx_would_revert`
   */
  async prepare(tenantId: string, userId: string, from: string | null, by: Actor | AuditActor): Promise<readonly PreparedAdministration[]> {
    if ('roles' in by) requireRole(by, PrepareGrants.roles);
    const contract = await this.grants.contractOf(tenantId);
    const calls = await this.unitOfWork.inTransaction({ tenantId }, (tx) => this.grantCallsOf(tx, by, contract, userId));
    const prepared = await this.estimates.estimateEach(contract, from, calls);
    // Without the arguments of the calls: the command line prints the answer as JSON, which has no 256-bit integers.
    return prepared.map(({ method, preparedTx, hints, warnings }) => ({ method, preparedTx, hints, warnings }));
  }

  /**
   * Of several members, for one batch of an administrator whose wallet is an account of passkeys; in the order of the members.
   * @param userIds at most 100
   * @throws DomainError as `prepare`; 422 `invalid_content` for more calls than a batch has
   */
  async prepareMany(actor: Actor, userIds: readonly string[], from: string | null): Promise<readonly PreparedAdministration[]> {
    requireRole(actor, PrepareGrants.roles);
    const contract = await this.grants.contractOf(actor.tenantId);
    const calls = await this.unitOfWork.inTransaction(actor, async (tx) => {
      const all: ContractCall[] = [];
      for (const userId of new Set(userIds)) all.push(...(await this.grantCallsOf(tx, actor, contract, userId)));
      return all;
    });
    const message = `These members need ${calls.length} calls; a batch has at most ${MOST_CALLS}.`;
    if (calls.length > MOST_CALLS) throw invalidContent([{ pointer: '/members', code: 'too_many_calls', message }]);
    const prepared = await this.estimates.estimateEach(contract, from, calls);
    return prepared.map(({ method, preparedTx, hints, warnings }) => ({ method, preparedTx, hints, warnings }));
  }

  /** What takes all roles away, whatever the service lets the member do; empty for who has none. @throws DomainError as `prepare` */
  async prepareNone(actor: Actor, userId: string, from: string | null): Promise<readonly PreparedAdministration[]> {
    const contract = await this.grants.contractOf(actor.tenantId);
    const calls = await this.unitOfWork.inTransaction(actor, async (tx) => {
      const member = await this.members.find(tx, userId);
      requireAuthorityOver(actor, member);
      const { wallet, roles, roleScopes, revokedAt } = member;
      if (wallet === null) return [];
      await this.audit.record(tx, tx.tenantId, actor, {
        action: 'member.grants_prepared',
        subject: userId,
        details: { wallet, none: true },
      });
      const [comparison] = (await this.grants.compare(tx, contract, [{ wallet, roles, roleScopes, revokedAt }])).comparisons;
      return grantCalls(wallet, NO_GRANT, comparison!.current);
    });
    const prepared = await this.estimates.estimateEach(contract, from, calls);
    return prepared.map(({ method, preparedTx, hints, warnings }) => ({ method, preparedTx, hints, warnings }));
  }

  private async grantCallsOf(tx: TenantTx, by: Actor | AuditActor, contract: string, userId: string): Promise<readonly ContractCall[]> {
    const member = await this.members.find(tx, userId);
    if ('roles' in by) requireAuthorityOver(by, member);
    const { wallet, roles, roleScopes, revokedAt } = member;
    if (wallet === null) throw noMemberWallet();
    await this.audit.record(tx, tx.tenantId, by, { action: 'member.grants_prepared', subject: userId, details: { wallet } });
    const [comparison] = (await this.grants.compare(tx, contract, [{ wallet, roles, roleScopes, revokedAt }])).comparisons;
    return grantCalls(wallet, comparison!.wanted, comparison!.current);
  }

  /** @throws DomainError as `prepare`; 422 `tx_would_revert` also when the old wallet never held a lot */
  async prepareReplacement(
    actor: Actor,
    userId: string,
    to: string,
    from: string | null,
  ): Promise<PreparedReplacement & { readonly member: Member & { readonly wallet: string } }> {
    requireRole(actor, PrepareGrants.roles);
    const contract = await this.grants.contractOf(actor.tenantId);
    const { member, calls } = await this.unitOfWork.inTransaction(actor, (tx) =>
      this.replacementCalls(tx, actor, { contract, userId, to }),
    );
    const preparedTxs = await this.estimates.estimateEach(contract, from, calls);
    const [acceptance] = await this.estimates.estimateEach(contract, null, [{ method: 'acceptWallet', args: [member.wallet] }]);
    return { preparedTxs, acceptance: acceptance!, member };
  }

  private async replacementCalls(
    tx: TenantTx,
    actor: Actor,
    { contract, userId, to }: { readonly contract: string; readonly userId: string; readonly to: string },
  ): Promise<{ readonly member: Member & { readonly wallet: string }; readonly calls: readonly ContractCall[] }> {
    const member = await this.members.find(tx, userId);
    if (member.revokedAt) throw memberNotFound();
    requireAuthorityOver(actor, member);
    const { wallet, roles, roleScopes, revokedAt } = member;
    if (wallet === null) throw noMemberWallet();
    const holders = [wallet, to].map((held) => ({ wallet: held, roles, roleScopes, revokedAt }));
    const [lost, next] = (await this.grants.compare(tx, contract, holders)).comparisons;
    return {
      member: Object.assign(member, { wallet }),
      calls: [
        ...grantCalls(wallet, NO_GRANT, lost!.current),
        { method: 'proposeWallet', args: [wallet, to] },
        ...grantCalls(to, next!.wanted, next!.current),
      ],
    };
  }
}

/** Replaces the wallet of a member who lost its key. The contract gives the holder seven days to object, in case the key is not lost. */
@Injectable()
export class ReplaceWallet {
  constructor(
    private readonly prepareGrants: PrepareGrants,
    private readonly bindWallet: BindWallet,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Binds the new address to the member at once; it becomes the member's wallet when the move is on chain.
   * @throws DomainError 404, 409 `member_has_no_wallet`, `wallet_taken`, `tenant_has_no_contract`, 422 `tx_would_revert`: for example the
   * old wallet never held a lot, so there is nothing to move (then change the member's wallet instead)
   */
  async prepare(actor: Actor, userId: string, to: string, from: string | null): Promise<PreparedReplacement> {
    const { preparedTxs, acceptance, member } = await this.prepareGrants.prepareReplacement(actor, userId, to, from);
    await this.revocations.asSystem(async (tx, revoke) => {
      await revoke(subjectOf.tenant(actor.tenantId));
      await this.bindWallet.bindIn(tx, actor.tenantId, { address: to, userId, orgId: member.orgId });
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'member.wallet_replacement_prepared',
        subject: userId,
        details: { from: member.wallet, to },
      });
    });
    return { preparedTxs, acceptance };
  }
}
