import { ChainHead, type ChainPosition } from '#chain';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Change, EventFacts, Stock } from '../facts.ports.js';
import { KeptAnswers } from '../ports.js';
import { KEEP_FROM_LOTS } from './ask-report.js';
import { FollowStock } from './follow-stock.js';

const BATCH = 5_000;
/** What can be undone is looked at again with every block: beyond this many events, the rest when it cannot. */
const MOST_OPEN = 20_000;
const DAYS = 30;
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
    private readonly stock: Stock,
    private readonly followStock: FollowStock,
    private readonly kept: KeptAnswers,
    private readonly chainHead: ChainHead,
  ) {}

  async all(leaving: AbortSignal): Promise<void> {
    for (const tenant of await this.unitOfWork.asSystem((tx) => this.kept.largeTenants(tx, KEEP_FROM_LOTS)))
      await this.follow(tenant.tenantId, leaving);
  }

  /** Until nothing is left over. */
  async follow(tenantId: string, leaving = new AbortController().signal): Promise<void> {
    while (!leaving.aborted && (await this.unitOfWork.inTransaction({ tenantId }, (tx) => this.step(tx))));
    await this.followStock.follow(tenantId, leaving);
  }

  /** @returns whether there is more */
  private async step(tx: TenantTx): Promise<boolean> {
    const walk = await this.facts.take(tx);
    if (!walk) return false;
    const position = await this.chainHead.position(tx);
    if (walk.seen?.head === position.head && walk.seen.final === position.final) {
      await this.refresh(tx, await this.facts.late(tx, MOST_OPEN), position);
      return this.sums(tx, walk.place, position);
    }
    const { roots, place, complete } = await this.look(tx, walk.place, position);
    const open = complete ? await this.facts.open(tx, MOST_OPEN) : [];
    await this.refresh(tx, [...new Set([...open, ...roots])], position);
    if (complete) return this.sums(tx, place, position);
    await this.facts.walked(tx, { place, seen: null }, null);
    return true;
  }

  /** Their lots are where they say. */
  private async refresh(tx: TenantTx, ids: readonly string[], { final }: ChainPosition): Promise<void> {
    if (ids.length === 0) return;
    await this.facts.refresh(tx, ids, final);
    await this.stock.ofEvents(tx, ids);
  }

  /** What changed since, and how much of it cannot be undone any more. */
  private async look(tx: TenantTx, place: string | null, { head, final }: ChainPosition) {
    const found: Change[] = [];
    for (let after = place; ; ) {
      const changes = await this.facts.changes(tx, after, head, BATCH);
      found.push(...changes);
      const last = changes.at(-1);
      const roots = found.map(({ root }) => root);
      if (!last || changes.length < BATCH || found.length > MOST_OPEN)
        return { roots, place: laterOf(place, `${Math.min(final, head)}:${LAST}`), complete: true };
      after = `${last.block}:${last.id}`;
      if (last.block <= final) return { roots, place: after, complete: false };
    }
  }

  private async sums(tx: TenantTx, place: string | null, position: ChainPosition): Promise<boolean> {
    const done = await this.facts.sumDays(tx, DAYS);
    await this.facts.walked(tx, { place, seen: position }, done ? position : null);
    return !done;
  }
}

const blockOf = (place: string | null): number => (place === null ? -1 : Number(place.split(':')[0]));
const laterOf = (before: string | null, now: string): string => (blockOf(before) > blockOf(now) ? before! : now);
