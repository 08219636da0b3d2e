import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { TraceabilityClient, type Webhook } from '#client';
import { anyMessage } from '#persistence/testing';
import { eventually } from '../harness/eventually.js';
import { type SinkAnswer, WebhookSink } from '../harness/webhook-sink.js';
import { type ChaosTenant, Cluster } from './cluster.js';

/** `npm run test:chaos` asks for 20,000, on the queue that CHAOS_QUEUE names (`database`, `redis`); `npm test` runs the short form. */
const DELIVERIES = Number(process.env.CHAOS_DELIVERIES ?? 1_000);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
if (!(DELIVERIES >= 1_000 && DELIVERIES % 1_000 === 0)) throw new Error('CHAOS_DELIVERIES is counted in thousands');
const TENANTS = 5;
const TIMEOUT_MS = 250;
const LEASE_MS = TIMEOUT_MS + 5_000;
const SETTINGS = { WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS), WEBHOOK_RETRY_DELAYS_MS: '50,100,200', WEBHOOK_SWEEP_MS: '200' };

/** The behaviour of each of a tenant's ten receivers. An answer of 10 MB with status 200 is a success. */
const SINKS: Readonly<Record<string, SinkAnswer>> = {
  ok: { status: 200 },
  accepted: { status: 202 },
  empty: { status: 204 },
  huge: { hugeBytes: 10_000_000 },
  'status-500': { status: 500 },
  'status-301': { status: 301, headers: { location: '/elsewhere' } },
  'status-410': { status: 410 },
  hang: { hang: true },
  drip: { dripMs: 20 },
  reset: { reset: 'before' },
};
const TIMED_OUT = `within ${TIMEOUT_MS} ms`;
/** The worker saw no answer. On a machine that is too busy, four such attempts in a row are a recorded failure; each had a cause that the test before checks. */
const unanswered = ({ error }: { readonly error: string | null }): boolean => error !== null;
const HEALTHY = ['ok', 'accepted', 'empty', 'huge'];
/**
 * Receivers that time out get one attempt at a time, four for each message. With as many messages as the others they alone would
 * decide how long the test takes. So they subscribe only to the topics of every receiver.
 */
const SLOW = ['hang', 'drip'];
const PER_TENANT = DELIVERIES / TENANTS;
const FOR_ALL = PER_TENANT * 0.04;
const FOR_THE_QUICK = PER_TENANT * 0.075;
const listensTo = (name: string): string[] => (SLOW.includes(name) ? ['nft.*'] : ['nft.*', 'event.recorded']);
const factsFor = (name: string): number => FOR_ALL + (SLOW.includes(name) ? 0 : FOR_THE_QUICK);
/** The short form has each kind; the long form repeats them. */
const DISTURBANCES = Math.max(6, DELIVERIES / 500);
const PROGRESS_MS = 15_000;
/** Everything that was killed has to restart in between, which takes minutes on a busy machine. */
const NEXT_DISTURBANCE_MS = 600_000;

interface Disturbance {
  readonly what: string;
  readonly from: number;
  readonly until: number;
}

interface Row {
  readonly id: string;
  readonly tenantId: string;
  readonly sink: string;
  readonly event: string;
  readonly status: string;
  readonly attempt: number;
  readonly resends: number;
  readonly attempts: { readonly number: number; readonly error: string | null; readonly started: number }[];
}

