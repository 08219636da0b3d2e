import type { SystemTx, TenantTx } from '#persistence';
import type { ContractLog, RegistryLog } from '../codec/tenant-lots.js';

/** The logs of one tenant's contract in chain order: of one block at the head, of a range during a backfill. */
export interface LogBatch {
  readonly chainId: number;
  readonly contract: string;
  readonly logs: readonly ContractLog[];
}

/**
 * How a context projects the chain into its own tables. The indexer calls them one after the other, upstream contexts first, inside the
 * block's one transaction, together with the cursor and the outbox.
 */
export abstract class ChainProjector {
  /**
   * Logs that will probably be applied next, while the previous ones are still written. Reads what it can outside of the database. The
   * same logs may come again, or never; work that fails here is done in `apply`.
   */
  prefetch(_tenantId: string, _batch: LogBatch): Promise<void> {
    return Promise.resolve();
  }
  /** Must produce the same rows when the same logs come again after an `undo`. */
  abstract apply(tx: TenantTx, batch: LogBatch): Promise<void>;
  /**
   * Undoes, for all tenants, everything that came from blocks after `lastGoodBlock`.
   * @param wasFinal blocks up to this one were final before; -1 where nothing was
   */
  abstract undo(tx: SystemTx, chainId: number, lastGoodBlock: number, wasFinal?: number): Promise<void>;
}

/** The contracts of our tenants. Identity stores it; its source is the registry contract. */
export abstract class ContractDirectory {
  /** Called before the tenants' logs of the same blocks are applied. */
  abstract register(tx: SystemTx, chainId: number, created: readonly RegistryLog[]): Promise<void>;
  abstract unregister(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void>;
  /** Tenant id by EIP-55 contract address, predecessors included. */
  abstract tenants(tx: SystemTx, chainId: number): Promise<ReadonlyMap<string, string>>;
  /** EIP-55, predecessors included. */
  abstract ofTenant(tx: TenantTx, chainId: number): Promise<readonly string[]>;
  /** Id of the tenant whose contract has, or had, this EIP-55 address. */
  async ownerOf(tx: SystemTx, chainId: number, address: string): Promise<string | null> {
    return (await this.tenants(tx, chainId)).get(address) ?? null;
  }
}
