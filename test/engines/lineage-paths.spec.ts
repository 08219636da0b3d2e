import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ZERO_BYTES32, eventIdBytes, newId } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { traceabilityPersistence } from '#traceability';
import { LogWriter, landingParts, walletOf } from '#traceability/testing';

const BY = walletOf('somebody');

/** One event: which of the usable lots go in (by position), how many come out, whether it is taken back. */
const happening = fc.record({
  picks: fc.array(fc.nat(20), { maxLength: 3 }),
  outputs: fc.integer({ min: 1, max: 2 }),
  voided: fc.boolean(),
});

describe('paths through what landed', () => {
  let db: TestDatabase;
  const { handler, lineage } = landingParts('paths');
  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence]);
  });
  afterAll(() => db.drop());

  it('are counted as by walking each of them, without those of voided events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 10 }), async (happenings) => {
        const scope = { tenantId: newId() };
        const { book, edges, lots } = written(happenings);
        await db.unitOfWork.inTransaction(scope, (tx) => handler.apply(tx, book.batch()));
        for (const direction of ['descendants', 'ancestors'] as const) {
          const root = direction === 'descendants' ? 1n : BigInt(lots);
          const request = { root, direction, kinds: ['transformation'] as const, bounds: WIDEST, asOf: null, skip: 0 };
          const { nodes } = await db.unitOfWork.inTransaction(scope, (tx) => lineage.graph(tx, request));
          const counted = new Map(nodes.map(({ tokenId, paths }) => [Number(tokenId), Number(paths)]));
          expect(counted).toEqual(
            waysFrom(
              Number(root),
              edges.map(([from, to]) => (direction === 'descendants' ? [from, to] : [to, from])),
            ),
          );
        }
      }),
      { numRuns: 25 },
    );
  });

  it('are shown with no more edges than an answer holds, and go on exactly there', async () => {
    const scope = { tenantId: newId() };
    const book = new LogWriter(CONTRACT);
    const [root] = made(book, [], 1);
    const middle = made(book, [root!], 300);
    made(book, middle, 200);
    // What is known of the tables is of the small tenants before: a plan made from it reads this whole tenant for each of its lots.
    await db.dataSource.query('analyze traceability.edge, traceability.lot, traceability.recall_affected, traceability.event_lot');
    await db.unitOfWork.inTransaction(scope, (tx) => handler.apply(tx, book.batch()));
    const page = (skip: number) =>
      db.unitOfWork.inTransaction(scope, (tx) =>
        lineage.graph(tx, { root: 1n, direction: 'descendants', kinds: EVERY_KIND, bounds: WIDEST, asOf: null, skip }),
      );
    const first = await page(0);
    // 300 edges to the lots in the middle, and 300 to each of 165 beyond them.
    expect(first).toMatchObject({ truncated: true, truncatedBy: 'maxEdges' });
    expect([first.nodes.length, first.edges.length]).toEqual([1 + 300 + 165, 300 + 300 * 165]);
    expect(first.frontier).toEqual(middle);
    const second = await page(first.nodes.length - 1);
    expect(second).toMatchObject({ truncated: false, truncatedBy: null });
    expect([second.nodes.length, second.edges.length]).toEqual([35, 35 * 300]);
    expect(second.nodes.map(({ paths }) => paths)).toEqual(Array.from({ length: 35 }, () => 300n));
  });

  it('bound a recall by lots, not by the ways in which a lot is affected', async () => {
    const scope = { tenantId: newId() };
    const book = new LogWriter(CONTRACT);
    const [oat] = made(book, [], 1);
    const [flake] = made(book, [oat!], 1);
    // The flakes are in the box, and made of what is in the box.
    const [box] = made(book, [oat!, flake!], 1, 1);
    await db.unitOfWork.inTransaction(scope, (tx) => handler.apply(tx, book.batch()));
    const affected = (maxNodes: number) =>
      db.unitOfWork.inTransaction(scope, (tx) => lineage.affectedBy(tx, box!, { maxDepth: 50, maxNodes }));
    expect(await affected(2)).toMatchObject({ truncated: false, lots: [{ tokenId: oat }, { tokenId: flake, depth: 1 }] });
    expect(await affected(1)).toMatchObject({ truncated: true, truncatedBy: 'maxNodes', lots: [{ tokenId: oat }] });
  });
});

