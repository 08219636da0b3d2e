import { Injectable } from '@nestjs/common';
import { ContractDirectory } from '#chain';
import { type Actor, EngineUnavailable, isUuid, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { trackedNotFound, transactionNotFound } from '../errors.js';
import type { Observation, PollResult } from '../observation/observation.js';
import { TransactionClient } from '../observation/transactions.client.js';
import { ReadTrackingContext, type TrackedDetails } from './read-tracking-context.js';
import { TrackedTransaction } from './tracked-transaction.js';
import { type TrackedFilter, type TrackedPlace, listOf, ofHash, ofId } from './tracked-rows.queries.js';
import { TrackedQueries } from './tracked-transactions.queries.js';

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
    // Of one moment: what the index has not seen by then is not confirmed, whatever the node says next.
    const [known, indexed] = await this.unitOfWork.read(actor, (tx) =>
      Promise.all([this.tracked.byHash(tx, chainId, txHash), this.context.indexed(tx, ofHash(actor.tenantId, txHash))]),
    );
    const poll = known?.final ? null : await this.poll(txHash, known);
    const observation = poll?.observations.get(txHash);
    if (!known && !(await this.mayShow(actor, observation))) throw transactionNotFound(txHash, chainId);
    const at = this.context.now();
    const tracked = known ?? TrackedTransaction.submitted(actor, { id: newId(), chainId, txHash, type: 'custom', at });
    if (poll && observation)
      tracked.observe(observation, this.context.pollContextAt(indexed.position, { at, nodeHead: poll.head, dropAfterMs: NEVER_MS }));
    return { ...this.context.detailsOf([tracked], indexed, poll?.head)[0]!, isTracked: known !== null };
  }

  /** Transactions of another tenant's contract are not shown, although the chain is public. */
  private async mayShow({ tenantId }: Actor, observation: Observation | undefined): Promise<boolean> {
    if (!observation?.sent && !observation?.mined) return false;
    const contract = observation.sent?.to ?? null;
    if (contract === null) return true;
    const owner = await this.unitOfWork.readAsSystem((tx) => this.contracts.ownerOf(tx, this.context.chainId, contract));
    return owner === null || owner === tenantId;
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
  async byId(actor: Actor, trackingId: string): Promise<TrackedDetails> {
    if (!isUuid(trackingId)) throw trackedNotFound(trackingId);
    const of = ofId(actor.tenantId, trackingId.toLowerCase());
    const [tracked, indexed] = await this.unitOfWork.read(actor, (tx) =>
      Promise.all([this.tracked.one(tx, of), this.context.indexed(tx, of)]),
    );
    if (!tracked) throw trackedNotFound(trackingId);
    return this.context.detailsOf([tracked], indexed)[0]!;
  }

  /** Those that the principal gave to track: an API key has its own. */
  list(
    actor: Actor,
    filter: TrackedFilter,
    place: TrackedPlace,
    limit: number,
  ): Promise<{ readonly rows: readonly TrackedDetails[]; readonly counted: number }> {
    const list = listOf(actor, filter, place, limit);
    return this.unitOfWork.read(actor, async (tx) => {
      const [{ rows, counted }, indexed] = await Promise.all([this.tracked.list(tx, list), this.context.indexed(tx, list.page)]);
      return { rows: this.context.detailsOf(rows, indexed), counted };
    });
  }
}
