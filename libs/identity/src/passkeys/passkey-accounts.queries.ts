import { Injectable } from '@nestjs/common';
import type { AccountConfig } from '#chain';
import { Clock } from '#kernel';
import type { SystemTx } from '#persistence';
import { IdentitySettings } from '../identity.settings.js';
import type { Registrant } from './passkeys.queries.js';

/** The account of a person in one tenant. */
export interface PasskeyAccount extends Registrant {
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
    private readonly clock: Clock,
  ) {}

  async insert(tx: SystemTx, { tenantId, address, userId, factory, config }: PasskeyAccount): Promise<void> {
    await tx.sql(
      `insert into identity.passkey_account (tenant_id, address, chain_id, user_id, factory, config, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [tenantId, address, this.settings.chainId, userId, factory, JSON.stringify(config), this.clock.now()],
    );
  }
}
