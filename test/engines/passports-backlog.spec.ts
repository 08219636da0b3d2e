import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { LOTS_PER_BLOCK, startPassportsWorker } from './passports-worker.js';
import { Outcomes } from './report-worker.js';

const FINAL = 40;

describe('the passports of a tenant with many lots', () => {
  const opened: TestDatabase[] = [];
  let database: TestDatabase;
  beforeEach(async () => {
    database = await cloneTestDatabase(contexts);
    opened.push(database);
  });
  afterAll(() => Promise.all(opened.map((one) => one.drop())));

  const showing = async (issuedTo: number): Promise<string> => {
    const tenantId = newId();
    await database.unitOfWork.inTransaction({ tenantId }, (tx) =>
      tx.sql(
        `insert into passports.setting (tenant_id, enabled, show_integrity, issued_to, changed_by, changed_at) values ($1, true, true, $2, 'admin', now())`,
        [tenantId, issuedTo],
      ),
    );
    return tenantId;
  };
  const issued = async (tenantId: string): Promise<{ readonly lots: number; readonly passports: number; readonly to: number }> => {
    const [row] = await database.unitOfWork.inTransaction({ tenantId }, (tx) =>
      tx.sql<{ lots: number; passports: number; to: number }>(
        `select count(distinct token_id)::integer as lots, count(*)::integer as passports,
           (select issued_to::integer from passports.setting where tenant_id = $1) as to from passports.passport where tenant_id = $1`,
        [tenantId],
      ),
    );
    return row!;
  };
  const all = { lots: FINAL * LOTS_PER_BLOCK, passports: FINAL * LOTS_PER_BLOCK, to: FINAL };

  it('are issued by one job, and those of other tenants do not wait for it', async () => {
    const [large, small] = [await showing(0), await showing(FINAL - 1)];
    const outcomes = new Outcomes();
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    let batches = 0;
    const worker = await startPassportsWorker(
      database.endpoint,
      // The first batch is the periodic job's, the others are the queued job's.
      { final: () => FINAL, batch: async (tenantId) => void (tenantId === large && ++batches > 3 && (await held)) },
      outcomes,
    );
    await eventuallyHolds(() => expect(batches).toBe(4));
    await eventuallyHolds(async () => expect((await issued(small)).passports).toBe(LOTS_PER_BLOCK));
    expect((await issued(large)).to).toBe(3);
    go();
    await eventuallyHolds(async () => expect(await issued(large)).toEqual(all));
    await eventuallyHolds(() => expect(outcomes.all).toContain('passports.issue-backlog completed'));
    expect(batches).toBe(FINAL);
    await worker.close();
  });

  it('are completed by another worker when one is killed in the middle', async () => {
    const large = await showing(0);
    const program = fileURLToPath(new URL('./passports-worker-process.js', import.meta.url));
    const victim = spawn(process.execPath, [program, JSON.stringify({ endpoint: database.endpoint, final: FINAL, batches: 7 })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(victim.stdout, 'data');
    victim.kill('SIGKILL');
    await once(victim, 'close');
    expect((await issued(large)).to).toBe(7);
    const outcomes = new Outcomes();
    const worker = await startPassportsWorker(database.endpoint, { final: () => FINAL, batch: async () => undefined }, outcomes);
    await eventuallyHolds(async () => expect(await issued(large)).toEqual(all));
    await worker.close();
  });

  it('are tried again after a failure', async () => {
    const large = await showing(0);
    const outcomes = new Outcomes();
    let fail = true;
    const batch = async (): Promise<void> => {
      if (!fail || (await issued(large)).to < 2) return;
      fail = false;
      throw new Error('the database went away');
    };
    const worker = await startPassportsWorker(database.endpoint, { final: () => FINAL, batch }, outcomes);
    await eventuallyHolds(async () => expect(await issued(large)).toEqual(all));
    expect(fail).toBe(false);
    await worker.close();
  });
});
