import { createHash, randomBytes } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Actor, type Language, requireGrantable } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { checkGrants, type Grants } from '../access/grants.js';
import { RevocationsQueries, type Revoke } from '../access/revocations.queries.js';
import { normaliseEmail, type User } from '../accounts/account.js';
import { AccountsQueries } from '../accounts/accounts.queries.js';
import { CreateUser } from '../accounts/create-user.js';
import { BackgroundWork } from '../accounts/run-in-background.js';
import type { AuditActor } from '../audit/audit.js';
import { AuditLog, Quotas } from '../contract.js';
import { alreadyMember, emailTaken, invitationNotFound } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { invitationMail } from '../mail/invitation-mail.js';
import { SendMail } from '../mail/send-mail.js';
import { AddMember } from './change-member.js';
import { MembersQueries } from './members.queries.js';

export interface Invitation extends Grants {
  readonly email: string;
  readonly name?: string;
  /** Of the mail, for who has none: that of who invites. */
  readonly language?: Language | null;
}

/** What the operator, or a platform administrator who opens a tenant, may say in addition. */
export interface NewMember extends Invitation {
  /** For a new user, who can change it. Without it they get a one-time link to set their own. Never that of somebody who has one. */
  readonly password?: string;
}

export interface Invited {
  readonly userId: string;
  /** Shown once, to be handed over. Null for a user who has a password. */
  readonly invitation: { readonly token: string; readonly expiresAt: Date } | null;
}

type Unit = { readonly tx: SystemTx; readonly revoke: Revoke };

/** Makes a user of the service, or a new one, a member of a tenant. */
@Injectable()
export class JoinTenant {
  constructor(
    private readonly members: MembersQueries,
    private readonly createUser: CreateUser,
    private readonly addMember: AddMember,
    private readonly audit: AuditLog,
    private readonly quotas: Quotas,
  ) {}

  /** Of several invitations of one person at once, the second finds the member of the first. @param hash of the password of a new user */
  async join(
    { tx, revoke }: Unit,
    tenantId: string,
    { email, name = '', language = null, ...input }: Invitation,
    hash: string | null,
    by: Actor | AuditActor,
  ): Promise<{ readonly user: User; readonly isNew: boolean }> {
    await this.members.lockTenantMembers(tx, tenantId);
    checkGrants(input);
    // The name that an administrator gives is known in their tenant only; a user has the one that the operator gave.
    const found = await this.createUser.findOrCreate(tx, { email, name: by.kind === 'operator' ? name : '', language }, hash);
    const userId = found.user.id;
    if (await this.members.isActive(tx, tenantId, userId)) throw alreadyMember();
    await tx.forTenant(tenantId, (own) => this.quotas.requireRoom(own, 'members', userId));
    // Anybody but the operator proposes a wallet: it signs in for nobody before it is confirmed.
    const vouched = by.kind === 'operator';
    const invited = { proposedWallet: input.wallet ?? null, invitedName: name.trim() };
    const base = { tenantId, userId, ...(vouched ? { vouched } : invited) };
    const member = await this.addMember.addIn(tx, revoke, base, vouched ? input : { ...input, wallet: null });
    const { roles, roleScopes, wallet, proposedWallet, orgId } = member;
    const details = { email: normaliseEmail(email), roles, roleScopes, wallet, proposedWallet, orgId };
    await this.audit.record(tx, tenantId, by, { action: 'member.added', subject: userId, details });
    return found;
  }
}

interface LinkMail {
  readonly to: string;
  readonly tenant: string;
  /** For who has no password yet. */
  readonly token: string | null;
  readonly language: Language;
}

/** Mails to who was invited. */
@Injectable()
export class MailInvitation implements OnModuleDestroy {
  private readonly mails = new BackgroundWork();

  constructor(
    private readonly sendMail: SendMail,
    private readonly settings: IdentitySettings,
  ) {}

  /** Nobody waits for it: the time of an answer would tell which mail was written. */
  send({ to, tenant, token, language }: LinkMail): void {
    const mail = invitationMail(to, language, { tenant, token, origin: this.settings.portalOrigin });
    this.mails.start(this.sendMail.send(mail), 'an invitation was not sent');
  }

  onModuleDestroy(): Promise<void> {
    return this.mails.settled();
  }
}

/**
 * Invites somebody, or adds them. A tenant's administrator learns nothing about them: the answer is the same, and whatever opens something goes
 * to the mailbox (docs/spec/reliability.md#login-factors-of-others).
 */
