import { Injectable } from '@nestjs/common';
import { Clock, type Page, type PageRequest, type Role, isUuid } from '#kernel';
import { type SystemTx, type TenantTx, type Tx, UnitOfWork, pageOf } from '#persistence';
import type { RoleScopes } from '../access/grants.js';
import { memberNotFound } from '../errors.js';
import { Member } from './member.js';

export interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly roleScopes: RoleScopes;
  readonly wallet: string | null;
  readonly proposedWallet: string | null;
  readonly orgId: string | null;
  readonly orgName: string | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export interface MemberFilter {
  readonly status: 'active' | 'removed' | 'all';
  /** Part of the e-mail or the name; empty finds all. */
  readonly search: string;
}

const INVITATION_MS = 7 * 86_400_000;
/** A tenant sees the name that it gave: the one that others know tells that the person is known. */
const NAME = 'coalesce(m.invited_name, u.name)';
const COLUMNS = `u.id, u.email, ${NAME} as name, m.roles, m.role_scopes as "roleScopes", m.wallet,
  m.proposed_wallet as "proposedWallet", m.org_id as "orgId", o.name as "orgName",
  m.created_at as "createdAt", m.revoked_at as "revokedAt"`;
const MEMBERS = `identity.member m join identity.app_user u on u.id = m.user_id
  left join identity.organisation o on o.tenant_id = m.tenant_id and o.id = m.org_id where m.tenant_id = $1`;

async function memberOf(tx: Tx, tenantId: string, userId: string): Promise<Member | undefined> {
  const [member] = await tx.find(Member, 'identity.member where tenant_id = $1 and user_id = $2', [tenantId, userId]);
  return member;
}

