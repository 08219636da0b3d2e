import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccountConfig } from '#chain';
import type { Actor } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { type AccountPasskey, AuditLog, type CallForAccount, PasskeyAccounts } from '../contract.js';
import { IdentitySettings } from '../identity.settings.js';

/** The hash of a domain, as a key of an account has it. */
export const rpIdHashOf = (rpId: string): string => `0x${createHash('sha256').update(rpId).digest('hex')}`;

interface AccountRow {
  readonly userId: string | null;
  readonly address: string;
  readonly factory: string;
  readonly config: AccountConfig;
}

interface CallRow {
  readonly id: string;
  readonly to: string;
  readonly data: string;
  readonly gas: string;
}

/** Accounts and their prepared calls, for those who relay them. */
@Injectable()
export class RelayAccountsQueries extends PasskeyAccounts {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: IdentitySettings,
    private readonly audit: AuditLog,
  ) {
    super();
  }

  override isOwnOrigin(origin: string): boolean {
    return this.settings.passkeys.origins.includes(origin);
  }

  override async countUse({ tenantId, id: userId }: Actor, { id, signCount }: AccountPasskey, counter: number): Promise<boolean> {
    if (signCount === 0 && counter === 0) return true;
    return this.unitOfWork.asSystem(async (tx) => {
      const counted = await tx.sql(
        'update identity.passkey set sign_count = $4 where id = $1 and tenant_id = $2 and sign_count = $3 and $4 > $3 returning id',
        [id, tenantId, signCount, counter],
      );
      if (counted.length > 0) return true;
      const details = { passkey: id, before: signCount, after: counter };
      await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, { action: 'passkey.clone_suspected', subject: userId, details });
      return false;
    });
  }

  override async of({ tenantId, kind, id: userId, wallet, orgId }: Actor, address = wallet ?? undefined) {
    if (kind !== 'user' || address === undefined) return null;
    return this.unitOfWork.readAsSystem(async (tx) => {
      const [[row], keys] = await Promise.all([
        tx.sql<AccountRow>(
          `select user_id as "userId", address, factory, config from identity.passkey_account
           where tenant_id = $1 and address = $2 and (user_id = $3 or org_id::text = $5) and chain_id = $4`,
          [tenantId, address, userId, this.settings.chainId, orgId],
        ),
        tx.sql<{ id: string; name: string; x: string; y: string; rp_id: string; sign_count: string }>(
          'select id, name, x, y, rp_id, sign_count from identity.passkey where tenant_id = $1 and user_id = $2 order by created_at, id',
          [tenantId, userId],
        ),
      ]);
      const passkeys = keys.map(({ id, name, x, y, rp_id: rpId, sign_count: signCount }): AccountPasskey => ({
        id,
        name,
        key: { x, y, rpIdHash: rpIdHashOf(rpId) },
        signCount: Number(signCount),
      }));
      return row ? { account: { tenantId, ...row }, passkeys } : null;
    });
  }

  override async among(addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.unitOfWork.readAsSystem((tx) =>
      tx.sql<{ address: string }>('select address from identity.passkey_account where chain_id = $1 and address = any($2::text[])', [
        this.settings.chainId,
        addresses,
      ]),
    );
    return new Set(rows.map(({ address }) => address));
  }

  override async unusedCalls(tx: TenantTx, account: string, ids: readonly string[]): Promise<readonly CallForAccount[]> {
    const rows = await tx.sql<CallRow>(
      `select id, to_address as "to", data, gas from identity.account_call
       where tenant_id = $1 and account = $2 and id = any($3::uuid[]) and not used`,
      [tx.tenantId, account, ids],
    );
    return rows.map((row) => ({ ...row, gas: Number(row.gas) }));
  }

  override async useCalls(tx: TenantTx, account: string, ids: readonly string[]): Promise<boolean> {
    const used = await tx.sql(
      `update identity.account_call set used = true
       where tenant_id = $1 and account = $2 and id = any($3::uuid[]) and not used returning id`,
      [tx.tenantId, account, ids],
    );
    return used.length === ids.length;
  }

  override async releaseCalls(tx: TenantTx, ids: readonly string[]): Promise<void> {
    await tx.sql('update identity.account_call set used = false where tenant_id = $1 and id = any($2::uuid[])', [tx.tenantId, ids]);
  }
}
