import { ChainHead, type ChainPosition, ChainProfile } from '#chain';
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

/** What the index says at one moment about some transactions. */
interface IndexedState {
  /** By hash. */
  readonly effects: ReadonlyMap<string, Effects>;
  readonly position: ChainPosition;
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
    return this.pollContextAt(await this.chainHead.position(tx), poll);
  }

  /** @param position of the index */
  pollContextAt({ head, final }: ChainPosition, poll: Pick<PollContext, 'at' | 'nodeHead' | 'dropAfterMs'>): PollContext {
    return { ...poll, projectedFinal: Math.min(head, final), requiredConfirmations: this.chain.confirmations };
  }

  /** In one exchange with what is started at the same time. @param of which transactions: rows with a `tx_hash` */
  async indexed(tx: TenantTx, of: Parameters<EffectQueries['ofRows']>[1]): Promise<IndexedState> {
    const [effects, position] = await Promise.all([this.effects.ofRows(tx, of), this.chainHead.position(tx)]);
    return { effects, position };
  }

  /** @param nodeHead newest block of a node that was asked meanwhile */
  detailsOf(transactions: readonly TrackedTransaction[], { effects, position: { head } }: IndexedState, nodeHead = 0): TrackedDetails[] {
    return transactions.map((tracked) => ({
      tracked,
      effects: effects.get(tracked.txHash) ?? NO_EFFECTS,
      head: Math.max(head, nodeHead),
      requiredConfirmations: this.chain.confirmations,
    }));
  }
}
