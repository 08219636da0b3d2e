import { ChainProfile } from '#chain';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Step } from '#tracing';
import { Injectable } from '@nestjs/common';
import { TrackedTransaction } from '../domain/tracked-transaction.js';
import { TrackedTransactions } from '../ports.js';

export const DEFAULT_TYPE = 'custom';

/** `POST /tx/track`: the same hash twice is the same tracking, with its first type. */
@Injectable()
export class TrackTransaction {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly tracked: TrackedTransactions,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
  ) {}

  @Step('track transaction')
  track(actor: Actor, request: { readonly txHash: string; readonly type?: string | null }): Promise<TrackedTransaction> {
    const { txHash } = request;
    const tracking = { id: newId(), chainId: this.chain.chainId, txHash, type: request.type ?? DEFAULT_TYPE, at: this.clock.now() };
    return this.unitOfWork.inTransaction(actor, (tx) => this.tracked.add(tx, TrackedTransaction.submitted(actor, tracking)));
  }
}
