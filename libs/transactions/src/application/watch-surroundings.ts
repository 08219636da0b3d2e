import { ChainHead, ChainProfile } from '#chain';
import type { Tx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Horizon } from '../domain/tracked-transaction.js';
import { TrackingSettings } from '../ports.js';

/** What a look is judged by. */
@Injectable()
export class WatchSurroundings {
  constructor(
    readonly chain: ChainProfile,
    private readonly chainHead: ChainHead,
    private readonly settings: TrackingSettings,
  ) {}

  async horizon(tx: Tx, at: Date, nodeHead: number): Promise<Horizon> {
    const { head, final } = await this.chainHead.position(tx);
    return {
      at,
      nodeHead,
      projectedFinal: Math.min(head, final),
      requiredConfirmations: this.chain.confirmations,
      dropAfterMs: this.settings.dropAfterMs,
    };
  }
}
