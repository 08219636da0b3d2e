import { Injectable } from '@nestjs/common';
import { Clock, type Language, type Role } from '#kernel';
import type { SystemTx } from '#persistence';
import type { RoleScopes } from '../access/grants.js';
import { IdentitySettings } from '../identity.settings.js';
import { type Account, type Membership, User } from './account.js';

/** Validity of a link: long enough for a mail to arrive, too short for somebody who reads the mailbox later. */
const RESET_MS = 60 * 60_000;
/** Unused links of one user at a time, so that nobody can fill the mailbox of an address they know. */
const MOST_RESET_LINKS = 3;

interface MembershipRow {
  readonly tenant_id: string;
  readonly slug: string;
  readonly name: string;
  readonly on_chain_tenant_id: string;
  readonly contract: string | null;
  readonly roles: Role[];
  readonly role_scopes: RoleScopes;
  readonly wallet: string | null;
  readonly proposed_wallet: string | null;
  readonly invited_name: string | null;
  readonly accepted: boolean;
  readonly org_id: string | null;
  readonly org_name: string;
  readonly did: string | null;
  readonly lei: string | null;
  readonly gln: string | null;
}

export interface WalletHolder {
  readonly account: Account;
  /** The owner of the wallet signed for this user in some tenant; of the others somebody said that they have it. */
  readonly proven: boolean;
}

/** People and their memberships. Logins and tokens need all tenants of a user, so everything here runs as the system. */
@Injectable()
export class AccountsQueries {
  constructor(
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {}

  /** The user with its active memberships of active tenants, by slug; null for an unknown or disabled user. */
  byEmail(tx: SystemTx, email: string): Promise<Account | null> {
    return this.account(tx, 'email', email);
  }

  byId(tx: SystemTx, userId: string): Promise<Account | null> {
    return this.account(tx, 'id', userId);
  }

  async ofSession(tx: SystemTx, session: Reach & { readonly userId: string }): Promise<Account | null> {
    return reachedBy(session, await this.byId(tx, session.userId));
  }

  /** The users that hold the wallet in some tenant, each reduced to those memberships; first who proved it. @param address EIP-55 */
  async ofWallet(tx: SystemTx, address: string): Promise<readonly WalletHolder[]> {
    const holders = await tx.sql<{ user_id: string; proven: boolean }>(
      `select m.user_id, bool_or(w.proven_at is not null) as proven from identity.wallet w
       join identity.member m on m.tenant_id = w.tenant_id and m.user_id = w.user_id and m.wallet = w.address and m.revoked_at is null
         and m.recovering_since is null
       join identity.tenant t on t.id = m.tenant_id and t.status = 'active'
       where w.address = $1 group by m.user_id order by proven desc, m.user_id limit 100`,
      [address],
    );
    const found: WalletHolder[] = [];
    for (const { user_id, proven } of holders) {
      const account = await this.byId(tx, user_id);
      if (account) found.push({ account: heldBy(address, account), proven });
    }
    return found;
  }

  async userByEmail(tx: SystemTx, email: string): Promise<User | null> {
    const [user] = await tx.find(User, 'identity.app_user where email = $1', [email]);
    return user ?? null;
  }

  /** The user is not deleted before the end of the transaction. */
  lockByEmail(tx: SystemTx, email: string): Promise<User | null> {
    return tx.repository(User).findOne({ where: { email }, lock: { mode: 'for_key_share' } });
  }

  /** @param language null leaves it as it is */
  async setLanguage(tx: SystemTx, userId: string, language: Language | null): Promise<void> {
    if (language !== null) await tx.repository(User).update({ id: userId }, { language });
  }

  /** False when the e-mail address is taken. */
  async insertUser(tx: SystemTx, user: User): Promise<boolean> {
    const inserted = await tx.repository(User).createQueryBuilder().insert().values(user).orIgnore().returning('id').execute();
    return (inserted.raw as unknown[]).length > 0;
  }

  /** Replaces exactly the hash that was checked; of two changes at once, one gets false. */
  async replacePassword(tx: SystemTx, userId: string, checked: string, next: string): Promise<boolean> {
    const { affected } = await tx.repository(User).update({ id: userId, passwordHash: checked }, { passwordHash: next });
    return Boolean(affected);
  }

  /** For a user who proved the mailbox. */
  async resetPassword(tx: SystemTx, userId: string, next: string): Promise<void> {
    await tx.repository(User).update({ id: userId }, { passwordHash: next });
  }

  /** False when the user has a password already. */
  async setFirstPassword(tx: SystemTx, userId: string, hash: string | null): Promise<boolean> {
    const changed = await tx.sql('update identity.app_user set password_hash = $2 where id = $1 and password_hash is null returning id', [
      userId,
      hash,
    ]);
    return changed.length > 0;
  }

  /** Whether the hash that was checked is still the user's. The row stays locked, so that a later change ends the new session too. */
  async lockPassword(tx: SystemTx, { id, passwordHash }: User): Promise<boolean> {
    const [row] = await tx.sql<{ password_hash: string | null }>(
      'select password_hash from identity.app_user where id = $1 and disabled_at is null for no key update',
      [id],
    );
    return row?.password_hash === passwordHash;
  }

  /** @param except the session that continues */
  async endSessions(tx: SystemTx, userId: string, except: string | null): Promise<void> {
    await tx.sql('update identity.session set revoked_at = $2 where user_id = $1 and revoked_at is null and id is distinct from $3::uuid', [
      userId,
      this.clock.now(),
      except,
    ]);
  }

  /** Those that reach only this tenant, and those that have it open. */
  async endSessionsIn(tx: SystemTx, { userId, tenantId }: { readonly userId: string; readonly tenantId: string }): Promise<void> {
    await tx.sql(
      `update identity.session set revoked_at = $3 where user_id = $1 and revoked_at is null and (only_tenant = $2 or active_tenant = $2)`,
      [userId, tenantId, this.clock.now()],
    );
  }

  /** A one-time link. Null when the user has the most unused links allowed. @returns when it expires */
  async issueResetLink(tx: SystemTx, userId: string, tokenHash: Buffer): Promise<Date | null> {
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + RESET_MS);
    await tx.sql('delete from identity.password_reset where expires_at <= $1', [now]);
    // The lock on the user's row makes concurrent requests wait for each other, so that the limit holds.
    await tx.sql('select 1 from identity.app_user where id = $1 for update', [userId]);
    const inserted = await tx.sql(
      `insert into identity.password_reset (token_hash, user_id, created_at, expires_at)
       select $1, $2, $3, $4 where (select count(*) from identity.password_reset where user_id = $2) < $5 returning 1`,
      [tokenHash, userId, now, expiresAt, MOST_RESET_LINKS],
    );
    return inserted.length > 0 ? expiresAt : null;
  }

