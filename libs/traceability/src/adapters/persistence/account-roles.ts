import type { TenantTx, Tx } from '#persistence';

export interface RolesAt {
  readonly account: string;
  readonly roles: number;
  readonly block: number;
  readonly logIndex: number;
}

/** Bit 1 of contracts/src/TenantLots.sol. */
export const CONTRACT_ADMIN = 1;

/** Current on-chain roles of these accounts in one contract; absent = none. */
export async function loadRoles(tx: TenantTx, contract: string, accounts: readonly string[]): Promise<Map<string, number>> {
  if (accounts.length === 0) return new Map();
  const rows = await tx.sql<{ account: string; roles: number }>(
    `select distinct on (account) account, roles from traceability.account_roles
     where tenant_id = $1 and contract = $2 and account = any($3::text[]) order by account, block_number desc, log_index desc`,
    [tx.tenantId, contract, accounts],
  );
  return new Map(rows.map((row) => [row.account, row.roles]));
}

export async function insertRoles(tx: TenantTx, chainId: number, contract: string, changes: readonly RolesAt[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.sql(
    `insert into traceability.account_roles (tenant_id, chain_id, contract, account, roles, block_number, log_index)
     select $1, $2, $3, c.* from unnest($4::text[], $5::integer[], $6::bigint[], $7::integer[]) as c`,
    [
      tx.tenantId,
      chainId,
      contract,
      changes.map((c) => c.account),
      changes.map((c) => c.roles),
      changes.map((c) => c.block),
      changes.map((c) => c.logIndex),
    ],
  );
}

export async function undoRoles(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from traceability.account_roles where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
}
