import { Injectable } from '@nestjs/common';
import type { AccountConfig } from '#chain';
import { Clock } from '#kernel';
import type { SystemTx } from '#persistence';
import { IdentitySettings } from '../identity.settings.js';
import type { Passkey } from './passkey.js';
import { PasskeysQueries, type Registrant } from './passkeys.queries.js';

/** An account on chain: of a person in one tenant, or of an organisation. */
export interface PasskeyAccount {
  readonly tenantId: string;
  readonly userId: string | null;
  readonly orgId: string | null;
  /** EIP-55. */
  readonly address: string;
  /** That makes it; EIP-55. */
  readonly factory: string;
  readonly config: AccountConfig;
}

@Injectable()
export class PasskeyAccountsQueries {
  constructor(
    private readonly settings: IdentitySettings,
    private readonly passkeys: PasskeysQueries,
    private readonly clock: Clock,
  ) {}

  async insert(tx: SystemTx, { tenantId, address, userId, orgId, factory, config }: PasskeyAccount): Promise<void> {
    await tx.sql(
      `insert into identity.passkey_account (tenant_id, address, chain_id, user_id, org_id, factory, config, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tenantId, address, this.settings.chainId, userId, orgId, factory, JSON.stringify(config), this.clock.now()],
    );
  }

  /** Of a person in a tenant, oldest first. */
  passkeysOf(tx: SystemTx, of: Registrant): Promise<readonly Passkey[]> {
    return this.passkeys.list(tx, of);
  }

  /** The account that is a member's wallet now. */
  async ofWallet(tx: SystemTx, { tenantId, userId }: Registrant): Promise<PasskeyAccount | null> {
    const rows = await tx.sql<AccountRow>(
      `select a.* from identity.passkey_account a join identity.member m on m.tenant_id = a.tenant_id and m.wallet = a.address
       where a.tenant_id = $1 and a.user_id = $2 and m.user_id = $2 and m.revoked_at is null and a.chain_id = $3`,
      [tenantId, userId, this.settings.chainId],
    );
    return rows[0] ? accountOf(rows[0]) : null;
  }

  /** That the member's wallet is to move to: reserved by a recovery. */
  async replacementOf(tx: SystemTx, { tenantId, userId }: Registrant): Promise<PasskeyAccount | null> {
    const rows = await tx.sql<AccountRow>(
      `select a.* from identity.passkey_account a join identity.member m on m.tenant_id = a.tenant_id and m.user_id = a.user_id
       where a.tenant_id = $1 and a.user_id = $2 and a.chain_id = $3 and m.recovering_since < a.created_at and m.wallet <> a.address
       order by a.created_at desc limit 1`,
      [tenantId, userId, this.settings.chainId],
    );
    return rows[0] ? accountOf(rows[0]) : null;
  }

  async ofOrganisation(tx: SystemTx, { tenantId, orgId }: OfOrganisation): Promise<PasskeyAccount | null> {
    const rows = await tx.sql<AccountRow>(
      'select * from identity.passkey_account where tenant_id = $1 and org_id::text = $2 and chain_id = $3',
      [tenantId, orgId.toLowerCase(), this.settings.chainId],
    );
    return rows[0] ? accountOf(rows[0]) : null;
  }

  /** A person's account that was made of exactly these keys; the newest. */
  async madeOf(
    tx: SystemTx,
    { tenantId, userId, factory, keys }: Registrant & Pick<PasskeyAccount, 'factory'> & Pick<AccountConfig, 'keys'>,
  ): Promise<PasskeyAccount | null> {
    const rows = await tx.sql<AccountRow>(
      `select * from identity.passkey_account where tenant_id = $1 and user_id = $2 and factory = $3 and config->'keys' = $4::jsonb and chain_id = $5
       order by created_at desc limit 1`,
      [tenantId, userId, factory, JSON.stringify(keys), this.settings.chainId],
    );
    return rows[0] ? accountOf(rows[0]) : null;
  }

  /** Requests for one organisation wait for each other. */
  async lockOrganisation(tx: SystemTx, { tenantId, orgId }: OfOrganisation): Promise<void> {
    await tx.sql('select 1 from identity.organisation where tenant_id = $1 and id::text = $2 for update', [tenantId, orgId.toLowerCase()]);
  }

  /** Of active members of an organisation. */
  passkeysOfOrganisation(tx: SystemTx, { tenantId, orgId }: OfOrganisation): Promise<readonly Passkey[]> {
    return this.passkeys.ofOrganisation(tx, tenantId, orgId.toLowerCase());
  }

  /** Of a member, or a former one; undefined for nobody. */
  async memberWallet(tx: SystemTx, tenantId: string, userId: string): Promise<{ readonly wallet: string | null } | undefined> {
    const [member] = await tx.sql<{ wallet: string | null }>(
      'select wallet from identity.member where tenant_id = $1 and user_id::text = $2',
      [tenantId, userId.toLowerCase()],
    );
    return member;
  }

  /** Of all members who ever had a wallet that the tenant knows; `active` for those who are members now. */
  memberWallets(tx: SystemTx, tenantId: string): Promise<readonly MemberWallet[]> {
    return tx.sql<MemberWallet>(
      `select wallet, org_id as "orgId", revoked_at is null as active from identity.member
       where tenant_id = $1 and wallet is not null order by wallet`,
      [tenantId],
    );
  }
}

type OfOrganisation = { readonly tenantId: string; readonly orgId: string };

interface MemberWallet {
  readonly wallet: string;
  readonly orgId: string | null;
  readonly active: boolean;
}

interface AccountRow {
  readonly tenant_id: string;
  readonly address: string;
  readonly user_id: string | null;
  readonly org_id: string | null;
  readonly factory: string;
  readonly config: AccountConfig;
}

const accountOf = (row: AccountRow): PasskeyAccount => ({
  tenantId: row.tenant_id,
  userId: row.user_id,
  orgId: row.org_id,
  address: row.address,
  factory: row.factory,
  config: row.config,
});
