import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { traceabilityPersistence } from '#traceability';
import { type WalkNode, reachOfEach, alongEdges, walkLineage } from '#traceability/testing';

type Edge = readonly [from: number, to: number, block: number, voided: number | null];

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneTestDatabase([traceabilityPersistence]);
});
afterAll(() => database?.drop());

/** A tenant of its own with these edges, each made in its block and perhaps voided in another. */
async function lineage(edges: readonly Edge[]): Promise<<T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>> {
  const scope = { tenantId: newId() };
  const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => database.unitOfWork.inTransaction(scope, work);
  const unique = [...new Map(edges.map((edge) => [`${edge[0]}>${edge[1]}`, edge])).values()];
  await inTenant((tx) =>
    tx.sql(
      `insert into traceability.edge (tenant_id, chain_id, from_token, to_token, event_id, kind, quantity, block_number, void_block)
       select $1, 1, e.f, e.t, $2, 'transformation', 1, e.b, e.v from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) as e(f, t, b, v)`,
      [
        tx.tenantId,
        newId(),
        unique.map(([from]) => from),
        unique.map(([, to]) => to),
        unique.map(([, , block]) => block),
        unique.map(([, , , v]) => v),
      ],
    ),
  );
  return inTenant;
}

const EXPANSION = alongEdges('from', ['transformation']);
const ROOT: readonly WalkNode[] = [{ tokenId: 1n, role: 0 }];
const walk = (tx: TenantTx, maxDepth = 200, maxNodes = 20_000, asOf: number | null = null) =>
  walkLineage(tx, ROOT, EXPANSION, { maxDepth, maxNodes }, asOf);
const depths = (found: readonly { tokenId: bigint; depth: number }[]): string =>
  found.map(({ tokenId, depth }) => `${tokenId}@${depth}`).join(' ');
const plain = (text: string): Edge[] =>
  text.split(' ').map((pair) => [...(pair.split('>').map(Number) as [number, number]), 1, null] as const);

/** Breadth first in memory over what was there: the same question asked in the simplest way. */
function expected(edges: readonly Edge[], asOf: number | null): Map<number, number> {
  const there = edges.filter(([, , block, voided]) =>
    asOf === null ? voided === null : block <= asOf && (voided === null || voided > asOf),
  );
  const found = new Map([[1, 0]]);
  let level = [1];
  for (let depth = 1; level.length > 0; depth++) {
    level = [...new Set(there.filter(([from]) => level.includes(from)).map(([, to]) => to))].filter((to) => !found.has(to));
    for (const to of level) found.set(to, depth);
  }
  found.delete(1);
  return found;
}

describe('a walk of the lineage', () => {
  it('finds each lot once, at its shortest distance', async () => {
    const inTenant = await lineage(plain('1>2 1>3 2>4 3>4 4>5 1>5'));
    expect(await inTenant(async (tx) => walk(tx))).toEqual({
      found: expect.any(Array),
      truncated: false,
      truncatedBy: null,
      frontier: [],
    });
    expect(depths((await inTenant((tx) => walk(tx))).found)).toBe('2@1 3@1 5@1 4@2');
  });

  it('ends in a loop, although there is none by construction', async () => {
    const inTenant = await lineage(plain('1>2 2>3 3>1 3>2'));
    expect(depths((await inTenant((tx) => walk(tx))).found)).toBe('2@1 3@2');
  });

  it('says where it was cut by depth', async () => {
    const inTenant = await lineage(plain('1>2 2>3 1>9'));
    expect(await inTenant((tx) => walk(tx, 1))).toMatchObject({ truncated: true, truncatedBy: 'maxDepth', frontier: [2n] });
  });

  it('is not cut when it ends exactly at its bounds', async () => {
    const inTenant = await lineage(plain('1>2 2>3 2>1'));
    expect(await inTenant((tx) => walk(tx, 2, 2))).toMatchObject({ truncated: false, truncatedBy: null });
  });

  it('says where it was cut by number: what was left out follows from the frontier', async () => {
    const inTenant = await lineage(plain('1>2 1>3 1>4 2>5'));
    const { found, truncatedBy, frontier } = await inTenant((tx) => walk(tx, 50, 2));
    expect(depths(found)).toBe('2@1 3@1');
    expect({ truncatedBy, frontier }).toEqual({ truncatedBy: 'maxNodes', frontier: [1n, 2n] });
  });

  const graphs = fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 6 }),
      fc.option(fc.integer({ min: 1, max: 3 })),
    ),
    { maxLength: 60 },
  );

  it('is reachability on random graphs, as of any block, and wider bounds begin with the same lots', async () => {
    await fc.assert(
      fc.asyncProperty(
        graphs,
        fc.option(fc.integer({ min: 0, max: 9 })),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (drawn, asOf, nodes, depth) => {
          const all = drawn.map(([from, distance, block, later]): Edge => [
            from,
            from + distance,
            block,
            later === null ? null : block + later,
          ]);
          const edges = [...new Map(all.map((edge) => [`${edge[0]}>${edge[1]}`, edge])).values()];
          const inTenant = await lineage(edges);
          const wanted = [...expected(edges, asOf)].toSorted(([a, x], [b, y]) => x - y || a - b).map(([tokenId, at]) => `${tokenId}@${at}`);
          const whole = await inTenant((tx) => walk(tx, 200, 20_000, asOf));
          expect(depths(whole.found).split(' ').filter(Boolean)).toEqual(wanted);
          const cut = await inTenant((tx) => walk(tx, depth, nodes, asOf));
          const within = wanted.filter((one) => Number(one.split('@')[1]) <= depth).slice(0, nodes);
          expect(depths(cut.found).split(' ').filter(Boolean)).toEqual(within);
          expect(cut.truncated).toBe(within.length < wanted.length);
          expect(cut.frontier.length > 0).toBe(cut.truncated);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('over several lots at once gives each of them what a walk of its own does', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5 }), async (drawn, maxNodes, maxDepth) => {
        const inTenant = await lineage(drawn.map(([from, distance]): Edge => [from, from + distance, 1, null]));
        const roots = [1n, 2n, 5n, 30n];
        await inTenant(async (tx) => {
          for (const each of [
            { maxDepth: 200, maxNodes: 20_000 },
            { maxDepth, maxNodes },
          ]) {
            const reaches = await reachOfEach(tx, roots, { maxDepth: 200, maxNodes: 20_000 }, each);
            for (const tokenId of roots) {
              const own = await walkLineage(tx, [{ tokenId, role: 0 }], EXPANSION, each, null);
              expect(reaches.get(tokenId)).toEqual({ lots: own.found.map((lot) => lot.tokenId), truncated: own.truncated });
            }
          }
        });
      }),
      { numRuns: 25 },
    );
  });

  it('over several lots at once says which of them it was cut for', async () => {
    const inTenant = await lineage(plain('1>2 2>3 3>4 10>11'));
    const reaches = await inTenant((tx) => reachOfEach(tx, [1n, 10n], { maxDepth: 2, maxNodes: 20_000 }, { maxDepth: 50, maxNodes: 5000 }));
    expect(reaches).toEqual(
      new Map([
        [1n, { lots: [2n, 3n], truncated: true }],
        [10n, { lots: [11n], truncated: false }],
      ]),
    );
  });
});
