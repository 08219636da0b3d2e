import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ZERO_BYTES32, eventIdBytes, newId } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { traceabilityPersistence } from '#traceability';
import { LogBook, projectionParts, walletOf } from '#traceability/testing';

const BY = walletOf('somebody');

/** One event: which of the usable lots go in (by position), how many come out, whether it is taken back. */
const happening = fc.record({
  picks: fc.array(fc.nat(20), { maxLength: 3 }),
  outputs: fc.integer({ min: 1, max: 2 }),
  voided: fc.boolean(),
});

describe('paths through what landed', () => {
  let db: TestDatabase;
  const { handler, lineage } = projectionParts('paths');
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
          const bounds = { maxDepth: 200, maxNodes: 20_000 };
          const request = { root, direction, kinds: ['transformation'] as const, bounds, asOf: null, skip: 0 };
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
});

function written(happenings: readonly { readonly picks: readonly number[]; readonly outputs: number; readonly voided: boolean }[]) {
  const book = new LogBook('0x5FbDB2315678afecb367f032d93F642f64180aa3');
  const usable: number[] = [];
  const edges: [number, number][] = [];
  let lots = 0;
  for (const { picks, outputs, voided } of happenings) {
    const inputs = usable.length === 0 ? [] : [...new Set(picks.map((pick) => usable[pick % usable.length]!))].toSorted((a, b) => a - b);
    const made = Array.from({ length: outputs }, (_, i) => lots + 1 + i);
    const id = newId();
    book.record({
      id,
      processType: 'MIX',
      actor: BY,
      inputs: inputs.map(BigInt),
      consumed: inputs.map(() => 1n),
      outputs: made.map((lot) => ({ tlc: `L-${lot}`, custodian: BY, quantity: 1000n })),
    });
    lots += outputs;
    book.mine();
    if (voided) book.send('EventVoided', { eventId: eventIdBytes(id), actor: BY, dataHash: ZERO_BYTES32 });
    else {
      usable.push(...made);
      for (const from of inputs) for (const to of made) edges.push([from, to]);
    }
  }
  return { book, edges, lots };
}

/** Every way is walked to its end: nothing is remembered, so nothing can be remembered wrongly. */
function waysFrom(root: number, steps: readonly (readonly number[])[]): Map<number, number> {
  const ways = new Map<number, number>();
  const walk = (at: number): void => {
    ways.set(at, (ways.get(at) ?? 0) + 1);
    for (const [near, far] of steps) if (near === at) walk(far!);
  };
  walk(root);
  return ways;
}
