import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Parties } from '#identity';
import { type Actor, Clock, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { recallPersistence } from '#recall';
import { AssessDrill, DrillQueries, RunDrill } from '#recall/testing';
import type { Lineage } from '#traceability';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneTestDatabase([recallPersistence]);
});
afterAll(() => database?.drop());

const ACCOUNT = { producedKg: 1, usedKg: 0, onHandKg: 1, retiredKg: 0, lossKg: 0, unaccountedKg: 0, accountedPercent: 100 };

it('a drill reads one snapshot in all its parts, although blocks land meanwhile, and is then stored', async () => {
  const actor = { kind: 'user', id: 'somebody', tenantId: newId(), tenantSlug: 'demo' } as unknown as Actor;
  const drills = new DrillQueries();
  const seen: number[] = [];
  const countDrills = async (tx: TenantTx): Promise<void> => {
    seen.push((await drills.list(tx, 0, 10)).counted);
    // Something is stored between this part and the next: another drill, in the place of a lot.
    await database.unitOfWork.inTransaction(actor, (other) => drills.save(other, { ...drill(), id: newId() }));
  };
  const drill = () => ({
    tokenId: 7n,
    tlc: 'L-7',
    drawn: false,
    asks: false,
    startedAt: new Date(),
    startedBy: 'somebody',
    score: 1,
    report: {} as never,
  });
  const tally = { affectedActors: [], reconciliation: { total: ACCOUNT, lots: [], unmeasured: [] }, estimatedUnits: 1 };
  const impact = {
    assess: async (tx: TenantTx) => {
      await countDrills(tx);
      return { root: { tlc: 'L-7' }, reached: [], tally, truncated: false, whole: true };
    },
  };
  const lineage = {
    graph: async (tx: TenantTx) => {
      await countDrills(tx);
      return { nodes: [{ tokenId: 7n, depth: 0 }], truncated: false };
    },
  };
  const keyData = {
    ofLots: async (tx: TenantTx) => {
      await countDrills(tx);
      return { events: 1, complete: 1, missing: [] };
    },
  };
  const parties = {
    labels: async (tx: TenantTx) => {
      await countDrills(tx);
      return new Map();
    },
  };
  const assess = new AssessDrill(impact as never, lineage as unknown as Lineage, keyData, parties as unknown as Parties);
  const run = new RunDrill(database.unitOfWork, assess, drills, new Clock());
  const { id } = await run.run(actor, 7n);
  expect(seen).toEqual([0, 0, 0, 0]);
  const kept = await database.unitOfWork.inSnapshot(actor, async (tx) => [
    (await drills.list(tx, 0, 10)).counted,
    (await drills.byId(tx, id))?.tlc,
  ]);
  expect(kept).toEqual([5, 'L-7']);
});
