import type { SystemTx, TenantTx } from '#persistence';
import type { Sighting, TrackedTransaction } from './domain/tracked-transaction.js';

export interface OpenHash {
  readonly tenantId: string;
  readonly id: string;
  readonly txHash: string;
}

export abstract class TrackedTransactions {
  /** Keeps it unless its hash is tracked already; answers with the one that is kept. */
  abstract add(tx: TenantTx, tracked: TrackedTransaction): Promise<TrackedTransaction>;
  abstract byId(tx: TenantTx, id: string): Promise<TrackedTransaction | null>;
  /** Hashes without a final status, of all tenants, the longest unlooked-at first. */
  abstract open(tx: SystemTx, chainId: number, limit: number): Promise<readonly OpenHash[]>;
  /** Those among these that no other worker is writing at the moment, locked until the transaction ends. */
  abstract lock(tx: TenantTx, ids: readonly string[]): Promise<readonly TrackedTransaction[]>;
  abstract save(tx: TenantTx, tracked: readonly TrackedTransaction[]): Promise<void>;
}

export interface Look {
  /** Newest block of the node that answered all of it. */
  readonly head: number;
  /** One for every hash asked for. */
  readonly sightings: ReadonlyMap<string, Sighting>;
}

/** Looks transactions up on the chain, each answer of one node only. */
export abstract class TransactionLookout {
  /** @throws EngineUnavailable('chain') */
  abstract look(txHashes: readonly string[]): Promise<Look>;
}
