import { describe, expect, it } from '@jest/globals';
import { type Step, walkLineage } from './lineage-walk.js';

/** Steps of a graph given as "1>2 1>3 2>4", and how many questions were asked of it. */
function graph(edges: string) {
  const all = edges.split(' ').map((edge) => edge.split('>').map(BigInt) as [bigint, bigint]);
  const asked: bigint[][] = [];
  const next = (level: ReadonlyMap<bigint, string>): Promise<Step<string>[]> => {
    asked.push([...level.keys()]);
    return Promise.resolve(all.filter(([from]) => level.has(from)).map(([source, tokenId]) => ({ source, tokenId, node: 'made' })));
  };
  const walk = (maxDepth = 50, maxNodes = 5000) => walkLineage(new Map([[1n, 'root']]), { maxDepth, maxNodes }, next);
  return { walk, asked };
}

const depths = (found: readonly { tokenId: bigint; depth: number }[]) => found.map(({ tokenId, depth }) => `${tokenId}@${depth}`).join(' ');

describe('a walk of the lineage', () => {
  it('finds each lot once, at its shortest distance, with one question a level', async () => {
    const { walk, asked } = graph('1>2 1>3 2>4 3>4 4>5 1>5');
    const { found, truncated, frontier } = await walk();
    expect(depths(found)).toBe('2@1 3@1 5@1 4@2');
    expect({ truncated, frontier }).toEqual({ truncated: false, frontier: [] });
    expect(asked).toEqual([[1n], [2n, 3n, 5n], [4n]]);
  });

  it('ends in a loop, although there is none by construction', async () => {
    const { found, truncated } = await graph('1>2 2>3 3>1 3>2').walk();
    expect(depths(found)).toBe('2@1 3@2');
    expect(truncated).toBe(false);
  });

  it('does not multiply in a chain of diamonds', async () => {
    const diamond = (i: number): string =>
      `${3 * i + 1}>${3 * i + 2} ${3 * i + 1}>${3 * i + 3} ${3 * i + 2}>${3 * i + 4} ${3 * i + 3}>${3 * i + 4}`;
    const { walk, asked } = graph(Array.from({ length: 60 }, (_, i) => diamond(i)).join(' '));
    expect((await walk(200)).found).toHaveLength(180);
    expect(asked).toHaveLength(121);
  });

  it('says where it was cut by depth', async () => {
    expect(await graph('1>2 2>3 1>9').walk(1)).toMatchObject({ truncated: true, truncatedBy: 'maxDepth', frontier: [2n] });
  });

  it('is not cut when it ends exactly at its bounds', async () => {
    expect(await graph('1>2 2>3 2>1').walk(2, 2)).toMatchObject({ truncated: false, truncatedBy: null });
  });

  it('says where it was cut by number: what was left out follows from the frontier', async () => {
    const { found, truncatedBy, frontier } = await graph('1>2 1>3 1>4 2>5').walk(50, 2);
    expect(depths(found)).toBe('2@1 3@1');
    expect({ truncatedBy, frontier }).toEqual({ truncatedBy: 'maxNodes', frontier: [1n, 2n, 3n] });
  });

  it('goes on from a lot again when it turns out to be more than it seemed', async () => {
    const steps: Record<string, Step<string>[]> = {
      1: [
        { source: 1n, tokenId: 2n, node: 'around' },
        { source: 1n, tokenId: 3n, node: 'made' },
      ],
      3: [{ source: 3n, tokenId: 2n, node: 'made' }],
      2: [{ source: 2n, tokenId: 4n, node: 'made' }],
    };
    const seen: string[] = [];
    const next = (level: ReadonlyMap<bigint, string>): Promise<Step<string>[]> => {
      for (const [tokenId, node] of level) seen.push(`${tokenId} ${node}`);
      return Promise.resolve([...level].flatMap(([tokenId, node]) => (node === 'around' ? [] : (steps[String(tokenId)] ?? []))));
    };
    const { found } = await walkLineage(
      new Map([[1n, 'root']]),
      { maxDepth: 9, maxNodes: 9 },
      next,
      (before, now) => before === 'around' && now === 'made',
    );
    expect(found.map(({ tokenId, node, depth }) => [tokenId, node, depth])).toEqual([
      [2n, 'made', 1],
      [3n, 'made', 1],
      [4n, 'made', 3],
    ]);
    expect(seen).toEqual(['1 root', '2 around', '3 made', '2 made', '4 made']);
  });
});
