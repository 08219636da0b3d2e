export interface WalkBounds {
  /** Levels from the start, 1 to 200. */
  readonly maxDepth: number;
  /** Nodes found in all, 1 to 20,000; the start does not count. */
  readonly maxNodes: number;
}

/** A lot found one step away from another. */
export interface Step<Node> {
  readonly source: bigint;
  readonly tokenId: bigint;
  readonly node: Node;
}

export interface Walk<Node> {
  /** In order of depth, then token id; without the start. */
  readonly found: readonly { readonly tokenId: bigint; readonly depth: number; readonly node: Node }[];
  readonly truncated: boolean;
  readonly truncatedBy: 'maxDepth' | 'maxNodes' | null;
  /** Where to go on from when it was cut. */
  readonly frontier: readonly bigint[];
}

/**
 * The one walk of the lineage: level by level, one question for a whole level, with a visited set, so that diamonds count
 * once and a loop (there is none by construction) could not hold it. It is cut at its bounds and says so.
 * @param next the steps from these lots, any order
 * @param improves whether a lot that was found before is to be gone through again as what it was found as now
 */
export async function walkLineage<Node>(
  start: ReadonlyMap<bigint, Node>,
  bounds: WalkBounds,
  next: (level: ReadonlyMap<bigint, Node>) => Promise<readonly Step<Node>[]>,
  improves: (before: Node, now: Node) => boolean = () => false,
): Promise<Walk<Node>> {
  const found = new Map<bigint, { tokenId: bigint; depth: number; node: Node }>();
  let level = start;
  for (let depth = 1; level.size > 0; depth++) {
    const seen = (tokenId: bigint): Node | undefined => found.get(tokenId)?.node ?? start.get(tokenId);
    const steps = (await next(level)).filter((step) => {
      const before = seen(step.tokenId);
      return before === undefined || improves(before, step.node);
    });
    if (steps.length === 0) break;
    if (depth > bounds.maxDepth)
      return cut(
        found,
        'maxDepth',
        steps.map((step) => step.source),
      );
    const fresh = new Map<bigint, Node>();
    const dropped: bigint[] = [];
    for (const step of steps.toSorted((a, b) => compare(a.tokenId, b.tokenId))) {
      const before = fresh.get(step.tokenId);
      const isNew = before === undefined && !found.has(step.tokenId);
      if (isNew && found.size >= bounds.maxNodes) {
        dropped.push(step.source);
        continue;
      }
      if (before !== undefined && !improves(before, step.node)) continue;
      fresh.set(step.tokenId, step.node);
      found.set(step.tokenId, { tokenId: step.tokenId, depth: found.get(step.tokenId)?.depth ?? depth, node: step.node });
    }
    if (dropped.length > 0) return cut(found, 'maxNodes', [...dropped, ...fresh.keys()]);
    level = fresh;
  }
  return { found: ordered(found), truncated: false, truncatedBy: null, frontier: [] };
}

function cut<Node>(
  found: ReadonlyMap<bigint, Walk<Node>['found'][number]>,
  by: 'maxDepth' | 'maxNodes',
  frontier: readonly bigint[],
): Walk<Node> {
  return { found: ordered(found), truncated: true, truncatedBy: by, frontier: [...new Set(frontier)].toSorted(compare) };
}

const ordered = <Node>(found: ReadonlyMap<bigint, Walk<Node>['found'][number]>): Walk<Node>['found'] =>
  [...found.values()].toSorted((a, b) => a.depth - b.depth || compare(a.tokenId, b.tokenId));

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
