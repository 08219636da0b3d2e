import { checksumAddress } from '#kernel';
import { discardOutbox, releaseOutbox, revise, reviseAll, type SystemTx } from '#persistence';
import { inChildSpan } from '#tracing';
import { type ContractLog, decodeLog, decodeRegistryLog, NEWEST_CONTRACT_VERSION, type RegistryLog } from '../codec/tenant-lots.js';
import { type BlockMark, type ChainEvent, type ChainLog, UnknownContract } from './chain-event.js';
import { finalBlock, forgetBlocksAfter, moveCursor, moveFinal, rememberBlocks, resumeCursor } from './cursor.queries.js';
import type { ChainProjector, ContractDirectory, LogBatch } from './chain-projector.js';

/** The receivers of the chain's logs. */
export interface IndexerTargets {
  readonly directory: ContractDirectory;
  /** Upstream contexts first. */
  readonly projectors: readonly ChainProjector[];
}

interface NewBlocks {
  readonly marks: readonly BlockMark[];
  readonly time: Date;
  readonly logs: readonly ChainLog[];
}

interface TenantBatch {
  readonly tenantId: string;
  readonly batch: LogBatch;
}

interface ContractOwner {
  readonly contract: string;
  readonly tenantId: string;
}

/**
 * A cached plan dates from when its tables were small. Until autovacuum analyses them again, minutes later, it would scan everything
 * that the backfill has written since.
 */
const CUSTOM_PLANS = 'set local plan_cache_mode = force_custom_plan';

/** Applies one chain event to the tables of the contexts, inside the one transaction that also moves the cursor. */
export class BlockApplier {
  /** By lower-case address, as of the previous event. */
  private owners: ReadonlyMap<string, ContractOwner> = new Map();
  /** Batches that were decoded ahead of time, valid for these owners. */
  private readonly decodedAhead = new WeakMap<
    readonly ChainLog[],
    { readonly owners: BlockApplier['owners']; readonly batches: readonly TenantBatch[] }
  >();

  constructor(
    private readonly chainId: number,
    private readonly registry: string,
    private readonly targets: IndexerTargets,
    private readonly windowSize: number,
  ) {}

  /** @param tip where the writer expects the cursor @throws CursorMoved when another writer has moved it */
  async apply(tx: SystemTx, event: ChainEvent, tip: BlockMark): Promise<void> {
    await tx.sql(CUSTOM_PLANS);
    switch (event.kind) {
      case 'block':
        return this.advance(tx, tip, { ...event, marks: [event.mark] });
      case 'range':
        await this.advance(tx, tip, event, event.marks.at(-1)!.number);
        // New messages were published as released; this is for earlier blocks that were not final yet.
        return releaseOutbox(tx, this.chainId, event.marks.at(-1)!.number);
      case 'reorg':
        return this.rollBack(tx, tip, event.lastGood);
      case 'final':
        await moveFinal(tx, this.chainId, tip, event.number);
        return releaseOutbox(tx, this.chainId, event.number);
    }
  }

  /** Does the work on the next event's logs that needs no database, while the current event is written. */
  async prefetch(logs: readonly ChainLog[]): Promise<void> {
    for (const { tenantId, batch } of this.batchesOf(logs))
      for (const projector of this.targets.projectors) await projector.prefetch(tenantId, batch);
  }

  /** Undoes the effects of all later blocks; downstream contexts first. */
  async undo(tx: SystemTx, lastGoodBlock: number, wasFinal = -1): Promise<void> {
    for (const projector of this.targets.projectors.toReversed()) await projector.undo(tx, this.chainId, lastGoodBlock, wasFinal);
    await discardOutbox(tx, this.chainId, lastGoodBlock);
    const tenants = await this.targets.directory.tenants(tx, this.chainId);
    await reviseAll(tx, [...new Set(tenants.values())]);
    await this.targets.directory.unregister(tx, this.chainId, lastGoodBlock);
  }

  /** Executes an operator's command: undoes what came after `mark` (nothing when it is null) and continues from there. */
  async goBack(tx: SystemTx, mark: BlockMark | null): Promise<void> {
    const wasFinal = await finalBlock(tx, this.chainId);
    await resumeCursor(tx, this.chainId, mark);
    if (mark !== null) await this.undo(tx, mark.number, wasFinal);
  }

