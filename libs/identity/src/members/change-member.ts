import { Injectable } from '@nestjs/common';
import {
  ANY_STATE,
  administersEveryProcess,
  type Actor,
  Clock,
  type ExpectedState,
  isUuid,
  requireAuthorityOver,
  requireGrantable,
} from '#kernel';
import type { SystemTx } from '#persistence';
import { checkGrants, type Grants } from '../access/grants.js';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries, type Revoke } from '../access/revocations.queries.js';
import type { AuditActor } from '../audit/audit.js';
import { AuditLog } from '../contract.js';
import { lastTenantAdmin, memberNotFound, organisationNotFound, tenantNotFound, userNotFound } from '../errors.js';
import { Member, grantsOf } from './member.js';
import { MembersQueries } from './members.queries.js';
import { BindWallet } from '../wallets/bind-wallet.js';
import { WalletsQueries } from '../wallets/wallets.queries.js';

type MemberBase = Pick<Member, 'tenantId' | 'userId'> &
  Partial<Pick<Member, 'createdAt' | 'proposedWallet' | 'invitedName' | 'acceptedAt' | 'recoveringSince'>> & {
    /** The operator vouches for the person: it needs nobody's acceptance. */
    readonly vouched?: boolean;
    /** The owner of the wallet signed for this member, just now. */
    readonly proven?: boolean;
  };

/** Makes a user a member of a tenant, or changes its grants. Both take effect at once for tokens that were issued before. */
@Injectable()
export class AddMember {
  constructor(
    private readonly members: MembersQueries,
    private readonly bindWallet: BindWallet,
    private readonly revocations: RevocationsQueries,
    private readonly clock: Clock,
  ) {}

  /** By the operator: it needs nobody's acceptance. The wallet is bound to the user and to its organisation, if it has one. @throws DomainError 422, 404, 409 `wallet_taken` */
  add(tenantId: string, userId: string, grants: Grants): Promise<Member> {
    return this.revocations.asSystem(async (tx, revoke) => {
      await this.members.lockTenantMembers(tx, tenantId);
      return this.addIn(tx, revoke, { tenantId, userId, vouched: true }, grants);
    });
  }

  /** @throws DomainError as `add` */
  async addIn(
    tx: SystemTx,
    revoke: Revoke,
    { tenantId, userId, createdAt, proposedWallet = null, invitedName = null, vouched, proven, ...base }: MemberBase,
    grants: Grants,
  ): Promise<Member> {
    const granted = Member.grant(tenantId, userId, grants, this.clock.now());
    const acceptedAt = vouched ? granted.createdAt : (base.acceptedAt ?? null);
    const kept = { proposedWallet, invitedName, acceptedAt, recoveringSince: base.recoveringSince ?? null };
    const member = Object.assign(granted, kept, createdAt && { createdAt });
    const { hasTenant, userName, hasOrganisation } = await this.members.context(tx, member);
    if (!hasTenant) throw tenantNotFound();
    if (userName === null) throw userNotFound();
    if (member.orgId && !hasOrganisation) throw organisationNotFound();
    if (member.wallet) {
      const label = (member.invitedName ?? userName) || null;
      await this.bindWallet.bindIn(tx, tenantId, { address: member.wallet, userId, orgId: member.orgId, label, proven });
    }
    await revoke(subjectOf.member(tenantId, userId));
    return this.members.save(tx, member);
  }

  /** Ends a membership. @throws DomainError 404 `member_not_found` */
  async revoke(tenantId: string, userId: string): Promise<void> {
    await this.revocations.asSystem(async (tx, revoke) => {
      await revoke(subjectOf.member(tenantId, userId));
      if (!(await this.members.end(tx, tenantId, userId))) throw memberNotFound();
    });
  }
}

