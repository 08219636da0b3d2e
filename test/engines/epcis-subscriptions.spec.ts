import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { interchangePersistence } from '#interchange';
import {
  EpcisEventQueries,
  NarrowQuery,
  NamedQueryQueries,
  PendingEventQueries,
  QuerySubscriptionQueries,
  indexedEvent,
} from '#interchange/testing';
import { newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { WebhookSink } from '../harness/webhook-sink.js';
import { WebhooksWorld, shortened, tenantAdmin } from './webhooks-world.js';

interface Results {
  readonly epcisBody: {
    readonly queryResults: {
      readonly subscriptionID: string;
      readonly resultsBody: { readonly eventList: { readonly eventID: string }[] };
    };
  };
}

/** `npm run test:chaos` kills more often. */
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 4);

describe('subscriptions to queries of the EPCIS repository', () => {
  const [events, names, pending, subscriptions] = [
    new EpcisEventQueries(new NarrowQuery()),
    new NamedQueryQueries(),
    new PendingEventQueries(),
    new QuerySubscriptionQueries(),
  ];
  const rice = tenantAdmin();
  const children: ChildProcess[] = [];
  let db: TestDatabase;
  let sink: WebhookSink;
  let world: WebhooksWorld;

  beforeAll(async () => {
    db = await cloneTestDatabase([webhooksPersistence, interchangePersistence]);
    sink = await WebhookSink.start();
    world = await WebhooksWorld.start(db.endpoint, {}, false);
  });
  afterEach(async () => {
    await Promise.all(
      children.splice(0).map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  });
  afterAll(async () => {
    await world?.stop();
    await sink?.close();
    await db?.drop();
  });

  const start = async (): Promise<ChildProcess> => {
    const script = fileURLToPath(new URL('./epcis-subscriptions-process.js', import.meta.url));
    const tenant = { tenantId: rice.tenantId, slug: rice.tenantSlug };
    const settings = JSON.stringify({ endpoint: db.endpoint, webhooks: shortened({ retryDelaysMs: [60, 60, 60] }), tenant });
    const child = spawn(process.execPath, [script, settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  };
  const inRice = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.unitOfWork.inTransaction(rice, work);
  const subscribe = async (path: string, bizStep: string): Promise<string> => {
    const { id: webhookId } = await world.as(rice).subscribe(sink.url(path), 'nft.created');
    const id = newId();
    const now = new Date();
    await inRice(async (tx) => {
      await names.insert(tx, { name: bizStep, parameters: { EQ_bizStep: [bizStep] }, namespaces: {}, createdAt: now }, rice.id);
      const about = { id, queryName: bizStep, webhookId, schedule: null, reportIfEmpty: false, nextDueAt: null, sentAt: null };
      await subscriptions.insert(tx, { ...about, since: now, origin: 'https://trace.example', createdAt: now }, rice.id);
    });
    return id;
  };
  /** Keeps events, as a capture does. */
  const keep = (ids: readonly string[], bizStep: string): Promise<void> =>
    inRice(async (tx) => {
      const recordTime = new Date().toISOString();
      const stored = ids.map((eventID) => {
        const event = { type: 'ObjectEvent', eventID, eventTime: '2026-11-28T00:00:00Z', recordTime, bizStep };
        const about = { key: `kept:${eventID}`, audience: 'all', orgId: null, processType: null, isScoped: false, block: null } as const;
        return { ...about, isUnresolved: false, indexed: indexedEvent(event, eventID), text: JSON.stringify(event) };
      });
      await events.replace(tx, stored, [], new Date());
      await pending.announce(
        tx,
        stored.map(({ key }) => key),
      );
    });
  const left = async (): Promise<number> => {
    const [row] = await inRice((tx) =>
      tx.sql<{ n: number }>('select count(*)::int as n from interchange.epcis_pending where tenant_id = $1', [tx.tenantId]),
    );
    return row!.n;
  };

  it('send each match once, while the worker is killed again and again', async () => {
    const shipped = await subscribe('/shipped', 'shipping');
    const expected: string[] = [];
    let worker = await start();
    for (let kill = 0; kill < KILLS; kill++) {
      const ids = Array.from({ length: 150 }, (_, i) => `urn:test:${kill}:${i}`);
      expected.push(...ids);
      await keep(ids, 'shipping');
      await keep([`urn:test:${kill}:other`], 'packing');
      // At another point of its work each time.
      if (kill % 2 === 0) await eventually('it has begun', async () => (await left()) < 151);
      const ended = once(worker, 'exit');
      worker.kill('SIGKILL');
      await ended;
      worker = await start();
    }
    await eventually('everything was examined', async () => (await left()) === 0);
    const received = await eventually('everything has arrived', () => {
      const byDelivery = new Map(
        sink.at('/shipped').map(({ headers, body }) => [headers['x-webhook-id'], JSON.parse(body.toString()) as Results]),
      );
      const found = [...byDelivery.values()].flatMap(({ epcisBody }) =>
        epcisBody.queryResults.resultsBody.eventList.map(({ eventID }) => eventID),
      );
      return found.length >= expected.length && { found, byDelivery };
    });
    expect(received.found.toSorted()).toEqual(expected.toSorted());
    for (const { epcisBody } of received.byDelivery.values()) expect(epcisBody.queryResults.subscriptionID).toBe(shipped);
  });

  it('of a kept event that lands send it once, whenever it was sent', async () => {
    const id = await subscribe('/once', 'stocking');
    const waiting = async (): Promise<readonly string[]> => inRice((tx) => subscriptions.next(tx, id, 100));
    await keep(['urn:sent', 'urn:waits'], 'stocking');
    // One was sent while it was only kept, the other was not.
    await inRice((tx) => subscriptions.settle(tx, id, ['kept:urn:sent']));
    const replaced = ['sent', 'waits'].map((name) => ({ kept: `kept:urn:${name}`, key: `event:${name}` }));
    await inRice((tx) => pending.replaced(tx, replaced));
    expect(await waiting()).toEqual(['event:waits']);
    // Its block is final.
    await inRice((tx) => pending.announceFinal(tx, ['event:sent', 'event:waits']));
    expect(await waiting()).toEqual(['event:waits']);
    await inRice((tx) => subscriptions.settle(tx, id, ['event:waits']));
    // It is voided, which is another event.
    await inRice((tx) => pending.announceFinal(tx, ['event:sent']));
    expect(await waiting()).toEqual(['event:sent']);
  });
});
