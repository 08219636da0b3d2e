import { setTimeout as sleep } from 'node:timers/promises';
import { ContractDirectory, ChainProjector, type RegistryLog, type LogBatch } from '#chain';
import type { ContextPersistence, SystemTx, TenantTx } from '#persistence';
import { anyMessage } from '#persistence/testing';

/** The smallest projector: it stores every log of a tenant and publishes one topic per mint. */
export const probePersistence: ContextPersistence = {
  schema: 'chain_probe',
  migrations: new URL('chain-probe/', import.meta.url),
  entities: [],
};

export class ProbeProjector extends ChainProjector {
  fault: Error | null = null;
  batches = 0;
  /** Number of batches at each `undo`. */
  readonly undone: number[] = [];
  delayMs = 0;

  constructor(private readonly name: string) {
    super();
  }

  override async apply(tx: TenantTx, { chainId, contract, logs }: LogBatch): Promise<void> {
    this.batches++;
    await sleep(this.delayMs);
    for (const log of logs)
      await tx.sql('insert into chain_probe.log values ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
        tx.tenantId,
        this.name,
        chainId,
        contract,
        log.block.number,
        log.block.hash,
        log.logIndex,
        log.txLogIndex,
        log.name,
      ]);
    if (this.fault) throw this.fault;
    const minted = logs.filter((log) => log.name === 'LotMinted');
    await tx.publish(
      minted.map((log) => {
        const key = `${this.name}:${chainId}:${log.txHash}:${log.txLogIndex}`;
        const block = { chainId, number: log.block.number };
        return anyMessage('nft.created', { tokenId: Number(log.args.tokenId) }, { key, occurredAt: log.block.timestamp, block });
      }),
    );
  }

  override async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    this.undone.push(this.batches);
    await tx.sql('delete from chain_probe.log where handler = $1 and chain_id = $2 and block_number > $3', [
      this.name,
      chainId,
      lastGoodBlock,
    ]);
  }
}

export class ProbeDirectory extends ContractDirectory {
  override async register(tx: SystemTx, chainId: number, created: readonly RegistryLog[]): Promise<void> {
    for (const log of created)
      await tx.sql('insert into chain_probe.contract select $1, $2, tenant_id, $3 from chain_probe.tenant where slug_hash = $4', [
        chainId,
        log.args.lots,
        log.block.number,
        log.args.tenantId,
      ]);
  }
  override async unregister(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await tx.sql('delete from chain_probe.contract where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
  }
  override async ofTenant(tx: TenantTx, chainId: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ address: string }>('select address from chain_probe.contract where chain_id = $1 and tenant_id = $2', [
      chainId,
      tx.tenantId,
    ]);
    return rows.map(({ address }) => address);
  }
  override async tenants(tx: SystemTx, chainId: number): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.sql<{ address: string; tenant_id: string }>(
      'select address, tenant_id from chain_probe.contract where chain_id = $1',
      [chainId],
    );
    return new Map(rows.map((row) => [row.address, row.tenant_id]));
  }
}
