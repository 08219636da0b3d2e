import { ChainHead, type ChainPosition } from '#chain';
import { type TenantTx, UnitOfWork } from '#persistence';
import { holdErasures } from '#sealed-contents';
import type { Change, FactCursor, FactQueries } from './fact.queries.js';

const BATCH = 5_000;
/** Facts that can be undone are computed again with every block; above this number, the rest when it is final. */
const MAX_UNDOABLE = 20_000;
const DAYS = 30;

type AfterApply = (tx: TenantTx, ids: readonly string[]) => Promise<void>;

/**
 * Follows the chain by block and keeps facts and their sums by day (ADR 0015). Each batch is a transaction that saves the cursor, so a
 * process may die at any time, and any number of processes share the tenants. Facts are computed from published views, so undoing a block
 * is the same as applying its facts again: the views no longer have it.
 */
export class FactsProjector {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly facts: FactQueries,
  ) {}

  /** Until nothing is left. @param afterApply further work for the facts of a batch, in its transaction */
  async project(tenantId: string, stop: AbortSignal, afterApply: AfterApply = async () => undefined): Promise<void> {
    const projectBatch = (): Promise<boolean> =>
      this.unitOfWork.inTransaction({ tenantId }, async (tx) => this.projectBatch(tx, await this.chainHead.position(tx), afterApply));
    while (!stop.aborted && (await projectBatch()));
  }

  /** @returns whether there is more */
  private async projectBatch(tx: TenantTx, position: ChainPosition, afterApply: AfterApply): Promise<boolean> {
    await holdErasures(tx);
    const cursor = await this.facts.acquire(tx);
    if (!cursor) return false;
    const apply = async (ids: readonly string[]): Promise<void> => {
      if (ids.length === 0) return;
      await this.facts.write(tx, ids, position.final);
      await afterApply(tx, ids);
    };
    if (cursor.seen?.head === position.head && cursor.seen.final === position.final) {
      await apply(await this.facts.resolvedLate(tx, MAX_UNDOABLE));
      return this.sumDays(tx, cursor.place, position);
    }
    const { roots, place, complete } = await this.changesSince(tx, cursor.place, position);
    const undo = complete ? await this.facts.undoable(tx, MAX_UNDOABLE) : [];
    await apply([...new Set([...undo, ...roots])]);
    if (complete) return this.sumDays(tx, place, position);
    await this.facts.saveCursor(tx, { place, seen: null }, null);
    return true;
  }

  /** What changed since, and up to where it is final. */
  private async changesSince(tx: TenantTx, place: FactCursor['place'], position: ChainPosition) {
    const found: Change[] = [];
    for (let after = place; ;) {
      const changes = await this.facts.changes(tx, after, position.head, BATCH);
      found.push(...changes);
      const end = changes.at(-1);
      const roots = found.map(({ root }) => root);
      if (!end || changes.length < BATCH || found.length > MAX_UNDOABLE)
        return { roots, place: laterOf(place, `${Math.min(position.final, position.head)}:${this.facts.lastId}`), complete: true };
      after = `${end.block}:${end.id}`;
      if (end.block <= position.final) return { roots, place: after, complete: false };
    }
  }

  private async sumDays(tx: TenantTx, place: string | null, position: ChainPosition): Promise<boolean> {
    const done = await this.facts.sumDays(tx, DAYS);
    await this.facts.saveCursor(tx, { place, seen: position }, done ? position : null);
    return !done;
  }
}

const blockOf = (place: string | null): number => (place === null ? -1 : Number(place.split(':')[0]));
const laterOf = (before: string | null, now: string): string => (blockOf(before) > blockOf(now) ? before! : now);
