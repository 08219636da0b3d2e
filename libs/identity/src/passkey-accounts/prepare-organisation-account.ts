import { Injectable } from '@nestjs/common';
import type { PreparedCall } from '#chain';
import { type Actor, Clock, hasRole, invalidContent, requireEveryProcess, type Role } from '#kernel';
import { UnitOfWork } from '#persistence';
import { EstimateCalls, KeepAccountCalls } from '#prepare';
import { AuditLog } from '../contract.js';
import { lastAccountKey, notYourOrganisation, removalNotReady, tooManyAccountKeys } from '../errors.js';
import { PrepareGrants } from '../members/prepare-grants.js';
import { type PasskeyAccount, PasskeyAccountsQueries } from '../passkeys/passkey-accounts.queries.js';
import { CompareGrants } from '../wallets/compare-grants.js';
import { MOST_KEYS, type KeyState, type NamedKey, callOfItself } from './account-keys.client.js';
import { AccountStateClient } from './account-state.client.js';
import { ReadOrganisationAccount } from './open-organisation-account.js';
import { type AccountRecord, type KeyCall, withNames } from './prepare-key.js';

export type OwnerChange = 'add' | 'propose_removal' | 'veto_removal' | 'remove';

/** A call with its name, and who signs it: the account of the organisation, or an administrator. */
export interface NamedCall extends PreparedCall {
  readonly method: string;
  /** EIP-55. */
  readonly signer: string | null;
}

/** @throws DomainError 403 `not_your_organisation`, `beyond_own_grants` */
export function requireOwnOrganisation(actor: Actor, orgId: string): void {
  // Being a member is not enough: a TENANT_ADMIN of some processes may be one of any role.
  if (actor.orgId === orgId.toLowerCase() && hasRole(actor, 'ADMIN')) return;
  if (!hasRole(actor, 'TENANT_ADMIN')) throw notYourOrganisation();
  requireEveryProcess(actor, ['TENANT_ADMIN']);
}

/** Calls by which the owners of an organisation's account add or remove one another. The contract holds them to seven days and a veto. */
@Injectable()
export class PrepareOwner {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly organisationAccount: ReadOrganisationAccount,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly keep: KeepAccountCalls,
  ) {}

  /**
   * One batch: a call for each passkey of the member.
   * @throws DomainError 403, 404 `organisation_account_not_found`; 422 with the pointer /userId; 409 `last_account_key`, `too_many_account_keys`,
   * `removal_not_ready`
   */
  async prepare(actor: Actor, orgId: string, userId: string, change: OwnerChange): Promise<readonly KeyCall[]> {
    requireOwnOrganisation(actor, orgId);
    const record = await this.organisationAccount.read({ tenantId: actor.tenantId, orgId });
    const own = record.keys.filter(({ passkey }) => passkey?.userId === userId);
    const changed = own.filter(({ keyId }) => isOpenTo(change, record.state.keys.get(keyId)!));
    if (changed.length === 0) throw notAnOwner(change);
    this.requireRoom(record, changed, change, userId === actor.id);
    await this.unitOfWork.inTransaction(actor, (tx) =>
      this.audit.record(tx, actor.tenantId, actor, {
        action: 'organisation.owner_prepared',
        subject: orgId,
        details: { owner: userId, change },
      }),
    );
    const { address } = record.account;
    const calls = changed.map((named) => callOfItself(address, METHOD[change], change === 'add' ? named.key : named.keyId));
    return withNames(this.keep, calls);
  }

  private requireRoom({ state }: AccountRecord, changed: readonly NamedKey[], change: OwnerChange, isOwn: boolean): void {
    if (change === 'add' && state.keyCount + changed.length > MOST_KEYS) throw tooManyAccountKeys(MOST_KEYS);
    if (change !== 'remove') return;
    if (changed.length >= state.keyCount) throw lastAccountKey();
    if (isOwn) return;
    const isReady = changed.every(({ keyId }) => {
      const { removableAt } = state.keys.get(keyId)!;
      return removableAt !== null && removableAt <= this.clock.now();
    });
    if (!isReady) throw removalNotReady();
  }
}

const notAnOwner = (change: OwnerChange) => {
  const message =
    change === 'add' ? 'A member of the organisation with a passkey that does not sign yet.' : 'An owner whose key can be changed so.';
  return invalidContent([{ pointer: '/userId', code: 'not_an_owner', message }]);
};

const METHOD = { add: 'addKey', propose_removal: 'proposeRemoval', veto_removal: 'vetoRemoval', remove: 'removeKey' } as const;

