import { ChainHead, ChainProfile, ContractDirectory } from '#chain';
import { type Actor, Clock, EngineUnavailable, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { NO_EFFECTS } from '../../domain/effects.js';
import { transactionNotFound } from '../../domain/errors.js';
import { TrackedTransaction } from '../../domain/tracked-transaction.js';
import { LandedEffects, type Look, TrackedTransactions, TransactionLookout } from '../../ports.js';
import { type TrackedView, untrackedView } from './transactions.view.js';

/** Waits for nobody: being dropped is the monitor's to say. */
const NEVER_MS = Number.POSITIVE_INFINITY;

/** The state of any transaction of the chain, asked for at this moment and kept nowhere. */
@Injectable()
export class StatusOnChain {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedTransactions,
    private readonly effects: LandedEffects,
    private readonly lookout: TransactionLookout,
    private readonly contracts: ContractDirectory,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError 404 `transaction_not_found` for one that nobody here or on the chain knows, or that calls the contract of
   * another tenant; EngineUnavailable('chain')
   */
  async byHash(actor: Actor, hash: string): Promise<TrackedView> {
    const txHash = hash.toLowerCase();
    const { chainId } = this.chain;
    const known = await this.unitOfWork.inTransaction(actor, (tx) => this.tracked.byHash(tx, chainId, txHash));
    const look = known?.final ? null : await this.look(txHash, known);
    const sighting = look?.sightings.get(txHash);
    if (!known && !sighting?.sent && !sighting?.mined) throw transactionNotFound(txHash, chainId);
    if (!known && (await this.isAnothers(actor, sighting?.sent?.to ?? null))) throw transactionNotFound(txHash, chainId);
    const at = this.clock.now();
    const now = known ?? TrackedTransaction.submitted(actor, { id: newId(), chainId, txHash, type: 'custom', at });
    return this.unitOfWork.inTransaction(actor, (tx) => this.view(tx, now, look, known !== null, at));
  }

  /** What goes on in the contract of another tenant is not shown here, though whoever reads the chain can see it. */
  private async isAnothers({ tenantId }: Actor, contract: string | null): Promise<boolean> {
    if (contract === null) return false;
    const owner = await this.unitOfWork.asSystem((tx) => this.contracts.ownerOf(tx, this.chain.chainId, contract));
    return owner !== null && owner !== tenantId;
  }

  private async view(tx: TenantTx, now: TrackedTransaction, look: Look | null, isTracked: boolean, at: Date): Promise<TrackedView> {
    const { head, final } = await this.chainHead.position(tx);
    const requiredConfirmations = this.chain.confirmations;
    const sighting = look?.sightings.get(now.txHash);
    if (look && sighting)
      now.seen(sighting, { at, nodeHead: look.head, projectedFinal: final, requiredConfirmations, dropAfterMs: NEVER_MS });
    const effects = (await this.effects.of(tx, [now.txHash])).get(now.txHash) ?? NO_EFFECTS;
    return untrackedView(now, { effects, head: Math.max(head, look?.head ?? head), requiredConfirmations }, isTracked);
  }

  /** Of a tracked one there is the last word of the monitor, if the chain is away. */
  private look(txHash: string, known: TrackedTransaction | null): Promise<Look | null> {
    const { from = null, nonce = null, blockNumber = null, blockHash = null, revertReason = null } = known ?? {};
    return this.lookout.look([{ txHash, from, nonce, blockNumber, blockHash, revertReason }]).catch((error: unknown) => {
      if (known && error instanceof EngineUnavailable) return null;
      throw error;
    });
  }
}
