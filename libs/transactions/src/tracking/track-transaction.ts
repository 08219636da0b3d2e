import { ChainProfile } from '#chain';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Span } from '#tracing';
import { Injectable, Optional } from '@nestjs/common';
import { TrackedTransaction } from './tracked-transaction.js';
import { TrackedQueries } from './tracked-transactions.queries.js';

const DEFAULT_TYPE = 'custom';

/** What an operator may set. */
export class TrackingSettings {
  /** How many hashes of a tenant may be open that no node has seen. */
  readonly neverSeenPerTenant: number = 1_000;
}

/** `POST /tx/track`: the same hash twice is the same tracking, with its first type. */
@Injectable()
export class TrackTransaction {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedQueries,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
    @Optional() private readonly settings: TrackingSettings = new TrackingSettings(),
  ) {}

  /** @throws DomainError 429 `too_many_open_transactions` */
  @Span('track transaction')
  async track(actor: Actor, { txHash, type }: { readonly txHash: string; readonly type?: string | null }): Promise<TrackedTransaction> {
    const tracking = { id: newId(), chainId: this.chain.chainId, txHash, type: type ?? DEFAULT_TYPE, at: this.clock.now() };
    const submitted = TrackedTransaction.submitted(actor, tracking);
    const most = this.settings.neverSeenPerTenant;
    const stored = await this.unitOfWork.write(actor, (tx) => this.tracked.addAtOnce(tx, submitted, most));
    return stored ?? this.unitOfWork.inTransaction(actor, (tx) => this.tracked.add(tx, submitted, most));
  }
}
