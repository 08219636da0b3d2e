import { Injectable, Logger } from '@nestjs/common';
import { ContractDirectory, type RegistryLog } from '#chain';
import type { SystemTx } from '#persistence';

/** Joins the registry's contracts to tenants by `keccak256(slug)`. Whoever owns the registry may make others; those are passed over. */
@Injectable()
export class TenantContracts extends ContractDirectory {
  private readonly log = new Logger('Identity');

  override async register(tx: SystemTx, chainId: number, created: readonly RegistryLog[]): Promise<void> {
    if (created.length === 0) return;
    const column = <T>(of: (log: RegistryLog) => T): T[] => created.map(of);
    const joined = await tx.sql<{ address: string }>(
      `insert into identity.tenant_contract (tenant_id, chain_id, address, version, from_block, log_index, tx_hash)
       select t.id, $1, c.address, c.version, c.from_block, c.log_index, c.tx_hash
       from unnest($2::text[], $3::text[], $4::int[], $5::bigint[], $6::int[], $7::text[])
            as c(on_chain_tenant_id, address, version, from_block, log_index, tx_hash)
       join identity.tenant t on t.on_chain_tenant_id = c.on_chain_tenant_id
       on conflict (chain_id, address) do update
         set version = excluded.version, from_block = excluded.from_block, log_index = excluded.log_index, tx_hash = excluded.tx_hash
       returning address`,
      [
        chainId,
        column((log) => log.args.tenantId.toLowerCase()),
        column((log) => log.args.lots),
        column((log) => log.args.version),
        column((log) => log.block.number),
        column((log) => log.logIndex),
        column((log) => log.txHash),
      ],
    );
    const known = new Set(joined.map(({ address }) => address));
    for (const { args, block } of created)
      if (!known.has(args.lots))
        this.log.warn(
          `block ${block.number} made contract ${args.lots} for ${args.tenantId}, which is no tenant here. What it records stays on the chain: ` +
            'if it is one that this database lost, make the tenant again under its slug and have the chain projected anew (cli chain reindex).',
        );
  }

  override async unregister(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await tx.sql('delete from identity.tenant_contract where chain_id = $1 and from_block > $2', [chainId, lastGoodBlock]);
  }

  override async tenants(tx: SystemTx, chainId: number): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.sql<{ address: string; tenant_id: string }>(
      'select address, tenant_id from identity.tenant_contract where chain_id = $1',
      [chainId],
    );
    return new Map(rows.map(({ address, tenant_id: tenantId }) => [address, tenantId]));
  }

  override async ownerOf(tx: SystemTx, chainId: number, address: string): Promise<string | null> {
    const [row] = await tx.sql<{ tenant_id: string }>(
      'select tenant_id from identity.tenant_contract where chain_id = $1 and address = $2',
      [chainId, address],
    );
    return row?.tenant_id ?? null;
  }
}
