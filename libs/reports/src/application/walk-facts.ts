import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import type { Change, Facts, FactWalk } from '../facts.ports.js';

const BATCH = 5_000;
/** What can be undone is looked at again with every block: beyond this many, the rest when it cannot. */
const MOST_OPEN = 20_000;
const DAYS = 30;

/**
 * A step of following facts by block; it remembers how far it came.
 * @param last an id that none comes after
 * @param also what else is to be done about what was looked at
 * @returns whether there is more
 */
export async function walkFacts(
  tx: TenantTx,
  facts: Facts,
  position: ChainPosition,
  last: string,
  also: (ids: readonly string[]) => Promise<void> = async () => undefined,
): Promise<boolean> {
  const walk = await facts.take(tx);
  if (!walk) return false;
  const refresh = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return;
    await facts.refresh(tx, ids, position.final);
    await also(ids);
  };
  if (walk.seen?.head === position.head && walk.seen.final === position.final) {
    await refresh(await facts.late(tx, MOST_OPEN));
    return sums(tx, facts, walk.place, position);
  }
  const { roots, place, complete } = await look(tx, facts, walk.place, position, last);
  const open = complete ? await facts.open(tx, MOST_OPEN) : [];
  await refresh([...new Set([...open, ...roots])]);
  if (complete) return sums(tx, facts, place, position);
  await facts.walked(tx, { place, seen: null }, null);
  return true;
}

/** What changed since, and how much of it cannot be undone any more. */
async function look(tx: TenantTx, facts: Facts, place: FactWalk['place'], position: ChainPosition, last: string) {
  const found: Change[] = [];
  for (let after = place; ; ) {
    const changes = await facts.changes(tx, after, position.head, BATCH);
    found.push(...changes);
    const end = changes.at(-1);
    const roots = found.map(({ root }) => root);
    if (!end || changes.length < BATCH || found.length > MOST_OPEN)
      return { roots, place: laterOf(place, `${Math.min(position.final, position.head)}:${last}`), complete: true };
    after = `${end.block}:${end.id}`;
    if (end.block <= position.final) return { roots, place: after, complete: false };
  }
}

async function sums(tx: TenantTx, facts: Facts, place: string | null, position: ChainPosition): Promise<boolean> {
  const done = await facts.sumDays(tx, DAYS);
  await facts.walked(tx, { place, seen: position }, done ? position : null);
  return !done;
}

const blockOf = (place: string | null): number => (place === null ? -1 : Number(place.split(':')[0]));
const laterOf = (before: string | null, now: string): string => (blockOf(before) > blockOf(now) ? before! : now);
