import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Stock } from '../facts.ports.js';

/** Lots in one transaction. */
const BATCH = 5_000;

/**
 * Keeps the stock of a large tenant (ADR 0015), behind the events that say where lots are (`follow-events.ts`). A step is a transaction
 * that remembers how far it came, so a process may die anywhere, and any number of processes share the tenants.
 */
@Injectable()
export class FollowStock {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stock: Stock,
  ) {}

  /** Until nothing is left over. */
  async follow(tenantId: string, leaving = new AbortController().signal): Promise<void> {
    while (!leaving.aborted && (await this.unitOfWork.inTransaction({ tenantId }, (tx) => this.step(tx))));
  }

  /** The lots that these events name are to be looked at. */
  ofEvents(tx: TenantTx, ids: readonly string[]): Promise<void> {
    return this.stock.ofEvents(tx, ids);
  }

  /** @returns whether there is more */
  private async step(tx: TenantTx): Promise<boolean> {
    const [walk, upTo] = [await this.stock.take(tx), await this.stock.upTo(tx)];
    if (!walk || !upTo) return false;
    const settled = Math.max(walk.block ?? -1, Math.min(upTo.final, upTo.head));
    if (walk.block === null) await this.stock.all(tx);
    if (walk.seen?.head !== upTo.head || walk.seen.final !== upTo.final) await this.stock.changed(tx, walk.block ?? settled, upTo);
    await this.stock.withoutBlock(tx);
    const done = await this.stock.sum(tx, BATCH);
    await this.stock.walked(tx, settled, upTo, done);
    return !done;
  }
}
