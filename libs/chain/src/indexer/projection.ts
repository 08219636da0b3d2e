import { checksumAddress } from '#kernel';
import { discardOutbox, releaseOutbox, type SystemTx } from '#persistence';
import { inStep } from '#tracing';
import { decodeLog, decodeRegistryLog, NEWEST_CONTRACT_VERSION } from '../codec/index.js';
import type { LandedLog, RegistryLog } from '../logs.js';
import { type BlockMark, type ChainStep, type FoundLog, UnknownContract } from './chain-step.js';
import { forgetBlocksAfter, moveCursor, moveFinal, rememberBlocks, resumeCursor } from './cursor.js';
import type { ContractDirectory, LogHandler, TenantLogs } from './log-handler.js';

/** Who learns of what landed. */
export interface Projectors {
  readonly directory: ContractDirectory;
  /** Upstream contexts first. */
  readonly handlers: readonly LogHandler[];
}

interface Advance {
  readonly marks: readonly BlockMark[];
  readonly time: Date;
  readonly logs: readonly FoundLog[];
}

interface TenantBatch {
  readonly tenantId: string;
  readonly batch: TenantLogs;
}

interface Owner {
  readonly contract: string;
  readonly tenantId: string;
}

/**
 * A plan that a connection keeps is from when its tables were small: until the database comes to look at them again, minutes later, it
 * would have each look-up read all that a history wrote since.
 */
const PLANNED_ANEW = 'set local plan_cache_mode = force_custom_plan';

/** Brings one step of the chain into the contexts' tables, inside the one transaction that also moves the cursor. */
export class Projection {
  /** By address in small letters, as of the step before. */
  private owners: ReadonlyMap<string, Owner> = new Map();
  /** What was made of the logs of a step before its turn, for these owners. */
  private readonly made = new WeakMap<
    readonly FoundLog[],
    { readonly owners: Projection['owners']; readonly batches: readonly TenantBatch[] }
  >();

  constructor(
    private readonly chainId: number,
    private readonly registry: string,
    private readonly projectors: Projectors,
    private readonly windowSize: number,
  ) {}

  /** `tip` is where the writer believes the cursor to be. @throws CursorMoved when another writer has been here */
  async take(tx: SystemTx, step: ChainStep, tip: BlockMark): Promise<void> {
    await tx.sql(PLANNED_ANEW);
    switch (step.kind) {
      case 'block':
        return this.advance(tx, tip, { ...step, marks: [step.mark] });
      case 'range':
        await this.advance(tx, tip, step, step.marks.at(-1)!.number);
        // What is new went out released; this is for blocks before that were not final yet.
        return releaseOutbox(tx, this.chainId, step.marks.at(-1)!.number);
      case 'reorg':
        return this.rollBack(tx, tip, step.lastGood);
      case 'final':
        await moveFinal(tx, this.chainId, tip, step.number);
        return releaseOutbox(tx, this.chainId, step.number);
    }
  }

  /** Logs of the step that comes next, while this one is being written: what can be done without the database. */
  async lookAhead(logs: readonly FoundLog[]): Promise<void> {
    for (const { tenantId, batch } of this.batchesOf(logs))
      for (const handler of this.projectors.handlers) await handler.lookAhead(tenantId, batch);
  }

  /** Takes the effects of all later blocks back; downstream contexts first. */
  async undo(tx: SystemTx, lastGoodBlock: number): Promise<void> {
    for (const handler of this.projectors.handlers.toReversed()) await handler.undo(tx, this.chainId, lastGoodBlock);
    await discardOutbox(tx, this.chainId, lastGoodBlock);
    await this.projectors.directory.unregister(tx, this.chainId, lastGoodBlock);
  }

  /** Obeys an operator: what came after `at` is taken back, or nothing when that is null, and the projection goes on from there. */
  async goBack(tx: SystemTx, at: BlockMark | null): Promise<void> {
    await resumeCursor(tx, this.chainId, at);
    if (at !== null) await this.undo(tx, at.number);
  }

