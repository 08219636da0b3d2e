import type { PageRequest } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import type { Effects } from './domain/effects.js';
import type { Sighting, TrackedStatus, TrackedTransaction } from './domain/tracked-transaction.js';

/** A hash to look up, with what is known of it from before: a node may have forgotten it. */
export interface AskedHash {
  readonly txHash: string;
  readonly from: string | null;
  readonly nonce: number | null;
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  readonly revertReason: string | null;
}

export interface OpenHash extends AskedHash {
  readonly tenantId: string;
  readonly id: string;
}

export interface TrackedFilter {
  readonly status?: TrackedStatus;
  readonly type?: string;
  /** By `submittedAt`: from this moment on. */
  readonly from?: Date;
  /** Before this moment. */
  readonly to?: Date;
}

export interface Owner {
  readonly kind: 'user' | 'api_key';
  readonly id: string;
}

/** Newest first; after a place of the list, or by page number. */
export type TrackedPlace = { readonly after: { readonly submittedAt: Date; readonly id: string } } | { readonly page: number };

/** Hashes that somebody asked to be told about. */
export abstract class TrackedTransactions {
  /** Keeps it unless its hash is tracked already; answers with the one that is kept. */
  abstract add(tx: TenantTx, tracked: TrackedTransaction): Promise<TrackedTransaction>;
  abstract byId(tx: TenantTx, id: string): Promise<TrackedTransaction | null>;
  abstract byHash(tx: TenantTx, chainId: number, txHash: string): Promise<TrackedTransaction | null>;
  /** One owner's, newest first, with how many there are (counted as pages count). */
  abstract list(
    tx: TenantTx,
    owner: Owner,
    filter: TrackedFilter,
    place: TrackedPlace,
    limit: PageRequest['limit'],
  ): Promise<{ readonly rows: readonly TrackedTransaction[]; readonly counted: number }>;
  /**
   * Hashes that want a look, of all tenants, the longest unlooked-at first: open ones not looked at since `at`, and now and then
   * those that were dropped or replaced.
   */
  abstract open(tx: SystemTx, chainId: number, at: Date, limit: number): Promise<readonly OpenHash[]>;
  /** Whether some were never looked at. */
  abstract hasNew(tx: SystemTx, chainId: number): Promise<boolean>;
  /** Those among these that no other worker is writing at the moment, locked until the transaction ends. */
  abstract lock(tx: TenantTx, ids: readonly string[]): Promise<readonly TrackedTransaction[]>;
  /** In one statement. */
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
  abstract look(asked: readonly AskedHash[]): Promise<Look>;
}

/** What transactions did, as the projection has it. */
export abstract class LandedEffects {
  /** By hash; those that touched none of the tenant's contracts are not there. */
  abstract of(tx: TenantTx, txHashes: readonly string[]): Promise<ReadonlyMap<string, Effects>>;
}

/** What an operator may set. */
export class TrackingSettings {
  constructor(
    /** Unseen for so long, a transaction counts as dropped. */
    readonly dropAfterMs: number,
  ) {}
}