/** Only the system may read names and e-mails of users, so lists of members are read as the system, by tenant. */
@Injectable()
export class MembersQueries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  list(tenantId: string, { status, search }: MemberFilter, page: PageRequest): Promise<Page<MemberRow>> {
    return this.unitOfWork.readAsSystem((tx) =>
      pageOf<MemberRow>(tx, page, {
        columns: COLUMNS,
        from: `${MEMBERS} and ($2 = 'all' or ($2 = 'active') = (m.revoked_at is null))
          and position(lower($3) in lower(u.email || ' ' || ${NAME})) > 0`,
        order: 'u.email',
        parameters: [tenantId, status, search],
      }),
    );
  }

  /** Removed members too. @throws DomainError 404 `member_not_found` */
  async get(tenantId: string, userId: string): Promise<MemberRow> {
    const [row] = isUuid(userId)
      ? await this.unitOfWork.readAsSystem((tx) =>
          tx.sql<MemberRow>(`select ${COLUMNS} from ${MEMBERS} and m.user_id = $2`, [tenantId, userId]),
        )
      : [];
    if (!row) throw memberNotFound();
    return row;
  }

  /** Removed members too. @throws DomainError 404 `member_not_found` */
  async find(tx: TenantTx, userId: string): Promise<Member> {
    const member = isUuid(userId) ? await memberOf(tx, tx.tenantId, userId) : undefined;
    if (!member) throw memberNotFound();
    return member;
  }

  /** Changes of one tenant's members wait for each other, so that two administrators cannot remove each other. */
  async lockTenantMembers(tx: SystemTx, tenantId: string): Promise<void> {
    await tx.sql('select 1 from identity.tenant where id = $1 for update', [tenantId]);
  }

  async tenantName(tx: SystemTx, tenantId: string): Promise<string> {
    const [row] = await tx.sql<{ name: string }>('select name from identity.tenant where id = $1', [tenantId]);
    return row!.name;
  }

  /** An active membership. @throws DomainError 404 `member_not_found` */
  async active(tx: SystemTx, tenantId: string, userId: string): Promise<Member> {
    const member = await memberOf(tx, tenantId, userId);
    if (!member || member.revokedAt) throw memberNotFound();
    return member;
  }

  async isActive(tx: SystemTx, tenantId: string, userId: string): Promise<boolean> {
    const member = await memberOf(tx, tenantId, userId);
    return member !== undefined && !member.revokedAt;
  }

  save(tx: SystemTx, member: Member): Promise<Member> {
    return tx.repository(Member).save(member);
  }

  /** False when there is no such membership. */
  async end(tx: SystemTx, tenantId: string, userId: string): Promise<boolean> {
    const { affected } = await tx.repository(Member).update({ tenantId, userId }, { revokedAt: this.clock.now() });
    return Boolean(affected);
  }

  /** From now on the wallet signs in for nobody, until another one is confirmed. */
  async startRecovery(tx: SystemTx, tenantId: string, userId: string): Promise<void> {
    await tx.repository(Member).update({ tenantId, userId }, { recoveringSince: this.clock.now() });
  }

  /** Takes a wallet from other members of the tenant: somebody typed it, and its owner signed for this one. @returns who had it */
  async releaseWallet(tx: SystemTx, { tenantId, userId, wallet }: Pick<Member, 'tenantId' | 'userId' | 'wallet'>): Promise<string[]> {
    const released = await tx.sql<{ user_id: string }>(
      'update identity.member set wallet = null where tenant_id = $1 and user_id <> $2 and wallet = $3 returning user_id',
      [tenantId, userId, wallet],
    );
    return released.map((row) => row.user_id);
  }

  /** Somebody who administers every process. */
  async hasOtherAdmin(tx: SystemTx, { tenantId, userId }: Pick<Member, 'tenantId' | 'userId'>): Promise<boolean> {
    const others = await tx.sql(
      `select 1 from identity.member where tenant_id = $1 and user_id <> $2 and revoked_at is null and 'TENANT_ADMIN' = any(roles)
         and (role_scopes->'TENANT_ADMIN' is null or role_scopes->'TENANT_ADMIN' ? '*') limit 1`,
      [tenantId, userId],
    );
    return others.length > 0;
  }

  /** Which of the tenant, the user and the organisation exist, and the user's name. */
  async context(
    tx: SystemTx,
    { tenantId, userId, orgId }: Pick<Member, 'tenantId' | 'userId' | 'orgId'>,
  ): Promise<{ readonly hasTenant: boolean; readonly userName: string | null; readonly hasOrganisation: boolean }> {
    const [row] = await tx.sql<{ hasTenant: boolean; userName: string | null; hasOrganisation: boolean }>(
      `select exists (select 1 from identity.tenant where id = $1) as "hasTenant",
              (select name from identity.app_user where id = $2) as "userName",
              exists (select 1 from identity.organisation where tenant_id = $1 and id = $3::uuid) as "hasOrganisation"`,
      // A text that is no id names no organisation.
      [tenantId, userId, isUuid(orgId) ? orgId : null],
    );
    return row!;
  }

  /** Somebody who got a link for this membership before must not use it for what the membership is now. */
  async endInvitations(tx: SystemTx, { tenantId, userId }: Pick<Member, 'tenantId' | 'userId'>): Promise<void> {
    await tx.sql('update identity.invitation set used_at = $3 where tenant_id = $1 and user_id = $2 and used_at is null', [
      tenantId,
      userId,
      this.clock.now(),
    ]);
  }

  /** A one-time link. @returns when it expires */
  async issueInvitation(
    tx: SystemTx,
    invitation: { readonly tokenHash: Buffer; readonly userId: string; readonly tenantId: string },
  ): Promise<Date> {
    const { tokenHash, userId, tenantId } = invitation;
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + INVITATION_MS);
    // Retention: an expired link has no use.
    await tx.sql('delete from identity.invitation where expires_at < $1', [now]);
    await tx.sql(`insert into identity.invitation (token_hash, user_id, tenant_id, created_at, expires_at) values ($1, $2, $3, $4, $5)`, [
      tokenHash,
      userId,
      tenantId,
      now,
      expiresAt,
    ]);
    return expiresAt;
  }

  /** Of an invitation that can still be used; it stays so. */
  async findInvitation(tx: SystemTx, tokenHash: Buffer): Promise<{ readonly userId: string; readonly tenantId: string } | null> {
    const [found] = await tx.sql<{ userId: string; tenantId: string }>(
      `select user_id as "userId", tenant_id as "tenantId" from identity.invitation
       where token_hash = $1 and used_at is null and expires_at > $2`,
      [tokenHash, this.clock.now()],
    );
    return found ?? null;
  }

  /** Uses up an invitation. Null for an unknown, used or expired one. */
  async takeInvitation(tx: SystemTx, tokenHash: Buffer): Promise<{ readonly userId: string; readonly tenantId: string } | null> {
    const [taken] = await tx.sql<{ userId: string; tenantId: string }>(
      `update identity.invitation set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2
       returning user_id as "userId", tenant_id as "tenantId"`,
      [tokenHash, this.clock.now()],
    );
    return taken ?? null;
  }
}