@Injectable()
export class InviteMember {
  constructor(
    private readonly joinTenant: JoinTenant,
    private readonly members: MembersQueries,
    private readonly createUser: CreateUser,
    private readonly revocations: RevocationsQueries,
    private readonly mail: MailInvitation,
  ) {}

  /**
   * By an administrator of the tenant.
   * @param asked the language of the mail to who has none
   * @returns the id of the user
   * @throws DomainError 422, 403 `beyond_own_grants`, 404 `organisation_not_found`, 409 `already_member`, 429 `quota_exceeded`
   */
  async invite(actor: Actor, input: Invitation, asked: Language | null = null): Promise<string> {
    requireGrantable(actor, input);
    const { tenantId } = actor;
    const { user, token, tenantName } = await this.revocations.asSystem(async (tx, revoke) => {
      const joined = await this.joinTenant.join({ tx, revoke }, tenantId, { ...input, language: asked }, null, actor);
      // Issued to everybody, so that it takes the same time; who has a password gets a mail that says to sign in with that.
      const link = await this.linkFor(tx, tenantId, joined.user);
      return { user: joined.user, token: link.token, tenantName: await this.members.tenantName(tx, tenantId) };
    });
    const language = user.language ?? asked ?? 'en';
    this.mail.send({ to: user.email, tenant: tenantName, token: user.passwordHash === null ? token : null, language });
    return user.id;
  }

  /**
   * By the operator, who vouches for the person and the wallet.
   * @throws DomainError 422, 404 `organisation_not_found`, 409 `email_taken`, `already_member`, `wallet_taken`, 429 `quota_exceeded`
   */
  async add(tenantId: string, input: NewMember, by: AuditActor): Promise<Invited> {
    const hash = await this.hash(input.password);
    return this.revocations.asSystem((tx, revoke) => this.addIn({ tx, revoke }, tenantId, input, hash, by));
  }

  /** Call it before the transaction begins, because it takes long. @throws DomainError 422 */
  hash(password: string | undefined): Promise<string | null> {
    return this.createUser.hash(password);
  }

  /** @param hash of the password, made before the transaction @throws DomainError as `add` */
  async addIn(unit: Unit, tenantId: string, input: NewMember, hash: string | null, by: AuditActor): Promise<Invited> {
    const { user, isNew } = await this.joinTenant.join(unit, tenantId, input, hash, by);
    const { tx } = unit;
    if (hash !== null && !isNew) {
      if (user.passwordHash !== null) throw emailTaken();
      await this.createUser.setFirstPassword(tx, user.id, hash);
    }
    const invitation = hash === null && user.passwordHash === null ? await this.linkFor(tx, tenantId, user) : null;
    return { userId: user.id, invitation };
  }

  /** A link for a member whose other ways to sign in are lost. @returns what to send when the transaction is done */
  async linkAgain(tx: SystemTx, tenantId: string, user: User): Promise<LinkMail> {
    const { token } = await this.linkFor(tx, tenantId, user);
    const tenant = await this.members.tenantName(tx, tenantId);
    return { to: user.email, tenant, token: user.passwordHash === null ? token : null, language: user.language ?? 'en' };
  }

  sendAgain(mail: LinkMail): void {
    this.mail.send(mail);
  }

  private async linkFor(tx: SystemTx, tenantId: string, { id: userId }: User): Promise<NonNullable<Invited['invitation']>> {
    await this.members.endInvitations(tx, { tenantId, userId });
    const token = randomBytes(32).toString('base64url');
    const expiresAt = await this.members.issueInvitation(tx, { tokenHash: invitationHash(token), userId, tenantId });
    return { token, expiresAt };
  }
}

const invitationHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Sets the first password of an invited user by the one-time link. */
@Injectable()
export class AcceptInvitation {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly members: MembersQueries,
    private readonly accounts: AccountsQueries,
    private readonly createUser: CreateUser,
    private readonly audit: AuditLog,
  ) {}

  /** @param language that their browser asks for @throws DomainError 404 `invitation_not_found`, 422 */
  async accept(token: string, password: string, language: Language | null = null): Promise<void> {
    const hash = await this.createUser.hash(password);
    await this.unitOfWork.asSystem(async (tx) => {
      const invitation = await this.members.takeInvitation(tx, invitationHash(token));
      // A user who has a password by now does not lose it to an old link.
      if (!invitation || !(await this.accounts.setFirstPassword(tx, invitation.userId, hash))) throw invitationNotFound();
      const { userId, tenantId } = invitation;
      await this.accounts.setLanguage(tx, userId, language);
      await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, { action: 'invitation.accepted', subject: userId });
    });
  }
}
