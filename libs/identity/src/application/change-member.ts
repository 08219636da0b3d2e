import { Injectable } from '@nestjs/common';
import { type Actor, Clock, isUuid } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import type { AuditActor } from '../domain/audit.js';
import { checkDelegation } from '../domain/delegation.js';
import { lastTenantAdmin, memberNotFound } from '../domain/errors.js';
import { type Grants, Member } from '../domain/member.js';
import { subjectOf } from '../domain/revocation.js';
import { Revocations } from '../ports.js';
import { AddMember } from './add-member.js';

/** Other roles, scopes, wallet or organisation for a member, or the end of the membership: at once for tokens that are out. */
@Injectable()
export class ChangeMember {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly addMember: AddMember,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @param changes what is absent stays; a role that is taken takes its scopes along
   * @throws DomainError 404 `member_not_found`, 422, 409 `wallet_taken`, `last_tenant_admin`
   */
  change(tenantId: string, userId: string, changes: Partial<Grants>, by: Actor | AuditActor): Promise<void> {
    return this.inTurn(tenantId, userId, async (tx, member) => {
      const grants = merged(member, changes);
      if ('roles' in by && (changes.roles || changes.roleScopes)) checkDelegation(by, grants);
      const changed = Object.assign(Member.grant(tenantId, userId, grants, this.clock.now()), { createdAt: member.createdAt });
      if (!changed.roles.includes('TENANT_ADMIN')) await keepAnAdmin(tx, member);
      // Their wallet goes with them to another organisation.
      if (changed.orgId !== member.orgId && member.wallet)
        await tx.sql('update identity.wallet set org_id = null, site_id = null where tenant_id = $1 and address = $2 and user_id = $3', [
          tenantId,
          member.wallet,
          userId,
        ]);
      const { roles, roleScopes, wallet, orgId } = await this.addMember.addIn(tx, changed);
      await this.audit.record(tx, tenantId, by, {
        action: 'member.changed',
        subject: userId,
        details: {
          before: { roles: member.roles, roleScopes: member.roleScopes, wallet: member.wallet, orgId: member.orgId },
          after: { roles, roleScopes, wallet, orgId },
        },
      });
    });
  }

  /** @throws DomainError 404 `member_not_found`, 409 `last_tenant_admin` */
  remove(tenantId: string, userId: string, by: Actor | AuditActor): Promise<void> {
    return this.inTurn(tenantId, userId, async (tx, member) => {
      await keepAnAdmin(tx, member);
      await tx.repository(Member).update({ tenantId, userId }, { revokedAt: this.clock.now() });
      await this.audit.record(tx, tenantId, by, { action: 'member.removed', subject: userId });
    });
  }

  /** Changes of one tenant's members wait for each other, so that two administrators cannot remove each other. */
  private async inTurn(tenantId: string, userId: string, work: (tx: SystemTx, member: Member) => Promise<void>): Promise<void> {
    if (!isUuid(userId)) throw memberNotFound();
    const subjects = [subjectOf.member(tenantId, userId.toLowerCase())];
    await this.unitOfWork.asSystem(async (tx) => {
      await tx.sql('select 1 from identity.tenant where id = $1 for update', [tenantId]);
      const member = await tx.repository(Member).findOneBy({ tenantId, userId });
      if (!member || member.revokedAt) throw memberNotFound();
      await this.revocations.record(tx, subjects);
      await work(tx, member);
    });
    this.revocations.forget(subjects);
  }
}

function merged(member: Member, changes: Partial<Grants>): Grants {
  const roles = changes.roles ?? member.roles;
  const kept = Object.entries(member.roleScopes).filter(([role]) => (roles as readonly string[]).includes(role));
  return {
    roles,
    roleScopes: changes.roleScopes ?? Object.fromEntries(kept),
    wallet: changes.wallet === undefined ? member.wallet : changes.wallet,
    orgId: changes.orgId === undefined ? member.orgId : changes.orgId,
  };
}

async function keepAnAdmin(tx: SystemTx, { tenantId, userId, roles }: Member): Promise<void> {
  if (!roles.includes('TENANT_ADMIN')) return;
  const others = await tx.sql(
    `select 1 from identity.member where tenant_id = $1 and user_id <> $2 and revoked_at is null and 'TENANT_ADMIN' = any(roles) limit 1`,
    [tenantId, userId],
  );
  if (others.length === 0) throw lastTenantAdmin();
}
