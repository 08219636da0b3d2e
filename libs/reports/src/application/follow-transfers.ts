import { ChainHead } from '#chain';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { TransferFacts } from '../facts.ports.js';
import { walkFacts } from './walk-facts.js';

const LAST = '~';

/** Keeps what was handed over in a large tenant, and its sums by day (ADR 0015). */
@Injectable()
export class FollowTransfers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly facts: TransferFacts,
    private readonly chainHead: ChainHead,
  ) {}

  /** Until nothing is left over. */
  async follow(tenantId: string, leaving: AbortSignal): Promise<void> {
    while (!leaving.aborted && (await this.step(tenantId)));
  }

  private step(tenantId: string): Promise<boolean> {
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) => walkFacts(tx, this.facts, await this.chainHead.position(tx), LAST));
  }
}
