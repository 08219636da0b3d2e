import type { TenantTx } from '#persistence';
import type { AsOf, WalkBounds, WalkEnd } from '../../contract.js';
import { type Found, type Reached, type Steps, leadingOn, nextLevel, reach } from './lineage-reach.js';

export interface Walk extends WalkEnd {
  /** In order of depth, then token id; without the starts. A lot found in several roles has the lowest. */
  readonly found: readonly (Found & { readonly depth: number })[];
}

/**
 * The one walk of the lineage, for graphs, footprints and recalls. Bounded, and honest about it: what it found is all there is within
 * the bounds in the order of depth and token id, so that the same walk with wider bounds begins with the same lots.
 */
export async function walkLineage(tx: TenantTx, starts: readonly Found[], steps: Steps, bounds: WalkBounds, asOf: AsOf): Promise<Walk> {
  const reached = await reach(tx, starts, steps, bounds, asOf);
  const levels = levelsOf(reached, steps.roles);
  const cut = cutLevel(levels, bounds);
  if (cut === null) return { found: ordered(levels), truncated: false, truncatedBy: null, frontier: [] };

  // The statement yields level after level; only the last one may be there in part.
  const whole = levels.slice(0, cut);
  const kept = reached.filter(({ depth }) => depth < cut);
  const byNumber = cut <= bounds.maxDepth;
  if (byNumber) {
    const rest = await restOf(tx, kept, whole, bounds.maxNodes - lotsIn(whole), steps, asOf);
    kept.push(...rest);
    whole.push(...levelsOf(rest, steps.roles).slice(cut));
  }
  const known = [...new Set(kept.map(({ tokenId }) => tokenId))];
  return {
    found: ordered(whole),
    truncated: true,
    truncatedBy: byNumber ? 'maxNodes' : 'maxDepth',
    frontier: await leadingOn(tx, kept, steps, known, asOf),
  };
}

/** Lots of one depth, each with its lowest role; level 0 are the starts. */
type Level = Found[];

/** Every lot at its shortest distance. @param reached in the order of distance */
function levelsOf(reached: readonly Reached[], roles: number): Level[] {
  const levels: Level[] = [];
  // In one role nothing is found twice.
  const known = roles === 1 ? null : new Map<bigint, { role: number; readonly tokenId: bigint }>();
  for (const { tokenId, role, depth } of reached) {
    while (levels.length <= depth) levels.push([]);
    const before = known?.get(tokenId);
    if (before) before.role = Math.min(role, before.role);
    else {
      const lot = { tokenId, role };
      known?.set(tokenId, lot);
      levels[depth]!.push(lot);
    }
  }
  return levels;
}

/** The first level that does not fit whole; null where all do. */
function cutLevel(levels: readonly Level[], { maxDepth, maxNodes }: WalkBounds): number | null {
  let lots = 0;
  for (const [depth, level] of levels.entries()) {
    if (depth > 0) lots += level.length;
    if (lots > maxNodes || (depth > maxDepth && level.length > 0)) return depth;
  }
  return null;
}

const lotsIn = (levels: readonly Level[]): number => levels.slice(1).reduce((sum, level) => sum + level.length, 0);

/** The lowest token ids of the level that does not fit whole. */
async function restOf(
  tx: TenantTx,
  kept: readonly Reached[],
  whole: readonly Level[],
  room: number,
  steps: Steps,
  asOf: AsOf,
): Promise<readonly Reached[]> {
  if (room === 0) return [];
  const last = whole.length - 1;
  const level = kept.filter(({ depth }) => depth === last);
  const known = whole.flatMap((lots) => lots.map(({ tokenId }) => tokenId));
  return (await nextLevel(tx, level, steps, known, room, asOf)).map((found) => ({ ...found, depth: whole.length }));
}

function ordered([, ...levels]: readonly Level[]): Walk['found'] {
  return levels.flatMap((level, i) =>
    level.map(({ tokenId, role }) => ({ tokenId, role, depth: i + 1 })).sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1)),
  );
}