function isOpenTo(change: OwnerChange, { signs, removableAt }: KeyState): boolean {
  if (change === 'add') return !signs;
  return signs && (change !== 'veto_removal' || removableAt !== null);
}

/** Which wallets an organisation's account approves, and which it should. */
@Injectable()
export class ReadApprovals {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: PasskeyAccountsQueries,
    private readonly chain: AccountStateClient,
    private readonly grants: CompareGrants,
  ) {}

  /** @throws DomainError 409 `tenant_has_no_contract` */
  contractOf(tenantId: string): Promise<string> {
    return this.grants.contractOf(tenantId);
  }

  /** What is missing or too much: members of the organisation are approved, and no other wallet of a member. */
  async outOfLine(tenantId: string, contract: string, { address, orgId }: PasskeyAccount): Promise<readonly Approval[]> {
    const holders = await this.unitOfWork.readAsSystem((tx) => this.accounts.memberWallets(tx, tenantId));
    const approved = await this.chain.approved(
      contract,
      address,
      holders.map(({ wallet }) => wallet),
    );
    return holders.flatMap(({ wallet, orgId: of, active }) => {
      const allowed = active && of === orgId;
      return allowed === approved.has(wallet) ? [] : [{ wallet, allowed }];
    });
  }

  /** @returns none for a member whom the account does not approve @throws DomainError 422 with the pointer /userId for who never was a member */
  async ofMember(tenantId: string, contract: string, { address }: PasskeyAccount, userId: string): Promise<readonly Approval[]> {
    const member = await this.unitOfWork.readAsSystem((tx) => this.accounts.memberWallet(tx, tenantId, userId));
    if (!member)
      throw invalidContent([{ pointer: '/userId', code: 'unknown_member', message: 'A member of the tenant, or a former one.' }]);
    const { wallet } = member;
    if (wallet === null || !(await this.chain.approved(contract, address, [wallet])).has(wallet)) return [];
    return [{ wallet, allowed: false }];
  }
}

interface Approval {
  readonly wallet: string;
  readonly allowed: boolean;
}

/** Calls about the members that an organisation's account approves. */
@Injectable()
export class PrepareApprovals {
  static readonly roles: readonly Role[] = ['ADMIN', 'TENANT_ADMIN'];

  constructor(
    private readonly organisationAccount: ReadOrganisationAccount,
    private readonly approvals: ReadApprovals,
    private readonly prepareGrants: PrepareGrants,
    private readonly estimates: EstimateCalls,
  ) {}

  /**
   * Brings the approvals in line with the members of the organisation: one batch for an owner to sign, empty when they agree.
   * @throws DomainError 403, 404 `organisation_account_not_found`, 409 `tenant_has_no_contract`
   */
  async prepare(actor: Actor, orgId: string): Promise<readonly NamedCall[]> {
    requireOwnOrganisation(actor, orgId);
    const record = await this.organisationAccount.read({ tenantId: actor.tenantId, orgId });
    const contract = await this.approvals.contractOf(actor.tenantId);
    const changes = await this.approvals.outOfLine(actor.tenantId, contract, record.account);
    return this.estimated(contract, record, changes.slice(0, MOST_CALLS));
  }

  /**
   * What takes the approval and the roles of one member away, in one answer: the first call is an owner's to sign, the others an administrator's.
   * @param from EIP-55 of the administrator, or null
   * @throws DomainError 403, 404 `organisation_account_not_found`, 409 `tenant_has_no_contract`, 422 `tx_would_revert`
   */
  async prepareRemoval(actor: Actor, orgId: string, userId: string, from: string | null): Promise<readonly NamedCall[]> {
    requireOwnOrganisation(actor, orgId);
    const record = await this.organisationAccount.read({ tenantId: actor.tenantId, orgId });
    const contract = await this.approvals.contractOf(actor.tenantId);
    const approval = await this.approvals.ofMember(actor.tenantId, contract, record.account, userId);
    const roles = await this.prepareGrants.prepareNone(actor, userId, from);
    return [...(await this.estimated(contract, record, approval)), ...roles.map((call) => ({ ...call, signer: from }))];
  }

  private async estimated(contract: string, { account }: AccountRecord, changes: readonly Approval[]): Promise<readonly NamedCall[]> {
    const calls = changes.map(({ wallet, allowed }) => ({ method: 'setApprovalForAll', args: [wallet, allowed] }));
    const prepared = await this.estimates.estimateEach(contract, account.address, calls);
    return prepared.map(({ method, preparedTx, hints, warnings }) => ({ method, signer: account.address, preparedTx, hints, warnings }));
  }
}

/** Of a batch of an account. */
const MOST_CALLS = 100;
