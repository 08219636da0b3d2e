import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Actor, Clock, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { type About, AskReport, type Report, type ReportRequest, type Reported, type RunReport, SqlKeptAnswers } from '#reports/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { eventually } from '../harness/eventually.js';

const ANYTIME: ReportRequest = { from: null, to: null, limit: 100, after: null, parameters: {} };
const about = { name: 'figures', kept: true } as About;
const report = {} as Report;

/** A report whose runs are counted and can be held up; the database, the rights and the kept answers are real. */
describe('an answer that is kept', () => {
  let database: TestDatabase;
  let actor: Actor;
  let ask: AskReport;
  let lots: number;
  let head: number;
  let runs: number;
  let now: Date;
  let fault: Error | null;
  let held: Promise<void>;

  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
  });
  afterAll(() => database?.drop());
  beforeEach(() => {
    [lots, head, runs, fault, held] = [20_000, 7, 0, null, Promise.resolve()];
    now = new Date('2026-11-28T10:00:00Z');
    actor = { ...member(newId()), roles: ['AUDITOR'] };
    ask = another();
  });

  const member = (tenantId: string): Actor => ({
    kind: 'user',
    id: newId(),
    tenantId,
    tenantSlug: 'big',
    roles: [],
    roleScopes: {},
    orgId: null,
    wallet: null,
    wallets: [],
  });
  const run = async (): Promise<Reported> => {
    const asOf = { head, final: head };
    const rows = [{ run: ++runs }];
    // Two runs are never of the same moment.
    const reported = { rows, summary: {}, total: 1, next: null, generatedAt: new Date(now.getTime() + runs), asOf, orgId: null };
    await held;
    if (fault) throw fault;
    return reported;
  };
  const kept = new (class extends SqlKeptAnswers {
    override lots = async (): Promise<number> => lots;
  })();
  /** As another process has it. */
  const another = (): AskReport =>
    new AskReport(
      { run } as unknown as RunReport,
      database.unitOfWork,
      { position: async () => ({ head, final: head }), isMadeAnew: async () => false },
      kept,
      new (class extends Clock {
        override now = (): Date => now;
      })(),
    );
  /** A while later. */
  const nextBlock = (): void => {
    head++;
    now = new Date(now.getTime() + 31_000);
  };
  const runOf = async (request = ANYTIME, by = actor, through = ask): Promise<unknown> => {
    const { rows, asOf } = await through.ask(about, report, by, request);
    return `run ${(rows[0] as { run: number }).run} of block ${asOf.head}`;
  };

  it('is given again, at once, until the chain has gone on, and then once more while a newer one is computed', async () => {
    expect([await runOf(), await runOf(), await runOf(ANYTIME, actor, another())]).toEqual(Array(3).fill('run 1 of block 7'));
    nextBlock();
    expect(await runOf()).toBe('run 1 of block 7');
    await eventually('the newer answer', async () => (await runOf()) === 'run 2 of block 8');
    expect(runs).toBe(2);
  });

  it('is computed once, whoever asks meanwhile and in whichever process', async () => {
    await runOf();
    nextBlock();
    let go = (): void => undefined;
    held = new Promise((resolve) => (go = resolve));
    const other = another();
    for (let i = 0; i < 5; i++) expect([await runOf(), await runOf(ANYTIME, actor, other)]).toEqual(Array(2).fill('run 1 of block 7'));
    await eventually('somebody to compute it', () => Promise.resolve(runs === 2));
    go();
    await eventually('the newer answer', async () => (await runOf(ANYTIME, actor, other)) === 'run 2 of block 8');
    expect(runs).toBe(2);
  });

  it('is waited for by all who ask for the first time', async () => {
    expect(await Promise.all(Array.from({ length: 5 }, () => runOf()))).toEqual(Array(5).fill('run 1 of block 7'));
  });

  it('is of one question, one tenant and one reach: nobody is given what somebody else may see', async () => {
    const narrowed: Actor = { ...actor, roleScopes: { AUDITOR: ['wool_*'] } };
    const administrator: Actor = { ...actor, roles: ['ADMIN'], orgId: newId() };
    const stranger: Actor = { ...actor, tenantId: newId() };
    const asked = [
      await runOf(),
      await runOf({ ...ANYTIME, limit: 5 }),
      await runOf({ ...ANYTIME, from: new Date(0) }),
      await runOf({ ...ANYTIME, orgId: administrator.orgId! }),
      await runOf(ANYTIME, narrowed),
      await runOf(ANYTIME, administrator),
      await runOf(ANYTIME, stranger),
    ];
    expect(asked).toEqual(asked.map((_, i) => `run ${i + 1} of block 7`));
    await expect(runOf({ ...ANYTIME, orgId: newId() }, administrator)).rejects.toMatchObject({ status: 403 });
  });

  it('is computed anew behind it after five minutes without a block, and before it after a day', async () => {
    await runOf();
    now = new Date(now.getTime() + 301_000);
    expect(await runOf()).toBe('run 1 of block 7');
    await eventually('the newer answer', async () => (await runOf()) === 'run 2 of block 7');
    now = new Date(now.getTime() + 86_401_000);
    expect(await runOf()).toBe('run 3 of block 7');
  });

  it('goes on being given when a newer one cannot be computed, and is tried again', async () => {
    await runOf();
    nextBlock();
    fault = new Error('the database went away');
    expect(await runOf()).toBe('run 1 of block 7');
    await eventually('the failure', () => Promise.resolve(runs === 2));
    fault = null;
    // The claim of the one that failed is over.
    now = new Date(now.getTime() + 121_000);
    await eventually('the newer answer', async () => /of block 8$/.test(String(await runOf())));
  });

  it('does not grow without end', async () => {
    for (let limit = 1; limit <= 210; limit++) {
      now = new Date(now.getTime() + 1);
      await runOf({ ...ANYTIME, limit });
    }
    const [row] = await database.unitOfWork.inTransaction(actor, (tx) =>
      tx.sql<{ n: string }>('select count(*) as n from reports.kept_answer'),
    );
    expect(Number(row!.n)).toBeLessThanOrEqual(201);
  });

  it('is left alone for half a minute, though blocks come all the time', async () => {
    await runOf();
    head = 9;
    now = new Date(now.getTime() + 29_000);
    expect([await runOf(), await runOf()]).toEqual(Array(2).fill('run 1 of block 7'));
    expect(runs).toBe(1);
  });

  it('is made ready before anybody asks, and again when it is outdated', async () => {
    await ask.keepReady(about, report, actor, ANYTIME);
    await ask.keepReady(about, report, actor, ANYTIME);
    expect([runs, await runOf()]).toEqual([1, 'run 1 of block 7']);
    nextBlock();
    await ask.keepReady(about, report, actor, ANYTIME);
    expect([runs, await runOf()]).toEqual([2, 'run 2 of block 8']);
  });

  it('is nothing for a tenant of ordinary size: each answer is of now', async () => {
    lots = 19_999;
    expect([await runOf(), await runOf()]).toEqual(['run 1 of block 7', 'run 2 of block 7']);
  });
});