  private async advance(tx: SystemTx, tip: BlockMark, { marks, time, logs }: NewBlocks, finalUpTo?: number): Promise<void> {
    // Must come first: it locks the row, so a second writer waits here and then finds that the cursor has moved.
    await moveCursor(tx, this.chainId, tip, { mark: marks.at(-1)!, time, final: finalUpTo !== undefined });
    await rememberBlocks(tx, this.chainId, marks, this.windowSize);
    if (logs.length === 0) return;
    await this.register(tx, logs);
    for (const { tenantId, batch } of await this.byTenant(tx, logs))
      await tx.forTenant(
        tenantId,
        async (tenantTx) => {
          for (const projector of this.targets.projectors)
            await inChildSpan(projector.constructor.name, {}, () => projector.apply(tenantTx, batch));
          await revise(tenantTx);
        },
        finalUpTo,
      );
  }

  private async rollBack(tx: SystemTx, tip: BlockMark, lastGood: BlockMark): Promise<void> {
    const wasFinal = await finalBlock(tx, this.chainId);
    await moveCursor(tx, this.chainId, tip, { mark: lastGood, time: null });
    await forgetBlocksAfter(tx, this.chainId, lastGood.number);
    await this.undo(tx, lastGood.number, wasFinal);
  }

  private async register(tx: SystemTx, logs: readonly ChainLog[]): Promise<void> {
    const registry = this.registry.toLowerCase();
    const created = logs.flatMap((log): RegistryLog[] => {
      const args = log.address === registry ? decodeRegistryLog(log) : null;
      return args ? [{ ...positionOf(log, this.registry), name: 'TenantCreated', args }] : [];
    });
    if (created.length === 0) return;
    await this.targets.directory.register(tx, this.chainId, created);
    await this.requireKnownVersions(tx, created);
  }

  /** Checks the contracts of our tenants only; others may use the registry as they like. @throws UnknownContract */
  private async requireKnownVersions(tx: SystemTx, created: readonly RegistryLog[]): Promise<void> {
    const later = created.filter(({ args }) => args.version > NEWEST_CONTRACT_VERSION);
    if (later.length === 0) return;
    const tenants = await this.targets.directory.tenants(tx, this.chainId);
    const ours = later.find(({ args }) => tenants.has(args.lots));
    if (ours) throw new UnknownContract(ours.args.lots, ours.args.version, ours.block.number, NEWEST_CONTRACT_VERSION);
  }

  private async byTenant(tx: SystemTx, logs: readonly ChainLog[]): Promise<readonly TenantBatch[]> {
    const tenants = await this.targets.directory.tenants(tx, this.chainId);
    const known = [...this.owners.values()];
    if (known.length !== tenants.size || known.some(({ contract, tenantId }) => tenants.get(contract) !== tenantId))
      this.owners = new Map(
        [...tenants].map(([contract, tenantId]) => [contract.toLowerCase(), { contract: checksumAddress(contract), tenantId }]),
      );
    return this.batchesOf(logs);
  }

  /** One batch per contract, in the order of its first log. Batches decoded ahead are used again if the owners are still the same. */
  private batchesOf(logs: readonly ChainLog[]): readonly TenantBatch[] {
    const { owners } = this;
    const ahead = this.decodedAhead.get(logs);
    if (ahead?.owners === owners) return ahead.batches;
    const batches = this.decodeBatches(logs);
    this.decodedAhead.set(logs, { owners, batches });
    return batches;
  }

  /** Logs of contracts that are not ours are ignored, also when they look the same. */
  private decodeBatches(logs: readonly ChainLog[]): readonly TenantBatch[] {
    const batches = new Map<string, ContractOwner & { readonly logs: ContractLog[] }>();
    for (const log of logs) {
      const owner = this.owners.get(log.address);
      const decoded = owner && decode(log, owner.contract);
      if (!decoded) continue;
      const batch = batches.get(log.address);
      if (batch) batch.logs.push(decoded);
      else batches.set(log.address, { ...owner, logs: [decoded] });
    }
    return [...batches.values()].map(({ tenantId, contract, logs: decoded }) => ({
      tenantId,
      batch: { chainId: this.chainId, contract, logs: decoded },
    }));
  }
}

function decode(log: ChainLog, contract: string): ContractLog | null {
  const decoded = decodeLog(log);
  if (!decoded) return null;
  const { block, txHash, logIndex, txLogIndex } = log;
  // Field by field: object spread costs ten times as much here, and a backfill decodes many logs.
  return { contract, block, txHash, logIndex, txLogIndex, name: decoded.name, args: decoded.args } as ContractLog;
}

const positionOf = (log: ChainLog, contract: string) => ({
  contract,
  block: log.block,
  txHash: log.txHash,
  logIndex: log.logIndex,
  txLogIndex: log.txLogIndex,
});
