import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChainHead } from '#chain';
import { type Actor, newId } from '#kernel';
import type { SnapshotTx, TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { type DescentRequest, traceabilityPersistence } from '#traceability';
import { LogWriter, RecallReader, landingParts, walletOf } from '#traceability/testing';

const BY = walletOf('somebody');
const WIDEST = { maxDepth: 200, maxNodes: 20_000 };
/** Of each of three: so many that one connection is not enough. */
const EACH = 701;

/** How a reader gets a second connection. */
type Aside = SnapshotTx['onSecondConnection'];

describe('lots as a recall shows them', () => {
  const tenant = { tenantId: newId() };
  const actor = { ...tenant, tenantSlug: 'shapes', roles: ['TENANT_ADMIN'] } as unknown as Actor;
  const { handler, lineage, parties } = landingParts('shapes');
  const chainHead = { position: () => Promise.resolve({ head: 1, final: 1 }) } as unknown as ChainHead;
  const reader = new RecallReader(parties, chainHead);
  let db: TestDatabase;
  let root: bigint;
  let made: readonly bigint[];

  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence]);
    const book = new LogWriter('0x5FbDB2315678afecb367f032d93F642f64180aa3');
    root = outputsOf(book, [], 1)[0]!;
    const halves = outputsOf(book, [root], 3);
    made = [...halves, ...halves.flatMap((half) => outputsOf(book, [half], EACH))];
    await db.unitOfWork.inTransaction(tenant, async (tx) => {
      await handler.apply(tx, book.batch());
      // What the content of the events would say.
      await tx.sql('update traceability.lot set unit_kg = 1 where tenant_id = $1', [tenant.tenantId]);
    });
  });
  afterAll(() => db?.drop());

  function outputsOf(book: LogWriter, inputs: readonly bigint[], outputs: number): bigint[] {
    const lots = Array.from({ length: outputs }, (_, i) => ({
      tlc: `${inputs.join('-')}/${i}`,
      custodian: BY,
      quantity: BigInt(1000 * (i + 1)),
    }));
    book.record({ id: newId(), processType: 'SPLIT', actor: BY, inputs, consumed: inputs.map(() => 500n), outputs: lots });
    return lots.map(({ tlc }) => book.token(tlc));
  }

  const nearest: NonNullable<DescentRequest['likely']> = (tx) => lineage.nearestAffected(tx, root, { ...WIDEST, maxNodes: 600 }, null);
  const descentOf = (shown: readonly bigint[]) => ({ root, descendants: shown, containers: [], before: [] });
  const all: DescentRequest['lots'] = () => Promise.resolve(descentOf(made));

  /** Each lot with all that is shown of it, by token id. @param aside in the place of the transaction's own */
  const shownLots = (asked: DescentRequest, aside?: (tx: SnapshotTx) => Aside, asOf: number | null = null): Promise<readonly object[]> =>
    db.unitOfWork.inSnapshot(tenant, async (tx) => {
      if (aside) tx.onSecondConnection = aside(tx);
      const read = await reader.of(tx, actor, asked, asOf);
      return [...read.lots.values()]
        .toSorted((a, b) => Number(a.tokenId - b.tokenId))
        .map(({ tokenId, usedKg }) => {
          const text = read.shape(tokenId).join('');
          return { ...(JSON.parse(`{${text}}`) as object), usedKg, share: read.shares.get(tokenId) };
        });
    });
  const refused =
    (tx: SnapshotTx): Aside =>
    (work) =>
      work(tx);

  it('are the same on however many connections they are read, and whether or not some were known before', async () => {
    const plain = await shownLots({ lots: all, likely: null }, refused);
    expect(plain.map((lot) => (lot as { tokenId: number }).tokenId)).toEqual([root, ...made].map(Number));
    expect(plain[1]).toMatchObject({ tokenId: Number(made[0]), status: 'active', quantity: 0.001, remainingQuantity: 0.0005 });
    expect(await shownLots({ lots: all, likely: null })).toEqual(plain);
    expect(await shownLots({ lots: all, likely: nearest }, refused)).toEqual(plain);
    expect(await shownLots({ lots: all, likely: nearest })).toEqual(plain);
    // Lots that were likely and are not among them are not shown.
    const few = made.slice(0, 3);
    expect(await shownLots({ lots: () => Promise.resolve(descentOf(few)), likely: nearest })).toHaveLength(1 + few.length);
  });

  it('show that they are on hold, as of now: holds have no past', async () => {
    const held = made.at(-1)!;
    const change = (text: string) => db.unitOfWork.inTransaction(tenant, (tx) => tx.sql(text, [tenant.tenantId, held]));
    await change(`insert into traceability.lot_hold (tenant_id, token_id, held_at, reason) values ($1, $2, now(), 'test')`);
    const shown = async (asOf: number | null) =>
      (await shownLots({ lots: all, likely: null }, undefined, asOf)).filter((lot) => (lot as { onHold: boolean }).onHold);
    expect(await shown(null)).toMatchObject([{ tokenId: Number(held), status: 'on_hold' }]);
    expect(await shown(1)).toEqual([]);
    await change('delete from traceability.lot_hold where tenant_id = $1 and token_id = $2');
    expect(await shown(null)).toEqual([]);
  });

  it('carry the shares that the graph has, where all that an event made is there and where a part of it is', async () => {
    const request = { root, direction: 'descendants', kinds: ['transformation'], bounds: WIDEST, asOf: null, skip: 0 } as const;
    const { nodes } = await db.unitOfWork.inTransaction(tenant, (tx) => lineage.graph(tx, request));
    const wanted = new Map(nodes.map(({ tokenId, share }) => [tokenId, share]));
    expect(wanted.get(made[2]!)).toBeCloseTo((0.5 * 3) / 6, 12);
    for (const shown of [made, made.slice(0, 2), made.slice(0, 500)]) {
      const { shares } = await db.unitOfWork.inSnapshot(tenant, (tx) =>
        reader.of(tx, actor, { lots: () => Promise.resolve(descentOf(shown)), likely: null }, null),
      );
      for (const tokenId of [root, ...shown]) expect(shares.get(tokenId)).toBeCloseTo(wanted.get(tokenId)!, 12);
    }
  });

  it('are not shownLots in part where one of the connections is lost, or the walk fails', async () => {
    const lost = new Error('the second connection is gone');
    /** Answers so many statements. */
    const breaking =
      (answers: number) =>
      (tx: SnapshotTx): Aside =>
      (work) => {
        let left = answers;
        const sql: TenantTx['sql'] = (text, parameters) => (left-- > 0 ? tx.sql(text, parameters) : Promise.reject(lost));
        return work({ tenantId: tenant.tenantId, sql } as unknown as TenantTx);
      };
    for (const likely of [null, nearest]) {
      await expect(shownLots({ lots: all, likely }, () => () => Promise.reject(lost))).rejects.toThrow(lost);
      // At once, with its part of what is to be read in hand, and after some of that.
      for (const answers of [0, 1, 2]) await expect(shownLots({ lots: all, likely }, breaking(answers))).rejects.toThrow(lost);
    }
    const failing = new Error('the walk was too long');
    for (const likely of [null, nearest]) await expect(shownLots({ lots: () => Promise.reject(failing), likely })).rejects.toThrow(failing);
    // Nothing of it is left behind.
    expect(await shownLots({ lots: all, likely: nearest })).toHaveLength(1 + made.length);
  });
});