  /** Uses up a one-time link. @returns the user, or null for an unknown, used or expired link */
  async takeResetLink(tx: SystemTx, tokenHash: Buffer): Promise<string | null> {
    const [taken] = await tx.sql<{ user_id: string; expires_at: Date }>(
      'delete from identity.password_reset where token_hash = $1 returning user_id, expires_at',
      [tokenHash],
    );
    return taken && taken.expires_at > this.clock.now() ? taken.user_id : null;
  }

  async deleteResetLinks(tx: SystemTx, userId: string): Promise<void> {
    await tx.sql('delete from identity.password_reset where user_id = $1', [userId]);
  }

  private async account(tx: SystemTx, column: 'id' | 'email', value: string): Promise<Account | null> {
    const [[user], memberships] = await Promise.all([
      tx.find(User, `identity.app_user where ${column} = $1`, [value]),
      this.memberships(tx, `m.user_id = (select u.id from identity.app_user u where u.${column} = $1)`, value),
    ]);
    return user && !user.disabledAt ? { user, memberships } : null;
  }

  private async memberships(tx: SystemTx, condition: string, value: string): Promise<readonly Membership[]> {
    const rows = await tx.sql<MembershipRow>(
      `select m.tenant_id, t.slug, t.name, t.on_chain_tenant_id, m.roles, m.role_scopes, m.wallet, m.proposed_wallet,
              m.invited_name, m.accepted_at is not null as accepted,
              o.id as org_id, o.name as org_name, o.did, o.lei, o.gln,
              (select c.address from identity.tenant_contract c where c.tenant_id = t.id and c.chain_id = $2
               order by c.from_block desc, c.log_index desc limit 1) as contract
       from identity.member m
       join identity.tenant t on t.id = m.tenant_id and t.status = 'active'
       left join identity.organisation o on o.tenant_id = m.tenant_id and o.id = m.org_id
       where ${condition} and m.revoked_at is null
       order by t.slug`,
      [value, this.settings.chainId],
    );
    return rows.map(membershipOf);
  }
}

interface Reach {
  readonly wallet: string | null;
  readonly onlyTenant: string | null;
}

/**
 * What a session reaches: everything of its user; when a wallet opened it, only the memberships that hold this wallet; when a passkey did, only
 * its tenant.
 */
export function reachedBy({ wallet, onlyTenant }: Reach, account: Account | null): Account | null {
  if (!account) return null;
  if (wallet !== null) return heldBy(wallet, account);
  return onlyTenant === null ? account : inTenant(onlyTenant, account);
}

/** As `heldBy`, by a passkey: its user made it in this tenant. */
export const inTenant = (tenantId: string, { user, memberships }: Account): Account => ({
  user: Object.assign(new User(), user, { platformAdmin: false }),
  memberships: memberships.filter((one) => one.tenantId === tenantId).map((one) => ({ ...one, accepted: true })),
});

/** A wallet reaches neither other tenants nor the platform. Who confirmed it has accepted the memberships that hold it. */
const heldBy = (wallet: string, { user, memberships }: Account): Account => ({
  user: Object.assign(new User(), user, { platformAdmin: false }),
  memberships: memberships.filter((one) => one.wallet === wallet).map((one) => ({ ...one, accepted: true })),
});

const membershipOf = (row: MembershipRow): Membership => ({
  tenantId: row.tenant_id,
  slug: row.slug,
  name: row.name,
  onChainTenantId: row.on_chain_tenant_id,
  tenantContractAddress: row.contract,
  roles: row.roles,
  roleScopes: row.role_scopes,
  wallet: row.wallet,
  proposedWallet: row.proposed_wallet,
  invitedName: row.invited_name,
  accepted: row.accepted,
  org: row.org_id === null ? null : { id: row.org_id, name: row.org_name, did: row.did, lei: row.lei, gln: row.gln },
});
