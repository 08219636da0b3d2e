import type { SystemTx, TenantTx } from '#persistence';
import type { LandedLog, RegistryLog } from '../logs.js';

/** The logs of one tenant's contract in chain order: of one block at the head, of a range in backfill. */
export interface TenantLogs {
  readonly chainId: number;
  readonly contract: string;
  readonly logs: readonly LandedLog[];
}

/**
 * How a context projects the chain into its own tables. The indexer calls the handlers of a block one after the other,
 * upstream contexts first, inside the block's one transaction, together with the cursor and the outbox.
 */
export abstract class LogHandler {
  /**
   * Logs that will be applied next, most likely, while those before them are still being written: what can be read of them outside of the
   * database. They may come again, or never; whatever fails here is done in `apply`.
   */
  lookAhead(_tenantId: string, _batch: TenantLogs): Promise<void> {
    return Promise.resolve();
  }
  /** Must give the same rows when the same logs come again after an `undo`. */
  abstract apply(tx: TenantTx, batch: TenantLogs): Promise<void>;
  /** Takes back, for all tenants, whatever came from blocks after `lastGoodBlock`. */
  abstract undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void>;
}

/** Which contracts are tenants'. Kept by identity; the chain's registry is its source. */
export abstract class ContractDirectory {
  /** Called before the tenants' logs of the same blocks are looked at. */
  abstract register(tx: SystemTx, chainId: number, created: readonly RegistryLog[]): Promise<void>;
  abstract unregister(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void>;
  /** Tenant id by EIP-55 contract address, predecessors included. */
  abstract tenants(tx: SystemTx, chainId: number): Promise<ReadonlyMap<string, string>>;
  /** Id of the tenant whose contract is, or was, at an EIP-55 address. */
  async ownerOf(tx: SystemTx, chainId: number, address: string): Promise<string | null> {
    return (await this.tenants(tx, chainId)).get(address) ?? null;
  }
}
