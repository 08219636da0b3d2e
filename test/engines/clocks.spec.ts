import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import { publish, shortened, tenantAdmin, WebhooksWorld } from './webhooks-world.js';

const DELIVERIES = 20;
/** Three times the lease of an attempt. */
const WRONG_MS = 60_000;
const TIMEOUT_MS = 15_000;

/** docs/spec/reliability.md#clocks: leases, schedules and expiries are the database's time, whatever the machines say. */
describe('workers whose clocks differ', () => {
  let db: TestDatabase;
  let sink: WebhookSink;
  let world: WebhooksWorld;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    db = await cloneTestDatabase([webhooksPersistence]);
    sink = await WebhookSink.start();
    world = await WebhooksWorld.start(db.endpoint, {}, false);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await world.stop();
    await sink.close();
    await db.drop();
  });

  const startWorker = async (aheadMs: number): Promise<void> => {
    const path = (file: string): string => new URL(file, import.meta.url).href;
    const settings = JSON.stringify({ endpoint: db.endpoint, webhooks: shortened({ timeoutMs: TIMEOUT_MS }) });
    const child = spawn(
      process.execPath,
      ['--import', path('../harness/shifted-date.js'), fileURLToPath(path('./webhooks-worker-process.js')), settings],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, CLOCK_AHEAD_MS: String(aheadMs) } },
    );
    children.push(child);
    await once(child.stdout, 'data');
  };

  it.each([
    ['ahead', 0, WRONG_MS],
    ['behind', -WRONG_MS, 0],
  ])('one a minute %s: nothing is sent twice or late', async (_, first, second) => {
    const rice = tenantAdmin();
    const admin = world.as(rice);
    const webhooks = await Promise.all([1, 2, 3, 4].map((i) => admin.subscribe(sink.url(`/hook${i}`), 'nft.created')));
    // Long enough that the second worker comes and looks for expired leases while they run.
    for (const i of [1, 2, 3, 4]) sink.script(`/hook${i}`, { status: 200, delayMs: 6_000 });
    await startWorker(first);
    const facts = Array.from({ length: DELIVERIES / 4 }, (__, tokenId) => ({ tokenId }));
    const began = Date.now();
    await publish(db.unitOfWork, rice, 'nft.created', ...facts);
    await eventually('attempts are running', () => sink.deliveries.length >= DELIVERIES / 2);
    await startWorker(second);
    const delivered = await eventually('everything delivered', async () => {
      const all = (await Promise.all(webhooks.map(({ id }) => admin.deliveries(id)))).flat();
      return all.length === DELIVERIES && all.every(({ status }) => status === 'delivered') && all;
    });
    expect(sink.deliveries).toHaveLength(DELIVERIES);
    expect(new Set(sink.deliveries.map(({ headers }) => headers['x-webhook-id'])).size).toBe(DELIVERIES);
    const attempts = delivered.flatMap((each) => each.attempts);
    expect(attempts.map(({ number, statusCode }) => [number, statusCode])).toEqual(Array(DELIVERIES).fill([1, 200]));
    for (const { startedAt } of attempts) {
      expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(began - 1_000);
      expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.now() + 1_000);
    }
    for (const { headers, at } of sink.deliveries)
      expect(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - at.getTime())).toBeLessThan(5_000);
  });
});
