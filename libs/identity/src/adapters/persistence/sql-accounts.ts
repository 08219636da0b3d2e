import { Injectable } from '@nestjs/common';
import type { Role } from '#kernel';
import type { SystemTx } from '#persistence';
import type { Account, Membership } from '../../domain/identity-payload.js';
import type { RoleScopes } from '../../domain/member.js';
import type { Session } from '../../domain/session.js';
import { User } from '../../domain/user.js';
import { Accounts } from '../../ports.js';
import { IdentitySettings } from '../../settings.js';

interface Row {
  readonly tenant_id: string;
  readonly slug: string;
  readonly name: string;
  readonly on_chain_tenant_id: string;
  readonly contract: string | null;
  readonly roles: Role[];
  readonly role_scopes: RoleScopes;
  readonly wallet: string | null;
  readonly org_id: string | null;
  readonly org_name: string;
  readonly did: string | null;
  readonly lei: string | null;
  readonly gln: string | null;
}

@Injectable()
export class SqlAccounts extends Accounts {
  constructor(private readonly settings: IdentitySettings) {
    super();
  }

  override async byEmail(tx: SystemTx, email: string): Promise<Account | null> {
    return this.account(tx, await tx.repository(User).findOneBy({ email }));
  }

  override async byId(tx: SystemTx, userId: string): Promise<Account | null> {
    return this.account(tx, await tx.repository(User).findOneBy({ id: userId }));
  }

  override async ofSession(tx: SystemTx, { userId, wallet }: Pick<Session, 'userId' | 'wallet'>): Promise<Account | null> {
    if (wallet === null) return this.byId(tx, userId);
    const account = await this.everything(tx, userId);
    return account && heldBy(wallet, account);
  }

  override async ofWallet(tx: SystemTx, address: string): Promise<readonly Account[]> {
    const holders = await tx.sql<{ user_id: string }>(
      `select distinct m.user_id from identity.wallet w
       join identity.member m on m.tenant_id = w.tenant_id and m.user_id = w.user_id and m.wallet = w.address and m.revoked_at is null
       join identity.tenant t on t.id = m.tenant_id and t.status = 'active'
       where w.address = $1 order by m.user_id limit 100`,
      [address],
    );
    const accounts: Account[] = [];
    for (const { user_id } of holders) {
      const account = await this.everything(tx, user_id);
      if (account) accounts.push(heldBy(address, account));
    }
    return accounts;
  }

  /** For a wallet, which vouches for itself. */
  private async everything(tx: SystemTx, userId: string): Promise<Account | null> {
    return this.account(tx, await tx.repository(User).findOneBy({ id: userId }), null);
  }

  private async account(tx: SystemTx, found: User | null, only = found?.passwordFrom ?? null): Promise<Account | null> {
    if (!found || found.disabledAt) return null;
    const user = only === null ? found : Object.assign(new User(), found, { platformAdmin: false });
    const rows = await tx.sql<Row>(
      `select m.tenant_id, t.slug, t.name, t.on_chain_tenant_id, m.roles, m.role_scopes, m.wallet,
              o.id as org_id, o.name as org_name, o.did, o.lei, o.gln,
              (select c.address from identity.tenant_contract c where c.tenant_id = t.id and c.chain_id = $2
               order by c.from_block desc, c.log_index desc limit 1) as contract
       from identity.member m
       join identity.tenant t on t.id = m.tenant_id and t.status = 'active'
       left join identity.organisation o on o.tenant_id = m.tenant_id and o.id = m.org_id
       where m.user_id = $1 and m.revoked_at is null and ($3::uuid is null or m.tenant_id = $3)
       order by t.slug`,
      [user.id, this.settings.chainId, only],
    );
    return { user, memberships: rows.map(membership) };
  }
}

/** A tenant's administrator binds wallets: that reaches neither other tenants nor the platform. */
const heldBy = (wallet: string, { user, memberships }: Account): Account => ({
  user: Object.assign(new User(), user, { platformAdmin: false }),
  memberships: memberships.filter((one) => one.wallet === wallet),
});

const membership = (row: Row): Membership => ({
  tenantId: row.tenant_id,
  slug: row.slug,
  name: row.name,
  onChainTenantId: row.on_chain_tenant_id,
  tenantContractAddress: row.contract,
  roles: row.roles,
  roleScopes: row.role_scopes,
  wallet: row.wallet,
  org: row.org_id === null ? null : { id: row.org_id, name: row.org_name, did: row.did, lei: row.lei, gln: row.gln },
});
