import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Actor, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { BullMqJobQueue, openQueueConnections } from '#queue';
import { type GetReport, type Report, type ReportRequest, type ReportResult, refreshReportTopic } from '#reporting/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { FIGURES, type FiguresWorld, Outcomes, type RefreshedReports, figuresIn, startReportWorker } from './report-worker.js';

const ANYTIME: ReportRequest = { from: null, to: null, limit: 100, after: null, parameters: {} };
const report = {} as Report;

/** A report whose reads are counted and can be delayed; the database, the rights, the cache and the queue with its worker are real. */
describe('a cached report', () => {
  let database: TestDatabase;
  let worker: INestApplicationContext | null;
  let queue: BullMqJobQueue;
  let outcomes: Outcomes;
  let actor: Actor;
  let getReport: GetReport;
  let lots: number;
  let head: number;
  let runs: number;
  let now: Date;
  let fault: Error | null;
  let held: Promise<void>;

  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
    queue = new BullMqJobQueue(await openQueueConnections({ kind: 'database', at: database.endpoint }, () => undefined));
    await startWorker();
  });
  afterAll(async () => {
    await worker?.close();
    await queue?.close();
    await database?.drop();
  });
  beforeEach(() => {
    [lots, head, runs, fault, held] = [20_000, 7, 0, null, Promise.resolve()];
    now = new Date('2026-11-28T10:00:00Z');
    outcomes.all.length = 0;
    actor = { ...member(newId()), roles: ['AUDITOR'] };
    getReport = another();
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
  const read = async (): Promise<ReportResult> => {
    const asOf = { head, final: head };
    const rows = [{ run: ++runs }];
    // Two reads never have the same time.
    const reported = {
      rows,
      summary: {},
      total: 1,
      next: null,
      generatedAt: new Date(now.getTime() + runs),
      asOf,
      orgId: null,
      isLive: true,
    };
    await held;
    if (fault) throw fault;
    return reported;
  };
  const world: FiguresWorld = { lots: () => lots, head: () => head, now: () => now, read: () => read() };
  const startWorker = async (): Promise<void> => {
    outcomes = new Outcomes();
    worker = await startReportWorker(database.endpoint, world, outcomes);
  };
  const inAnotherProcess = (): RefreshedReports => figuresIn(database.unitOfWork, queue, world);
  const another = (): GetReport => inAnotherProcess().getReport;
  /** A while later. */
  const nextBlock = (): void => {
    head++;
    now = new Date(now.getTime() + 31_000);
  };
  const failures = async (): Promise<number> => (await queue.counts(refreshReportTopic.name))['failed']!;
  /** Until a job is finished, the queue takes a request for the same work as a repeated one; `completed` comes a moment before. */
  const queueIsIdle = (): Promise<void> =>
    eventuallyHolds(async () => expect(await queue.counts(refreshReportTopic.name)).toMatchObject({ waiting: 0, delayed: 0, active: 0 }));
  const stopWorker = async (): Promise<void> => {
    await worker?.close();
    worker = null;
  };
  /** A worker that begins to read the report and never finishes. */
  const readingProcess = (): ChildProcess => {
    const program = fileURLToPath(new URL('./report-worker-process.js', import.meta.url));
    return spawn(process.execPath, [program, JSON.stringify({ endpoint: database.endpoint, now })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };
  const runOf = async (request = ANYTIME, by = actor, through = getReport): Promise<unknown> => {
    const { rows, asOf } = await through.get(FIGURES, report, by, request);
    return `run ${(rows[0] as { run: number }).run} of block ${asOf.head}`;
  };

  it('is returned at once until the chain moves on, and then once more while a newer one is computed', async () => {
    expect([await runOf(), await runOf(), await runOf(ANYTIME, actor, another())]).toEqual(Array(3).fill('run 1 of block 7'));
    nextBlock();
    expect(await runOf()).toBe('run 1 of block 7');
    await eventually('the newer answer', async () => (await runOf()) === 'run 2 of block 8');
    expect(runs).toBe(2);
  });

  it('is computed once, for all callers in all processes', async () => {
    await runOf();
    nextBlock();
    let go = (): void => undefined;
    held = new Promise((resolve) => (go = resolve));
    const other = another();
    for (let i = 0; i < 5; i++) expect([await runOf(), await runOf(ANYTIME, actor, other)]).toEqual(Array(2).fill('run 1 of block 7'));
    await eventually('the computation', () => Promise.resolve(runs === 2));
    go();
    await eventually('the newer answer', async () => (await runOf(ANYTIME, actor, other)) === 'run 2 of block 8');
    expect(runs).toBe(2);
  });

  it('is waited for by all callers the first time', async () => {
    expect(await Promise.all(Array.from({ length: 5 }, () => runOf()))).toEqual(Array(5).fill('run 1 of block 7'));
  });

  it('is of one question, one tenant and one scope: no caller gets the answer of another scope', async () => {
    const narrowed: Actor = { ...actor, roleScopes: { AUDITOR: ['wool_*'] } };
    const administrator: Actor = { ...actor, roles: ['ADMIN'], orgId: newId() };
    const stranger: Actor = { ...actor, tenantId: newId() };
    const answers = [
      await runOf(),
      await runOf({ ...ANYTIME, limit: 5 }),
      await runOf({ ...ANYTIME, from: new Date(0) }),
      await runOf({ ...ANYTIME, orgId: administrator.orgId! }),
      await runOf(ANYTIME, narrowed),
      await runOf(ANYTIME, administrator),
      await runOf(ANYTIME, stranger),
    ];
    expect(answers).toEqual(answers.map((_, i) => `run ${i + 1} of block 7`));
    await expect(runOf({ ...ANYTIME, orgId: newId() }, administrator)).rejects.toMatchObject({ status: 403 });
  });

  it('is refreshed in the background after five minutes without a block, and before the answer after a day', async () => {
    await runOf();
    now = new Date(now.getTime() + 301_000);
    expect(await runOf()).toBe('run 1 of block 7');
    await eventually('the newer answer', async () => (await runOf()) === 'run 2 of block 7');
    now = new Date(now.getTime() + 86_401_000);
    expect(await runOf()).toBe('run 3 of block 7');
  });

  it('stays in use if a refresh fails, and is tried again', async () => {
    await runOf();
    nextBlock();
    fault = new Error('the database went away');
    expect(await runOf()).toBe('run 1 of block 7');
    await eventuallyHolds(() => expect(outcomes.all.at(-1)).toBe('reporting.refresh-report failed'));
    expect([runs, await runOf()]).toEqual([2, 'run 1 of block 7']);
    fault = null;
    // Nobody has to ask again.
    await eventuallyHolds(() => expect(outcomes.all.at(-1)).toBe('reporting.refresh-report completed'));
    expect([runs, await runOf()]).toEqual([3, 'run 3 of block 8']);
  });

  it('stays in use after the last failure, which the queue shows, and can be requested again', async () => {
    await runOf();
    nextBlock();
    fault = new Error('the report has a fault');
    const before = await failures();
    expect(await runOf()).toBe('run 1 of block 7');
    await eventuallyHolds(async () => expect(await failures()).toBe(before + 1));
    expect(runs).toBe(1 + refreshReportTopic.attempts);
    fault = null;
    now = new Date(now.getTime() + 11_000);
    expect(await runOf()).toBe('run 1 of block 7');
    await eventually('the newer answer', async () => /of block 8$/.test(String(await runOf())));
  });

  it('is refreshed by another worker when one is killed in the middle', async () => {
    await runOf();
    nextBlock();
    const asking = inAnotherProcess();
    await stopWorker();
    const victim = readingProcess();
    expect(await runOf(ANYTIME, actor, asking.getReport)).toBe('run 1 of block 7');
    await once(victim.stdout!, 'data');
    victim.kill('SIGKILL');
    await once(victim, 'close');
    expect(await runOf(ANYTIME, actor, asking.getReport)).toBe('run 1 of block 7');
    await startWorker();
    await eventually('the newer answer', async () => (await runOf()) === 'run 2 of block 8');
    expect([runs, outcomes.all]).toEqual([2, ['reporting.refresh-report completed']]);
  });

  it('has a limited number of answers', async () => {
    for (let limit = 1; limit <= 210; limit++) {
      now = new Date(now.getTime() + 1);
      await runOf({ ...ANYTIME, limit });
    }
    const [row] = await database.unitOfWork.inTransaction(actor, (tx) =>
      tx.sql<{ n: string }>('select count(*) as n from reporting.report_cache'),
    );
    expect(Number(row!.n)).toBeLessThanOrEqual(201);
  });

  it('is not refreshed for half a minute, although blocks arrive all the time', async () => {
    await runOf();
    head = 9;
    now = new Date(now.getTime() + 29_000);
    expect([await runOf(), await runOf()]).toEqual(Array(2).fill('run 1 of block 7'));
    expect(runs).toBe(1);
  });

  it('is computed before anybody asks, and again when it is outdated', async () => {
    const { requestRefresh } = inAnotherProcess();
    await requestRefresh.request(FIGURES, actor, ANYTIME);
    await eventuallyHolds(() => expect(outcomes.all.length).toBeGreaterThan(0));
    expect([runs, await runOf()]).toEqual([1, 'run 1 of block 7']);
    await queueIsIdle();
    nextBlock();
    await requestRefresh.request(FIGURES, actor, ANYTIME);
    await eventually('the newer answer', async () => runs === 2 && (await runOf()) === 'run 2 of block 8');
    await queueIsIdle();
    // Nothing is outdated: the job has nothing to do.
    now = new Date(now.getTime() + 11_000);
    outcomes.all.length = 0;
    await requestRefresh.request(FIGURES, actor, ANYTIME);
    await eventuallyHolds(() => expect(outcomes.all).toEqual(['reporting.refresh-report completed']));
    expect(runs).toBe(2);
  });

  it('is not cached for a smaller tenant: each answer is current', async () => {
    lots = 19_999;
    expect([await runOf(), await runOf()]).toEqual(['run 1 of block 7', 'run 2 of block 7']);
  });
});
