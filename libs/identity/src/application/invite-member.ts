import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { Invitations } from '../administration.ports.js';
import { AuditLog } from '../contract.js';
import type { AuditActor } from '../domain/audit.js';
import { checkDelegation } from '../domain/delegation.js';
import { alreadyMember, emailTaken, invitationNotFound } from '../domain/errors.js';
import { type Grants, Member } from '../domain/member.js';
import { subjectOf } from '../domain/revocation.js';
import { User, checkNewPassword, normaliseEmail } from '../domain/user.js';
import { PasswordHasher, Revocations } from '../ports.js';
import { AddMember } from './add-member.js';

const INVITATION_MS = 7 * 86_400_000;

export interface NewMember extends Grants {
  readonly email: string;
  readonly name?: string;
  /** For a new user. Without it they get a one-time link to set their own. */
  readonly password?: string;
}

export interface Invited {
  readonly userId: string;
  /** Shown once, for the administrator to hand over; null for whoever can log in already. */
  readonly invitation: { readonly token: string; readonly expiresAt: Date } | null;
  /** Where another tenant gave them their password: this one is open to them after a link that only their mailbox gets. */
  readonly mailboxToProve: string | null;
}

/** Gives somebody a place in the tenant: a user of the service, or a new one. */
@Injectable()
export class InviteMember {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly passwords: PasswordHasher,
    private readonly addMember: AddMember,
    private readonly invitations: Invitations,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422, 404 `organisation_not_found`, 409 `already_member`, `wallet_taken`, or `email_taken` where a user's password was to be set by another */
  async invite(tenantId: string, input: NewMember, by: Actor | AuditActor): Promise<Invited> {
    const hash = await this.hashed(input.password);
    if ('roles' in by) checkDelegation(by, input);
    const userId = { known: '' };
    const invited = await this.unitOfWork.asSystem(async (tx) => {
      const result = await this.inviteIn(tx, tenantId, input, hash, by);
      userId.known = result.userId;
      return result;
    });
    this.revocations.forget([subjectOf.member(tenantId, userId.known)]);
    return invited;
  }

  /** Hashing takes long, and connections are few: before the transaction. @throws DomainError 422 */
  async hashed(password: string | undefined): Promise<string | null> {
    if (password === undefined) return null;
    checkNewPassword(password);
    return this.passwords.hash(password);
  }

  async inviteIn(tx: SystemTx, tenantId: string, input: NewMember, hash: string | null, by: Actor | AuditActor): Promise<Invited> {
    const now = this.clock.now();
    // Who runs the service may vouch for a person; a tenant's administrator only for its own tenant.
    const vouched = by.kind === 'operator';
    const fresh = User.create({ email: input.email, name: input.name ?? '' }, hash, newId(), now, vouched ? null : tenantId);
    const made = await tx.repository(User).createQueryBuilder().insert().values(fresh).orIgnore().returning('id').execute();
    const isNew = (made.raw as unknown[]).length > 0;
    const user = isNew ? fresh : await tx.repository(User).findOneByOrFail({ email: normaliseEmail(input.email) });
    // A password is its user's alone: one tenant's administrator must not set it for another tenant's member.
    if (!isNew && hash !== null) throw emailTaken();
    if (!isNew && vouched) await tx.repository(User).update({ id: user.id }, { passwordFrom: null });
    const standing = await tx.repository(Member).findOneBy({ tenantId, userId: user.id });
    if (standing && !standing.revokedAt) throw alreadyMember();
    const member = await this.addMember.addIn(tx, Member.grant(tenantId, user.id, input, now));
    await this.revocations.record(tx, [subjectOf.member(tenantId, user.id)]);
    const { roles, roleScopes, wallet, orgId } = member;
    await this.audit.record(tx, tenantId, by, {
      action: 'member.added',
      subject: user.id,
      details: { email: user.email, roles, roleScopes, wallet, orgId },
    });
    const invitation = await this.linkFor(tx, tenantId, user, isNew, now);
    // Whoever hands out the link may use it.
    if (invitation && !vouched) await tx.repository(User).update({ id: user.id }, { passwordFrom: tenantId });
    const isKept = !isNew && !vouched && user.passwordFrom !== null && user.passwordFrom !== tenantId;
    return { userId: user.id, invitation, mailboxToProve: isKept ? user.email : null };
  }

  /** Sets the password by the one-time link. @throws DomainError 404 `invitation_not_found`, 422 */
  async accept(token: string, password: string): Promise<void> {
    const hash = await this.hashed(password);
    await this.unitOfWork.asSystem(async (tx) => {
      const taken = await this.invitations.take(tx, hashOf(token), this.clock.now());
      if (!taken) throw invitationNotFound();
      // Whoever has a password by now does not lose it to an old link.
      const changed = await tx.sql('update identity.app_user set password_hash = $2 where id = $1 and password_hash is null returning id', [
        taken.userId,
        hash,
      ]);
      if (changed.length === 0) throw invitationNotFound();
      await this.audit.record(
        tx,
        taken.tenantId,
        { kind: 'user', id: taken.userId },
        { action: 'invitation.accepted', subject: taken.userId },
      );
    });
  }

  /** Only for a user of this tenant alone: a link of theirs in a stranger's hand would open the other tenants too. */
  private async linkFor(tx: SystemTx, tenantId: string, user: User, isNew: boolean, now: Date): Promise<Invited['invitation']> {
    if (user.passwordHash !== null || user.platformAdmin) return null;
    if (!isNew) {
      const others = await tx.sql('select 1 from identity.member where user_id = $1 and tenant_id <> $2 limit 1', [user.id, tenantId]);
      if (others.length > 0) return null;
    }
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(now.getTime() + INVITATION_MS);
    await this.invitations.issue(tx, { tokenHash: hashOf(token), userId: user.id, tenantId, createdAt: now, expiresAt });
    return { token, expiresAt };
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
