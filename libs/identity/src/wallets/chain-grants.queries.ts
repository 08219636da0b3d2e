import { Injectable } from '@nestjs/common';
import type { Hex } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import type { ChainGrant } from './chain-grant.js';

/** Where a row comes from on chain: rows after a block are deleted when the block is undone. */
interface ChainOrigin {
  readonly chainId: number;
  readonly contract: string;
}

interface LogPosition {
  readonly account: string;
  readonly blockNumber: number;
  readonly logIndex: number;
}
type RoleChange = LogPosition & { readonly roles: number };
type ScopeChange = LogPosition & { readonly processId: string; readonly allowed: boolean };

/** The rights of the tenant's accounts in its contract, as far as the indexer has read the chain. */
@Injectable()
export class ChainGrantsQueries {
  /** One entry for every given account. @param contract the tenant's, EIP-55 */
  async of(tx: TenantTx, contract: string, accounts: readonly string[]): Promise<ReadonlyMap<string, ChainGrant>> {
    const parameters = [tx.tenantId, contract, accounts];
    const roles = await tx.sql<{ account: string; roles: number }>(
      `select distinct on (account) account, roles from identity.chain_role
       where tenant_id = $1 and contract = $2 and account = any($3::text[]) order by account, block_number desc, log_index desc`,
      parameters,
    );
    const scopes = await tx.sql<{ account: string; process_id: Hex; allowed: boolean }>(
      `select distinct on (account, process_id) account, process_id, allowed from identity.chain_process_scope
       where tenant_id = $1 and contract = $2 and account = any($3::text[])
       order by account, process_id, block_number desc, log_index desc`,
      parameters,
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

  async insertRoles(tx: TenantTx, { chainId, contract }: ChainOrigin, changes: readonly RoleChange[]): Promise<void> {
    if (changes.length === 0) return;
    await tx.sql(
      `insert into identity.chain_role (tenant_id, chain_id, contract, account, roles, block_number, log_index)
       select $1, $2, $3, c.* from unnest($4::text[], $5::int[], $6::bigint[], $7::int[]) as c`,
      [tx.tenantId, chainId, contract, changes.map(({ account }) => account), changes.map(({ roles }) => roles), ...positionsOf(changes)],
    );
  }

  async insertScopes(tx: TenantTx, { chainId, contract }: ChainOrigin, changes: readonly ScopeChange[]): Promise<void> {
    if (changes.length === 0) return;
    await tx.sql(
      `insert into identity.chain_process_scope (tenant_id, chain_id, contract, account, process_id, allowed, block_number, log_index)
       select $1, $2, $3, c.* from unnest($4::text[], $5::text[], $6::boolean[], $7::bigint[], $8::int[]) as c`,
      [
        tx.tenantId,
        chainId,
        contract,
        changes.map(({ account }) => account),
        changes.map(({ processId }) => processId),
        changes.map(({ allowed }) => allowed),
        ...positionsOf(changes),
      ],
    );
  }

  async deleteAfter(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    for (const table of ['chain_role', 'chain_process_scope'])
      await tx.sql(`delete from identity.${table} where chain_id = $1 and block_number > $2`, [chainId, lastGoodBlock]);
  }
}

const positionsOf = (changes: readonly LogPosition[]): [number[], number[]] => [
  changes.map(({ blockNumber }) => blockNumber),
  changes.map(({ logIndex }) => logIndex),
];