describe('the relation of an affected lot', () => {
  let db: TestDatabase;
  const { handler, lineage } = landingParts('relations');
  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence]);
  });
  afterAll(() => db.drop());

  type Lots = Readonly<Record<string, bigint>>;

  /** From its root, as `name: relation @depth`. */
  async function relations(write: (book: LogWriter) => Lots): Promise<string[]> {
    const book = new LogWriter(CONTRACT);
    const lots = write(book);
    const scope = { tenantId: newId() };
    await db.unitOfWork.inTransaction(scope, (tx) => handler.apply(tx, book.batch()));
    const found = await db.unitOfWork.inTransaction(scope, (tx) => lineage.affectedBy(tx, lots['root']!, { maxDepth: 50, maxNodes: 100 }));
    const names = new Map(Object.entries(lots).map(([name, tokenId]) => [tokenId, name]));
    return found.lots.map(({ tokenId, relation, depth }) => `${names.get(tokenId)}: ${relation} @${depth}`).toSorted();
  }

  it.each<[string, (book: LogWriter) => Lots, string[]]>([
    [
      'part: of the recalled lot, and of its parts',
      (book) => {
        const [root] = made(book, [], 1);
        const part = book.split(root!, 400n);
        return { root: root!, part, partOfPart: book.split(part, 100n) };
      },
      ['part: part @1', 'partOfPart: part @2'],
    ],
    [
      'part: the lot that it was split from, and what else was split from that',
      (book) => {
        const [whole] = made(book, [], 1);
        const root = book.split(whole!, 400n);
        return { root, whole: whole!, other: book.split(whole!, 100n) };
      },
      ['other: part @2', 'whole: part @1'],
    ],
    [
      'transformed: made from it, also where parts of the product lead back to it',
      (book) => {
        const [root] = made(book, [], 1);
        const [product] = made(book, [root!], 1);
        const part = book.split(product!, 400n);
        return { root: root!, product: product!, part, partOfPart: book.split(part, 100n) };
      },
      ['part: transformed @2', 'partOfPart: transformed @3', 'product: transformed @1'],
    ],
    [
      'transformed: a lot of which only a part was made into something, seen from that part',
      (book) => {
        const [root] = made(book, [], 1);
        const part = book.split(root!, 400n);
        return { root: root!, part, product: made(book, [part], 1)[0]! };
      },
      ['part: part @1', 'product: transformed @2'],
    ],
    [
      'transformed: made from it and from its part',
      (book) => {
        const [root] = made(book, [], 1);
        const part = book.split(root!, 400n);
        const [early] = made(book, [root!], 1);
        return { root: root!, part, early: early!, late: made(book, [part, early!], 1)[0]! };
      },
      ['early: transformed @1', 'late: transformed @2', 'part: part @1'],
    ],
    [
      'contained: in a recalled container',
      (book) => {
        const [oat] = made(book, [], 1);
        return { oat: oat!, root: made(book, [oat!], 1, 1)[0]! };
      },
      ['oat: contained @1'],
    ],
    [
      'contained: a part that was packed, and so the lot that it was split from',
      (book) => {
        const [oat] = made(book, [], 1);
        const part = book.split(oat!, 400n);
        return { oat: oat!, part, root: made(book, [part], 1, 1)[0]! };
      },
      ['oat: contained @2', 'part: contained @1'],
    ],
    [
      'transformed before contained: in the container, and made of what is in it',
      (book) => {
        const [oat] = made(book, [], 1);
        const [flake] = made(book, [oat!], 1);
        const part = book.split(flake!, 400n);
        return { oat: oat!, flake: flake!, part, root: made(book, [oat!, flake!], 1, 1)[0]! };
      },
      ['flake: transformed @1', 'oat: contained @1', 'part: transformed @2'],
    ],
    [
      'contained before container: a recalled pallet, its box, and the oats in that',
      (book) => {
        const [oat] = made(book, [], 1);
        const [box] = made(book, [oat!], 1, 1);
        const [root] = made(book, [box!], 1, 1);
        return { oat: oat!, box: box!, root: root! };
      },
      ['box: contained @1', 'oat: contained @2'],
    ],
    [
      'container: holds the recalled lot or a part of it; what else is in it is not affected',
      (book) => {
        const [root] = made(book, [], 1);
        const [other] = made(book, [], 1);
        const part = book.split(root!, 400n);
        const [box] = made(book, [part, other!], 1, 1);
        return { root: root!, part, other: other!, box: box!, pallet: made(book, [box!], 1, 1)[0]! };
      },
      ['box: container @2', 'pallet: container @3', 'part: part @1'],
    ],
  ])('is %s', async (_, write, expected) => {
    expect(await relations(write)).toEqual(expected);
  });
});

const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const EVERY_KIND = ['transformation', 'containment'] as const;
const WIDEST = { maxDepth: 200, maxNodes: 20_000 };
let codes = 0;

/** An event, and the lots that it made. @param mode 1 packs the inputs */
function made(book: LogWriter, inputs: readonly bigint[], outputs: number, mode: 0 | 1 = 0): bigint[] {
  const lots = Array.from({ length: outputs }, () => ({ tlc: `M-${codes++}`, custodian: BY, quantity: 1000n }));
  book.record({
    id: newId(),
    processType: 'MIX',
    actor: BY,
    mode,
    inputs,
    consumed: mode === 0 ? inputs.map(() => 1n) : [],
    outputs: lots,
  });
  return lots.map(({ tlc }) => book.token(tlc));
}

function written(happenings: readonly { readonly picks: readonly number[]; readonly outputs: number; readonly voided: boolean }[]) {
  const book = new LogWriter(CONTRACT);
  const usable: number[] = [];
  const edges: [number, number][] = [];
  let lots = 0;
  for (const { picks, outputs, voided } of happenings) {
    const inputs = usable.length === 0 ? [] : [...new Set(picks.map((pick) => usable[pick % usable.length]!))].toSorted((a, b) => a - b);
    const minted = Array.from({ length: outputs }, (_, i) => lots + 1 + i);
    const id = newId();
    book.record({
      id,
      processType: 'MIX',
      actor: BY,
      inputs: inputs.map(BigInt),
      consumed: inputs.map(() => 1n),
      outputs: minted.map((lot) => ({ tlc: `L-${lot}`, custodian: BY, quantity: 1000n })),
    });
    lots += outputs;
    book.mine();
    if (voided) book.send('EventVoided', { eventId: eventIdBytes(id), actor: BY, dataHash: ZERO_BYTES32 });
    else {
      usable.push(...minted);
      for (const from of inputs) for (const to of minted) edges.push([from, to]);
    }
  }
  return { book, edges, lots };
}

/** Every way is walked to its end: nothing is remembered, so nothing can be remembered wrongly. */
function waysFrom(root: number, edges: readonly (readonly number[])[]): Map<number, number> {
  const ways = new Map<number, number>();
  const walk = (at: number): void => {
    ways.set(at, (ways.get(at) ?? 0) + 1);
    for (const [near, far] of edges) if (near === at) walk(far!);
  };
  walk(root);
  return ways;
}
