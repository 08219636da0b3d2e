import type { TenantTx } from '#persistence';
import type { AsOf, WalkBounds, WalkEnd } from '../../contract.js';
import { type Found, type Steps, leadingOn, nextLevel, reach } from './lineage-reach.js';

export interface Walk extends WalkEnd {
  /** In order of depth, then token id; without the starts. A lot found in several roles has the lowest. */
  readonly found: readonly (Found & { readonly depth: number })[];
}

/**
 * The one walk of the lineage, for graphs, footprints and recalls. Bounded, and honest about it: what it found is all there is within
 * the bounds in the order of depth and token id, so that the same walk with wider bounds begins with the same lots.
 */
export async function walkLineage(tx: TenantTx, starts: readonly Found[], steps: Steps, bounds: WalkBounds, asOf: AsOf): Promise<Walk> {
  const from = starts.map(({ tokenId }) => tokenId);
  const reached = await reach(tx, starts, steps, bounds, asOf);
  const depths = new Map<bigint, number>();
  for (const { tokenId, depth } of reached) if (!depths.has(tokenId)) depths.set(tokenId, depth);
  const deepest = reached.at(-1)?.depth ?? 0;
  const tooMany = reached.length > starts.length + bounds.maxNodes;
  if (!tooMany && deepest <= bounds.maxDepth) return complete(ordered(reached, depths, from));

  // The statement yields level after level; only the last one may be there in part.
  const whole = reached.filter(({ tokenId }) => depths.get(tokenId)! <= Math.min(bounds.maxDepth, tooMany ? deepest - 1 : deepest));
  const byNumber = deepest <= bounds.maxDepth;
  const kept = byNumber
    ? [...whole, ...(await restOf(tx, { whole, depths, deepest, room: bounds.maxNodes + starts.length - whole.length }, steps, asOf))]
    : whole;
  const known = [...new Set(kept.map(({ tokenId }) => tokenId))];
  return {
    found: ordered(kept, depths, from),
    truncated: true,
    truncatedBy: byNumber ? 'maxNodes' : 'maxDepth',
    frontier: await leadingOn(tx, kept, steps, known, asOf),
  };
}

const complete = (found: Walk['found']): Walk => ({ found, truncated: false, truncatedBy: null, frontier: [] });

interface Cut {
  readonly whole: readonly Found[];
  readonly depths: Map<bigint, number>;
  readonly deepest: number;
  readonly room: number;
}

/** The lowest token ids of the level that does not fit whole. */
async function restOf(tx: TenantTx, { whole, depths, deepest, room }: Cut, steps: Steps, asOf: AsOf): Promise<readonly Found[]> {
  const level = whole.filter(({ tokenId }) => depths.get(tokenId) === deepest - 1);
  const known = whole.map(({ tokenId }) => tokenId);
  const rest = room > 0 ? await nextLevel(tx, level, steps, known, room, asOf) : [];
  for (const { tokenId } of rest) depths.set(tokenId, deepest);
  return rest;
}

function ordered(reached: readonly Found[], depths: ReadonlyMap<bigint, number>, starts: readonly bigint[]): Walk['found'] {
  const roles = new Map<bigint, number>();
  for (const { tokenId, role } of reached) roles.set(tokenId, Math.min(role, roles.get(tokenId) ?? role));
  for (const start of starts) roles.delete(start);
  return [...roles]
    .map(([tokenId, role]) => ({ tokenId, role, depth: depths.get(tokenId)! }))
    .toSorted((a, b) => a.depth - b.depth || (a.tokenId < b.tokenId ? -1 : 1));
}
