import { Injectable } from '@nestjs/common';
import type { Hex } from '#kernel';
import type { TenantTx } from '#persistence';
import { ChainGrants } from '../../administration.ports.js';
import type { ChainGrant } from '../../domain/chain-grant.js';

@Injectable()
export class SqlChainGrants extends ChainGrants {
  override async of(tx: TenantTx, contract: string, accounts: readonly string[]): Promise<ReadonlyMap<string, ChainGrant>> {
    const asked = [tx.tenantId, contract, accounts];
    const roles = await tx.sql<{ account: string; roles: number }>(
      `select distinct on (account) account, roles from identity.chain_role
       where tenant_id = $1 and contract = $2 and account = any($3::text[]) order by account, block_number desc, log_index desc`,
      asked,
    );
    const scopes = await tx.sql<{ account: string; process_id: Hex; allowed: boolean }>(
      `select distinct on (account, process_id) account, process_id, allowed from identity.chain_process_scope
       where tenant_id = $1 and contract = $2 and account = any($3::text[])
       order by account, process_id, block_number desc, log_index desc`,
      asked,
    );
    return new Map(
      accounts.map((account) => [
        account,
        {
          roles: roles.find((row) => row.account === account)?.roles ?? 0,
          processIds: new Set(scopes.filter((row) => row.account === account && row.allowed).map((row) => row.process_id)),
        },
      ]),
    );
  }
}
