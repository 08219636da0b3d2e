import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type LineageEdge, graphNodes } from './lineage-graph.js';

const edge = (from: number, to: number, shares: Partial<LineageEdge> = {}): LineageEdge => ({
  from: BigInt(from),
  to: BigInt(to),
  kind: 'transformation',
  eventId: `${to}`,
  processType: null,
  quantity: 1n,
  uom: 'KGM',
  inputShare: 1,
  outputShare: 1,
  madeShare: 1,
  ...shares,
});

const nodesOf = (root: number, direction: 'ancestors' | 'descendants', edges: readonly LineageEdge[]) => {
  const links = edges.map(({ from, to }) => (direction === 'descendants' ? { source: from, target: to } : { source: to, target: from }));
  return graphNodes(BigInt(root), direction, distances([BigInt(root)], links), edges);
};

/** Shortest distances from the starts along the links; a lot that no link reaches is left out. */
function distances<Key>(starts: readonly Key[], links: readonly { readonly source: Key; readonly target: Key }[]): Map<Key, number> {
  const onward = new Map<Key, Key[]>();
  for (const { source, target } of links) {
    const targets = onward.get(source);
    if (targets) targets.push(target);
    else onward.set(source, [target]);
  }
  const found = new Map<Key, number>(starts.map((start) => [start, 0]));
  let level: readonly Key[] = starts;
  for (let depth = 1; level.length > 0; depth++) {
    const next: Key[] = [];
    for (const source of level)
      for (const target of onward.get(source) ?? []) {
        if (found.has(target)) continue;
        found.set(target, depth);
        next.push(target);
      }
    level = next;
  }
  return found;
}

describe('the nodes of a graph', () => {
  it('count their ways exactly, beyond what a double holds', () => {
    // A ladder: each rung is a diamond, so that the ways double with each.
    const ladder = Array.from({ length: 60 }, (_, i) => 3 * i + 1).flatMap((at) => [
      edge(at, at + 1),
      edge(at, at + 2),
      edge(at + 1, at + 3),
      edge(at + 2, at + 3),
    ]);
    const nodes = nodesOf(1, 'descendants', ladder);
    expect(nodes.at(-1)).toMatchObject({ tokenId: 181n, depth: 120, paths: 2n ** 60n });
    expect(nodesOf(181, 'ancestors', ladder).at(-1)).toMatchObject({ tokenId: 1n, paths: 2n ** 60n });
  });

  it('are at their shortest distance, in the order of distance and token id', () => {
    const nodes = nodesOf(1, 'descendants', [edge(1, 2), edge(1, 4), edge(2, 3), edge(3, 4), edge(4, 5)]);
    expect(nodes.map(({ tokenId, depth, paths }) => `${tokenId}@${depth}x${paths}`)).toEqual(['1@0x1', '2@1x1', '4@1x2', '3@2x1', '5@2x2']);
  });

  it('have shares that are unknown where a mass is', () => {
    const [, known, unknown] = nodesOf(3, 'ancestors', [edge(1, 3, { outputShare: 0.25 }), edge(2, 3, { outputShare: null })]);
    expect(known).toMatchObject({ tokenId: 1n, share: 0.25 });
    expect(unknown).toMatchObject({ tokenId: 2n, share: null });
  });

  it('upstream have shares that add up to the whole at every cut', () => {
    const layers = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(layers, fc.infiniteStream(fc.integer({ min: 1, max: 100 })), (sizes, masses) => {
        // Each lot of a layer is made from all lots of the one before it, in random proportions; the root from the last layer.
        let next = 0;
        const made = [...sizes, 1].map((size) => Array.from({ length: size }, () => ++next));
        const edges = made.slice(1).flatMap((layer, i) =>
          layer.flatMap((to) => {
            const parts = made[i]!.map((from) => ({ from, mass: masses.next().value }));
            const whole = parts.reduce((sum, { mass }) => sum + mass, 0);
            return parts.map(({ from, mass }) => edge(from, to, { outputShare: mass / whole }));
          }),
        );
        const shares = new Map(nodesOf(next, 'ancestors', edges).map(({ tokenId, share }) => [Number(tokenId), share!]));
        for (const layer of made) expect(layer.reduce((sum, lot) => sum + shares.get(lot)!, 0)).toBeCloseTo(1, 9);
      }),
      { numRuns: 100 },
    );
  });
});
