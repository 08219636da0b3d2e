import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { type UnitOfWork, revise, reviseAll, revisionOf } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { TABLE_ORIGINS } from '../../apps/cli/src/backup/table-origins.js';

/** What answers that are cached are made of. The indexer revises the tenants of each block itself (`block-applier.ts`). */
const READ_BY_CACHED_ANSWERS = /^(traceability|custody|recall|identity|interchange)\./;
/** Written by the indexer alone, or together with a landed event. */
const WITH_THEIR_BLOCK = [
  'custody.transfer',
  'traceability.account_roles',
  'traceability.block_time',
  'traceability.edge',
  'traceability.error_declaration',
  'traceability.event_lot',
  'traceability.lot',
  'traceability.retraction',
  'recall.recalled_lot',
];
/** No cached answer shows them. */
const NOT_SHOWN =
  /^(identity\.(?!organisation|site|wallet$)|recall\.(acknowledgement|drill|hold|prepared_notice|propagation_end)|traceability\.(event_reservation|generated_code|lot_hold|recall_affected|tenant_rules|process_type|sealing_start)|custody\.hand_over|interchange\.(captured_context|capture_job|capture_progress|epcis_\w+|import\w*))/;

describe('the revision of a tenant', () => {
  let db: TestDatabase;
  let work: UnitOfWork;
  let mill: { tenantId: string };
  beforeAll(async () => {
    db = await cloneTestDatabase(contexts);
    work = db.unitOfWork;
  });
  afterAll(() => db.drop());
  beforeEach(() => void (mill = { tenantId: newId() }));
  const revision = (of = mill): Promise<bigint> => work.read(of, revisionOf);

  it('is greater after each transaction that changed something, once, and only when it was committed', async () => {
    expect(await revision()).toBe(0n);
    await work.inTransaction(mill, async (tx) => {
      for (let i = 0; i < 3; i++) await revise(tx);
    });
    expect(await revision()).toBe(1n);
    const failed = work.inTransaction(mill, async (tx) => {
      await revise(tx);
      throw new Error('changed its mind');
    });
    await expect(failed).rejects.toThrow('changed its mind');
    expect(await revision()).toBe(1n);
    await work.inTransaction(mill, revise);
    expect(await revision()).toBe(2n);
  });

  it('counts transactions that run at the same time, in whatever order they end', async () => {
    await Promise.all(Array.from({ length: 8 }, () => work.inTransaction(mill, revise)));
    expect(await revision()).toBe(8n);
  });

  it('is of one tenant, and several move at once', async () => {
    const farm = { tenantId: newId() };
    await work.asSystem((tx) => reviseAll(tx, [mill.tenantId, farm.tenantId]));
    await work.inTransaction(farm, revise);
    expect([await revision(), await revision(farm)]).toEqual([1n, 2n]);
  });

  it('moves with every table that cached answers show, except those that move with their block', async () => {
    const rows = await work.asSystem((tx) =>
      tx.sql<{ name: string }>(`select distinct tgrelid::regclass::text as name from pg_trigger where tgname = 'revise'`),
    );
    const revising = rows.map(({ name }) => name);
    const shown = Object.keys(TABLE_ORIGINS).filter((name) => READ_BY_CACHED_ANSWERS.test(name) && !NOT_SHOWN.test(name));
    expect([...revising, ...WITH_THEIR_BLOCK].toSorted()).toEqual(shown.toSorted());
  });
});