/** Changes roles, scopes, wallet or organisation of a member, or ends the membership. Effective at once for tokens that were issued before. */
@Injectable()
export class ChangeMember {
  constructor(
    private readonly members: MembersQueries,
    private readonly wallets: WalletsQueries,
    private readonly addMember: AddMember,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A wallet is proposed, and the member confirms it; until then the one before stays.
   * @param changes absent fields do not change; a removed role takes its scopes with it
   * @throws DomainError 404 `member_not_found`, 403 `beyond_own_grants`, 422, 409 `wallet_taken`, `last_tenant_admin`, 412
   */
  change(
    tenantId: string,
    userId: string,
    changes: Partial<Grants>,
    by: Actor | AuditActor,
    expected: ExpectedState = ANY_STATE,
  ): Promise<void> {
    return this.locked(tenantId, userId, async (tx, member, revoke) => {
      expected.check(grantsOf(member));
      const grants = merged(member, changes);
      checkGrants({ ...grants, wallet: changes.wallet ?? null });
      if ('roles' in by) {
        requireAuthorityOver(by, member);
        requireGrantable(by, grants);
      }
      if (!administersEveryProcess(grants)) await this.requireOtherAdmin(tx, member);
      // A member who changes organisation takes the wallet along.
      if ((grants.orgId ?? null) !== member.orgId && member.wallet)
        await this.wallets.leaveOrganisation(tx, tenantId, userId, member.wallet);
      if (changes.roles || changes.roleScopes || changes.orgId !== undefined) await this.members.endInvitations(tx, member);
      const proposedWallet = proposed(member, changes);
      const changed = await this.addMember.addIn(tx, revoke, Object.assign(new Member(), member, { proposedWallet }), grants);
      const details = { before: grantsOf(member), after: grantsOf(changed) };
      await this.audit.record(tx, tenantId, by, { action: 'member.changed', subject: userId, details });
    });
  }

  /** @throws DomainError 404 `member_not_found`, 403 `beyond_own_grants`, 409 `last_tenant_admin`, 412 */
  remove(tenantId: string, userId: string, by: Actor | AuditActor, expected: ExpectedState = ANY_STATE): Promise<void> {
    return this.locked(tenantId, userId, async (tx, member, revoke) => {
      if ('roles' in by) requireAuthorityOver(by, member);
      expected.check(grantsOf(member));
      await this.requireOtherAdmin(tx, member);
      await this.members.end(tx, tenantId, userId);
      await revoke(subjectOf.member(tenantId, member.userId));
      await this.audit.record(tx, tenantId, by, { action: 'member.removed', subject: userId });
    });
  }

  private async locked(
    tenantId: string,
    userId: string,
    work: (tx: SystemTx, member: Member, revoke: Revoke) => Promise<void>,
  ): Promise<void> {
    if (!isUuid(userId)) throw memberNotFound();
    await this.revocations.asSystem(async (tx, revoke) => {
      await this.members.lockTenantMembers(tx, tenantId);
      await work(tx, await this.members.active(tx, tenantId, userId), revoke);
    });
  }

  private async requireOtherAdmin(tx: SystemTx, member: Member): Promise<void> {
    if (administersEveryProcess(member) && !(await this.members.hasOtherAdmin(tx, member))) throw lastTenantAdmin();
  }
}

/** The same wallet again, or none, withdraws a proposal. */
const proposed = (member: Member, { wallet }: Partial<Grants>): string | null =>
  wallet === undefined ? member.proposedWallet : wallet === member.wallet ? null : wallet;

function merged(member: Member, changes: Partial<Grants>): Grants {
  const roles = changes.roles ?? member.roles;
  const kept = Object.entries(member.roleScopes).filter(([role]) => (roles as readonly string[]).includes(role));
  return {
    roles,
    roleScopes: changes.roleScopes ?? Object.fromEntries(kept),
    wallet: changes.wallet === null ? null : member.wallet,
    orgId: changes.orgId === undefined ? member.orgId : changes.orgId,
  };
}