  private async advance(tx: SystemTx, tip: BlockMark, { marks, time, logs }: Advance, finalUpTo?: number): Promise<void> {
    // First of all: it locks the row, so a second writer waits here and then finds the cursor moved.
    await moveCursor(tx, this.chainId, tip, { mark: marks.at(-1)!, time, final: finalUpTo !== undefined });
    await rememberBlocks(tx, this.chainId, marks, this.windowSize);
    if (logs.length === 0) return;
    await this.register(tx, logs);
    for (const { tenantId, batch } of await this.byTenant(tx, logs))
      await tx.forTenant(
        tenantId,
        async (tenantTx) => {
          for (const handler of this.projectors.handlers) await inStep(handler.constructor.name, {}, () => handler.apply(tenantTx, batch));
        },
        finalUpTo,
      );
  }

  private async rollBack(tx: SystemTx, tip: BlockMark, lastGood: BlockMark): Promise<void> {
    await moveCursor(tx, this.chainId, tip, { mark: lastGood, time: null });
    await forgetBlocksAfter(tx, this.chainId, lastGood.number);
    await this.undo(tx, lastGood.number);
  }

  private async register(tx: SystemTx, logs: readonly FoundLog[]): Promise<void> {
    const registry = this.registry.toLowerCase();
    const created = logs.flatMap((log): RegistryLog[] => {
      const args = log.address === registry ? decodeRegistryLog(log) : null;
      return args ? [{ ...landed(log, this.registry), name: 'TenantCreated', args }] : [];
    });
    if (created.length === 0) return;
    await this.projectors.directory.register(tx, this.chainId, created);
    await this.requireKnownVersions(tx, created);
  }

  /** Of our tenants' contracts only: what others make of the registry is theirs. @throws UnknownContract */
  private async requireKnownVersions(tx: SystemTx, created: readonly RegistryLog[]): Promise<void> {
    const later = created.filter(({ args }) => args.version > NEWEST_CONTRACT_VERSION);
    if (later.length === 0) return;
    const tenants = await this.projectors.directory.tenants(tx, this.chainId);
    const ours = later.find(({ args }) => tenants.has(args.lots));
    if (ours) throw new UnknownContract(ours.args.lots, ours.args.version, ours.block.number, NEWEST_CONTRACT_VERSION);
  }

  private async byTenant(tx: SystemTx, logs: readonly FoundLog[]): Promise<readonly TenantBatch[]> {
    const tenants = await this.projectors.directory.tenants(tx, this.chainId);
    const known = [...this.owners.values()];
    if (known.length !== tenants.size || known.some(({ contract, tenantId }) => tenants.get(contract) !== tenantId))
      this.owners = new Map(
        [...tenants].map(([contract, tenantId]) => [contract.toLowerCase(), { contract: checksumAddress(contract), tenantId }]),
      );
    return this.batchesOf(logs);
  }

  /** One batch per contract, in the order of its first log. The same ones again for logs that were looked at before, as long as they are of the same owners. */
  private batchesOf(logs: readonly FoundLog[]): readonly TenantBatch[] {
    const { owners } = this;
    const before = this.made.get(logs);
    if (before?.owners === owners) return before.batches;
    const batches = this.decoded(logs);
    this.made.set(logs, { owners, batches });
    return batches;
  }

  /** Strangers who emit the same events are passed over. */
  private decoded(logs: readonly FoundLog[]): readonly TenantBatch[] {
    const batches = new Map<string, Owner & { readonly logs: LandedLog[] }>();
    for (const log of logs) {
      const owner = this.owners.get(log.address);
      const known = owner && decode(log, owner.contract);
      if (!known) continue;
      const batch = batches.get(log.address);
      if (batch) batch.logs.push(known);
      else batches.set(log.address, { ...owner, logs: [known] });
    }
    return [...batches.values()].map(({ tenantId, contract, logs: of }) => ({
      tenantId,
      batch: { chainId: this.chainId, contract, logs: of },
    }));
  }
}

function decode(log: FoundLog, contract: string): LandedLog | null {
  const decoded = decodeLog(log);
  if (!decoded) return null;
  const { block, txHash, logIndex, txLogIndex } = log;
  // Field by field: put together by `...` it costs ten times as much, and a history has many.
  return { contract, block, txHash, logIndex, txLogIndex, name: decoded.name, args: decoded.args } as LandedLog;
}

const landed = (log: FoundLog, contract: string) => ({
  contract,
  block: log.block,
  txHash: log.txHash,
  logIndex: log.logIndex,
  txLogIndex: log.txLogIndex,
});
