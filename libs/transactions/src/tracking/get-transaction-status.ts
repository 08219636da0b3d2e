import { Injectable } from '@nestjs/common';
import { ContractDirectory } from '#chain';
import { type Actor, EngineUnavailable, isUuid, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { trackedNotFound, transactionNotFound } from '../errors.js';
import type { Observation, PollResult } from '../observation/observation.js';
import { TransactionClient } from '../observation/transactions.client.js';
import { ReadTrackingContext, type TrackedDetails } from './read-tracking-context.js';
import { TrackedTransaction } from './tracked-transaction.js';
import { type TrackedFilter, type TrackedPlace, TrackedQueries } from './tracked-transactions.queries.js';

/** Only the watcher decides that a transaction is dropped. */
const NEVER_MS = Number.POSITIVE_INFINITY;

export interface TransactionStatus extends TrackedDetails {
  readonly isTracked: boolean;
}

/** The current state of any transaction of the chain. Stores nothing. */
@Injectable()
export class GetTransactionStatus {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedQueries,
    private readonly client: TransactionClient,
    private readonly contracts: ContractDirectory,
    private readonly context: ReadTrackingContext,
  ) {}

  /**
   * @throws DomainError 404 `transaction_not_found` when neither this service nor the chain knows it, or when it calls the contract of
   * another tenant; EngineUnavailable('chain')
   */
  async byHash(actor: Actor, hash: string): Promise<TransactionStatus> {
    const txHash = hash.toLowerCase();
    const { chainId } = this.context;
    const known = await this.unitOfWork.inTransaction(actor, (tx) => this.tracked.byHash(tx, chainId, txHash));
    const poll = known?.final ? null : await this.poll(txHash, known);
    const observation = poll?.observations.get(txHash);
    if (!known && !(await this.mayShow(actor, observation))) throw transactionNotFound(txHash, chainId);
    const at = this.context.now();
    const tracked = known ?? TrackedTransaction.submitted(actor, { id: newId(), chainId, txHash, type: 'custom', at });
    const details = await this.unitOfWork.inTransaction(actor, (tx) => this.details(tx, tracked, poll, at));
    return { ...details, isTracked: known !== null };
  }

  /** Transactions of another tenant's contract are not shown, although the chain is public. */
  private async mayShow({ tenantId }: Actor, observation: Observation | undefined): Promise<boolean> {
    if (!observation?.sent && !observation?.mined) return false;
    const contract = observation.sent?.to ?? null;
    if (contract === null) return true;
    const owner = await this.unitOfWork.asSystem((tx) => this.contracts.ownerOf(tx, this.context.chainId, contract));
    return owner === null || owner === tenantId;
  }

  private async details(tx: TenantTx, tracked: TrackedTransaction, poll: PollResult | null, at: Date): Promise<TrackedDetails> {
    const observation = poll?.observations.get(tracked.txHash);
    if (poll && observation)
      tracked.observe(observation, await this.context.pollContext(tx, { at, nodeHead: poll.head, dropAfterMs: NEVER_MS }));
    return (await this.context.detailsOf(tx, [tracked], poll?.head))[0]!;
  }

  /** While the chain is away, a tracked transaction is shown as the watcher left it. */
  private poll(txHash: string, known: TrackedTransaction | null): Promise<PollResult | null> {
    const { from = null, nonce = null, blockNumber = null, blockHash = null, revertReason = null } = known ?? {};
    return this.client.observe([{ txHash, from, nonce, blockNumber, blockHash, revertReason }]).catch((error: unknown) => {
      if (known && error instanceof EngineUnavailable) return null;
      throw error;
    });
  }
}

/** Tracked transactions with their effects, and with confirmations up to the current head. */
@Injectable()
export class ListTracked {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedQueries,
    private readonly context: ReadTrackingContext,
  ) {}

  /** @throws DomainError 404 `tracked_transaction_not_found` */
  byId(actor: Actor, trackingId: string): Promise<TrackedDetails> {
    if (!isUuid(trackingId)) throw trackedNotFound(trackingId);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const tracked = await this.tracked.byId(tx, trackingId.toLowerCase());
      if (!tracked) throw trackedNotFound(trackingId);
      return (await this.context.detailsOf(tx, [tracked]))[0]!;
    });
  }

  /** Those that the principal gave to track: an API key has its own. */
  list(
    actor: Actor,
    filter: TrackedFilter,
    place: TrackedPlace,
    limit: number,
  ): Promise<{ readonly rows: readonly TrackedDetails[]; readonly counted: number }> {
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const { rows, counted } = await this.tracked.list(tx, actor, filter, place, limit);
      return { rows: await this.context.detailsOf(tx, rows), counted };
    });
  }
}
