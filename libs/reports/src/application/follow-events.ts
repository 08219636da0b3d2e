import { ChainHead } from '#chain';
import { UnitOfWork } from '#persistence';
import { tenantByTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import { EventFacts } from '../facts.ports.js';
import { KeptAnswers } from '../ports.js';
import { KEEP_FROM_LOTS } from './ask-report.js';
import { FollowStock } from './follow-stock.js';
import { FollowTransfers } from './follow-transfers.js';
import { walkFacts } from './walk-facts.js';

const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Keeps the figures of events, and their sums by day, of every large tenant (ADR 0015). A step is a transaction that remembers how far it
 * came, so a process may die anywhere, and any number of processes share the tenants.
 */
@Injectable()
export class FollowEvents {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly facts: EventFacts,
    private readonly followStock: FollowStock,
    private readonly followTransfers: FollowTransfers,
    private readonly kept: KeptAnswers,
    private readonly chainHead: ChainHead,
  ) {}

  async all(leaving: AbortSignal): Promise<void> {
    const large = await this.unitOfWork.asSystem((tx) => this.kept.largeTenants(tx, KEEP_FROM_LOTS));
    await tenantByTenant(large, leaving, ({ tenantId }) => this.follow(tenantId, leaving));
  }

  /** Until nothing is left over. */
  async follow(tenantId: string, leaving = new AbortController().signal): Promise<void> {
    // Lots that are not projected yet would leave the stock, and nothing would bring them back.
    if (await this.unitOfWork.asSystem((tx) => this.chainHead.isMadeAnew(tx))) return;
    while (!leaving.aborted && (await this.step(tenantId)));
    await this.followTransfers.follow(tenantId, leaving);
    await this.followStock.follow(tenantId, leaving);
  }

  /** Lots are where their events say. @returns whether there is more */
  private step(tenantId: string): Promise<boolean> {
    return this.unitOfWork.inTransaction({ tenantId }, async (tx) =>
      walkFacts(tx, this.facts, await this.chainHead.position(tx), LAST, (ids) => this.followStock.ofEvents(tx, ids)),
    );
  }
}