describe(`${DELIVERIES} deliveries through killed processes and engines (seed ${SEED})`, () => {
  let cluster: Cluster;
  let sink: WebhookSink;
  const admins: TraceabilityClient[][] = [];
  const webhooks: Webhook[][] = [];
  const disturbances: Disturbance[] = [];
  const tested: string[] = [];
  const began = Date.now();
  let disturbancesReady = 0;
  let begun = 0;
  let published = 0;
  let rows: Row[] = [];

  beforeAll(
    async () => {
      [cluster, sink] = await Promise.all([Cluster.start(SETTINGS, TENANTS), WebhookSink.start()]);
      say(`2 APIs and 2 workers are up, the queue on ${cluster.redis ? 'Redis' : 'PostgreSQL'}`);
      await Promise.all(cluster.tenants.map(subscribe));
      const progress = setInterval(() => void logProgress(), PROGRESS_MS);
      try {
        await Promise.all([publishAll(), disturb()]);
        say('all messages are published; waiting for the rest of the deliveries');
        await eventually('all deliveries to be finished', async () => (await unfinished()) === 0, {
          withinMs: 300_000 + DELIVERIES * 60,
          everyMs: 250,
        });
      } finally {
        clearInterval(progress);
      }
      say('all deliveries are finished');
      rows = await read();
    },
    900_000 + DELIVERIES * 90,
  );
  afterAll(async () => {
    await cluster?.close();
    await sink?.close();
  });

  async function subscribe(tenant: ChaosTenant, t: number): Promise<void> {
    admins[t] = await Promise.all(
      cluster.baseUrls.map((url) => insist(() => TraceabilityClient.login(url, tenant.email, tenant.password, tenant.slug))),
    );
    webhooks[t] = [];
    for (const [name, answer] of Object.entries(SINKS)) {
      sink.script(`/${t}/${name}`, answer);
      webhooks[t].push(await insist(() => admins[t]![t % 2]!.webhooks.create(sink.url(`/${t}/${name}`), listensTo(name))));
    }
  }

  /**
   * Publishes some messages before each disturbance, so that there is work to disturb, and some during it. Each batch has its own
   * keys, because a commit whose answer was lost may be repeated.
   */
  async function publishAll(): Promise<void> {
    const reached = (what: string, there: () => boolean) => eventually(what, there, { withinMs: NEXT_DISTURBANCE_MS, everyMs: 10 });
    for (let round = 1; round <= DISTURBANCES; round++) {
      await reached(`round ${round}`, () => disturbancesReady >= round);
      await publishTo('nft.created', FOR_ALL, round);
      await reached(`disturbance ${round}`, () => begun >= round);
      await publishTo('event.recorded', FOR_THE_QUICK, round);
    }
  }
  async function publishTo(topic: string, total: number, round: number): Promise<void> {
    const [from, until] = [round - 1, round].map((share) => Math.round((share * total) / DISTURBANCES)) as [number, number];
    await Promise.all(cluster.tenants.map(({ id: tenantId }) => insist(() => publish(tenantId, topic, from, until - from))));
    published += (until - from) * TENANTS;
  }
  const publish = (tenantId: string, topic: string, from: number, count: number): Promise<void> =>
    cluster.unitOfWork.inTransaction({ tenantId }, (tx) =>
      tx.publish(
        Array.from({ length: count }, (_, i) =>
          anyMessage(topic, { serial: from + i, text: 'é\u2028' }, { key: `chaos ${topic} ${from + i}`, occurredAt: new Date() }),
        ),
      ),
    );

  /**
   * Each kind once, then random kinds from the seed. The next one waits until all processes are up again and a delivery is sent: a
   * service that is killed faster than it starts does no work, and nothing is tested.
   */
  async function disturb(): Promise<void> {
    const random = generator(SEED);
    const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const kinds: Readonly<Record<string, () => unknown>> = {
      'kill -9 of a worker': () => any(cluster.workers).signal('SIGKILL'),
      'SIGTERM to a worker': () => any(cluster.workers).signal('SIGTERM'),
      'kill -9 of an API': () => any(cluster.apis).signal('SIGKILL'),
      'kill -9 of PostgreSQL': () => cluster.killPostgres(),
      'SIGTERM to an API': () => any(cluster.apis).signal('SIGTERM'),
      ...(cluster.redis?.kill && { 'kill -9 of Redis': () => cluster.killRedis() }),
    };
    const names = Object.keys(kinds);
    for (let n = 0; n < DISTURBANCES; n++) {
      await cluster.ready();
      const sent = sink.deliveries.length;
      disturbancesReady++;
      await eventually('a delivery', () => sink.deliveries.length > sent, { withinMs: NEXT_DISTURBANCE_MS });
      await pause(random() * 500);
      const what = n < names.length ? names[n]! : any(names);
      const from = Date.now();
      begun++;
      await kinds[what]!();
      disturbances.push({ what, from, until: Date.now() });
      await sendTest(Math.floor(random() * TENANTS), n % 2);
    }
    await cluster.ready();
    await sendTest(0, 0);
  }

  /** Through an API that may be down. What it accepted must arrive. */
  async function sendTest(t: number, api: number): Promise<void> {
    const { id } = webhooks[t]![0]!;
    const answer = await admins[t]![api]!.post<{ deliveryId: string }>(`/api/v1/webhooks/${id}/test`).catch(() => null);
    if (answer) tested.push(answer.deliveryId);
  }

  const unfinished = async (): Promise<number> =>
    insist(() =>
      cluster.unitOfWork.asSystem(async (tx) => {
        const [left] = await tx.sql<{ n: number }>(
          `select ((select count(*) from persistence.outbox where relayed_at is null)
                 + (select count(*) from webhooks.delivery where status in ('pending', 'sending', 'retrying')))::int as n`,
        );
        return left!.n;
      }),
    );

  /** The receivers with waiting deliveries. Without this log a long run looks like one that hangs. */
  async function logProgress(): Promise<void> {
    const waiting = await cluster.unitOfWork
      .asSystem((tx) =>
        tx.sql<{ sink: string; n: number }>(
          `select substring(url from '[^/]+$') as sink, count(*)::int as n from webhooks.delivery
           where status in ('pending', 'sending', 'retrying') group by 1 order by 2 desc`,
        ),
      )
      .catch(() => null);
    const left = waiting?.map(({ sink: name, n }) => `${name} ${n}`).join(', ') ?? 'PostgreSQL is away';
    say(`${begun} of ${DISTURBANCES} disturbances, ${published} facts, ${sink.deliveries.length} requests; waiting: ${left || 'nothing'}`);
  }
  const say = (what: string): void => void process.stderr.write(`chaos ${Math.round((Date.now() - began) / 1000)} s: ${what}\n`);

  const read = (): Promise<Row[]> =>
    cluster.unitOfWork.asSystem((tx) =>
      tx.sql<Row>(
        `select d.id, d.tenant_id as "tenantId", substring(d.url from '[^/]+$') as sink, d.event, d.status, d.attempt, d.resends,
                (select coalesce(json_agg(json_build_object('number', a.number, 'error', a.error,
                   'started', extract(epoch from a.started_at) * 1000) order by a.number), '[]')
                 from webhooks.attempt a where a.tenant_id = d.tenant_id and a.delivery_id = d.id) as attempts
         from webhooks.delivery d`,
      ),
    );
  const facts = (): Row[] => rows.filter(({ event }) => event !== 'webhook.test');
  const idOf = (request: { headers: Record<string, unknown> }): string => String(request.headers['x-webhook-id']);

  it('every message became one delivery for each subscription, and none is stuck', () => {
    expect(facts()).toHaveLength(DELIVERIES);
    expect(rows.filter(({ status }) => !['delivered', 'failed'].includes(status))).toEqual([]);
    expect(new Set(disturbances.map(({ what }) => what)).size).toBeGreaterThanOrEqual(5);
  });

  it('every healthy sink received every message at least once', () => {
    for (let t = 0; t < TENANTS; t++)
      for (const name of HEALTHY) {
        const taken = new Set(
          sink
            .at(`/${t}/${name}`)
            .map(({ body }) => JSON.parse(body.toString()) as { event: string; data: { serial: number } })
            .filter(({ event }) => event !== 'webhook.test')
            .map(({ event, data }) => `${event} ${data.serial}`),
        );
        expect([t, name, taken.size]).toEqual([t, name, factsFor(name)]);
      }
    const ids = new Set(sink.deliveries.map(idOf));
    expect(tested.filter((id) => !ids.has(id))).toEqual([]);
    expect(tested.length).toBeGreaterThan(0);
  });

  it('a repeated message has the same bytes, and is repeated only around a disturbance', () => {
    const first = new Map<string, Buffer>();
    const repeats = new Map<string, number>();
    for (const request of sink.deliveries) {
      const id = idOf(request);
      const known = first.get(id) ?? request.body;
      expect(request.body.equals(known)).toBe(true);
      first.set(id, known);
      repeats.set(id, (repeats.get(id) ?? -1) + 1);
    }
    const near = (started: number): boolean => disturbances.some(({ from, until }) => started <= until && started + LEASE_MS >= from);
    let duplicates = 0;
    let slow = 0;
    let late = 0;
    for (const { id, sink: name, attempts } of rows.filter((row) => HEALTHY.includes(row.sink))) {
      const silent = attempts.filter(unanswered);
      duplicates += repeats.get(id) ?? 0;
      // Each POST is an attempt on record. One that was answered and followed by another had lost its lease in between, to a worker that was faster.
      expect([id, name, (repeats.get(id) ?? 0) < attempts.length]).toEqual([id, name, true]);
      late += attempts.slice(0, -1).filter(({ error }) => error === null).length;
      // A busy machine may take longer to answer than this short limit: a failed attempt that is on record as such, not a lost outcome.
      const timedOut = silent.filter(({ error }) => error!.includes(TIMED_OUT));
      slow += timedOut.length;
      expect(silent.filter((each) => !timedOut.includes(each) && !near(each.started))).toEqual([]);
    }
    const interrupted = rows.flatMap(({ attempts }) => attempts).filter(({ error }) => error?.includes('interrupted')).length;
    say(`${duplicates} duplicates at healthy sinks around ${disturbances.length} disturbances, ${slow} attempts to them timed out`);
    say(`${interrupted} attempts were interrupted, ${late} were answered although another had begun`);
    expect(interrupted).toBeGreaterThanOrEqual(DELIVERIES < 20_000 ? 0 : 1); // else nothing was disturbed
  });

  it('a failed delivery has four recorded attempts, and no delivery has more', () => {
    for (const { id, sink: name, status, attempt, resends, attempts } of rows) {
      expect([id, attempt <= 4, resends]).toEqual([id, true, 0]);
      expect([id, attempts.map(({ number }) => number)]).toEqual([id, Array.from({ length: attempt }, (_, i) => i + 1)]);
      expect([id, status === 'failed' ? attempt : 4]).toEqual([id, 4]);
      const healthy = HEALTHY.includes(name) && !attempts.every(unanswered);
      expect([id, name, status]).toEqual([id, name, healthy ? 'delivered' : 'failed']);
    }
    const posts = new Map<string, number>();
    for (const request of sink.deliveries) posts.set(idOf(request), (posts.get(idOf(request)) ?? 0) + 1);
    expect([...posts].filter(([, count]) => count > 4)).toEqual([]);
    expect(sink.deliveries.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  it('the API lists the same attempts afterwards', async () => {
    const failing = webhooks[0]![4]!;
    const deliveries = (await insist(() => admins[0]![0]!.webhooks.deliveries(failing.id))) as {
      success: boolean;
      attempt: number;
      statusCode: number;
    }[];
    expect(deliveries.length).toBe(Math.min(100, factsFor('status-500')));
    expect(new Set(deliveries.map(({ success, attempt, statusCode }) => `${success} ${attempt} ${statusCode}`))).toContain('false 4 500');
  });
});

/** An engine may be restarting, or slow on a busy machine. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  let failure: unknown = null;
  const answer = await eventually(
    'an engine',
    () =>
      work().then(
        (value) => ({ value }),
        (error: unknown) => void (failure = error),
      ),
    { withinMs: 60_000, everyMs: 100 },
  ).catch((error: Error) => {
    throw new Error(error.message, { cause: failure });
  });
  return answer.value;
}

/** Mulberry32: the same disturbances for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
