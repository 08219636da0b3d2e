import { ChainHead, ChainProfile } from '#chain';
import { Clock } from '#kernel';
import type { TenantTx, Tx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { EffectQueries, type Effects, NO_EFFECTS } from '../effects/effects.queries.js';
import type { PollContext, TrackedTransaction } from './tracked-transaction.js';

/** A transaction with what is known about it beyond its own record. */
export interface TrackedDetails {
  readonly tracked: TrackedTransaction;
  readonly effects: Effects;
  /** Newest known block. */
  readonly head: number;
  readonly requiredConfirmations: number;
}

/** What transactions are judged and shown by: chain, index, time, effects. */
@Injectable()
export class ReadTrackingContext {
  constructor(
    private readonly chain: ChainProfile,
    private readonly chainHead: ChainHead,
    private readonly effects: EffectQueries,
    private readonly clock: Clock,
  ) {}

  get chainId(): number {
    return this.chain.chainId;
  }

  now(): Date {
    return this.clock.now();
  }

  /** Changes when a block is indexed or becomes final. */
  async position(tx: Tx): Promise<string> {
    const { head, final } = await this.chainHead.position(tx);
    return `${head}:${final}`;
  }

  async pollContext(tx: Tx, poll: Pick<PollContext, 'at' | 'nodeHead' | 'dropAfterMs'>): Promise<PollContext> {
    const { head, final } = await this.chainHead.position(tx);
    return { ...poll, projectedFinal: Math.min(head, final), requiredConfirmations: this.chain.confirmations };
  }

  /** @param nodeHead newest block of a node that was asked meanwhile */
  async detailsOf(tx: TenantTx, transactions: readonly TrackedTransaction[], nodeHead = 0): Promise<TrackedDetails[]> {
    const effects = await this.effects.of(
      tx,
      transactions.map(({ txHash }) => txHash),
    );
    const { head } = await this.chainHead.position(tx);
    return transactions.map((tracked) => ({
      tracked,
      effects: effects.get(tracked.txHash) ?? NO_EFFECTS,
      head: Math.max(head, nodeHead),
      requiredConfirmations: this.chain.confirmations,
    }));
  }
}
