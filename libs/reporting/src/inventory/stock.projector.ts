import { type TenantTx, UnitOfWork } from '#persistence';
import { holdErasures } from '#sealed-contents';
import { Injectable } from '@nestjs/common';
import { StockQueries } from './stock.queries.js';

/** Lots per transaction. */
const BATCH = 5_000;

/**
 * Keeps the stock of a large tenant (ADR 0015), behind the events, which state where lots are. Each batch is a transaction that saves the
 * cursor, so a process may die at any time, and any number of processes share the tenants. Lots of a block that was undone are summed again.
 */
@Injectable()
export class StockProjector {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stock: StockQueries,
  ) {}

  /** Until nothing is left. */
  async project(tenantId: string, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.unitOfWork.inTransaction({ tenantId }, (tx) => this.projectBatch(tx))));
  }

  /** Lots of the events may have moved. */
  eventsChanged(tx: TenantTx, eventIds: readonly string[]): Promise<void> {
    return this.stock.markLotsOfEvents(tx, eventIds);
  }

  /** @returns whether there is more */
  private async projectBatch(tx: TenantTx): Promise<boolean> {
    await holdErasures(tx);
    const [cursor, upTo] = [await this.stock.acquire(tx), await this.stock.eventsAsOf(tx)];
    if (!cursor || !upTo) return false;
    const final = Math.max(cursor.block ?? -1, Math.min(upTo.final, upTo.head));
    if (cursor.block === null) await this.stock.markAll(tx);
    if (cursor.seen?.head !== upTo.head || cursor.seen.final !== upTo.final) await this.stock.markChanged(tx, cursor.block ?? final, upTo);
    await this.stock.markWithoutBlock(tx);
    const done = await this.stock.sumMarked(tx, BATCH);
    await this.stock.saveCursor(tx, final, upTo, done);
    return !done;
  }
}
