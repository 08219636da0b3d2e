import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type Actor, newId } from '#kernel';
import { deleteOldRows } from '#persistence';
import { anyMessage, cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { consumerBacklog, webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { CLOUD_EVENT_SCHEMA } from './cloud-event-schema.js';
import { Stream } from './event-stream.js';
import { type Admin, type Answer, publish, REVOKED, tenantAdmin, WebhooksWorld } from './webhooks-world.js';

interface Change {
  readonly id: string;
  readonly cursor: string;
  readonly event: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
interface Page {
  readonly data: readonly Change[];
  readonly cursor: string;
  readonly more: boolean;
}
interface Problem {
  readonly code: string;
  readonly continueAfter: string;
}
interface Consumer {
  readonly name: string;
  readonly cursor: string;
  readonly topics: readonly string[] | null;
  readonly behind: number;
  readonly behindSeconds: number;
}

describe('the change feed', () => {
  let db: TestDatabase;
  let world: WebhooksWorld;

  beforeAll(async () => {
    db = await cloneTestDatabase([webhooksPersistence]);
    world = await WebhooksWorld.start(db.endpoint);
  });
  afterAll(async () => {
    await world?.stop();
    await db?.drop();
  });

  const numbers = (page: Pick<Page, 'data'>): unknown[] => page.data.map(({ data }) => data['n']);
  const upTo = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ n }));
  const happen = (actor: Actor, ...facts: object[]): Promise<void> => publish(db.unitOfWork, actor, 'nft.created', ...facts);
  const changes = (reader: Admin, query = ''): Promise<Answer<Page>> => reader.call<Page>('GET', `/api/v1/changes?${query}`);
  /** Reads with a waiting request for each page until so many have come. */
  async function follow(reader: Admin, count: number, query = ''): Promise<Change[]> {
    const found: Change[] = [];
    for (let after = ''; found.length < count;) {
      const { status, body } = await changes(reader, `wait=20&${query}${after}`);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      found.push(...body.data);
      after = `&after=${body.cursor}`;
    }
    return found;
  }

  it('has each change once, in order, page by page, as webhooks send it', async () => {
    const rice = tenantAdmin();
    const reader = world.as(rice);
    expect((await changes(reader)).body).toEqual({ data: [], cursor: expect.any(String), more: false });
    await happen(rice, ...upTo(5));
    const first = await follow(reader, 2, 'limit=2');
    expect(first[0]).toEqual({
      id: expect.any(String),
      cursor: expect.any(String),
      event: 'nft.created',
      timestamp: expect.any(String),
      data: { n: 0 },
    });
    const { body, headers } = await changes(reader, `after=${first.at(-1)!.cursor}&limit=2`);
    expect([numbers(body), body.more]).toEqual([[2, 3], true]);
    expect(headers.get('link')).toBe(`</api/v1/changes?after=${body.cursor}&limit=2>; rel="next"`);
    const rest = (await changes(reader, `after=${body.cursor}&limit=2`)).body;
    expect([numbers(rest), rest.more]).toEqual([[4], false]);
    expect((await changes(reader, `after=${rest.cursor}`)).body).toEqual({ data: [], cursor: rest.cursor, more: false });
    expect((await changes(reader, 'after=latest')).body).toEqual({ data: [], cursor: rest.cursor, more: false });
    expect((await changes(world.as(tenantAdmin()))).body.data).toEqual([]);
  });

  it('skips no change that is committed late with a smaller number in the outbox', async () => {
    const rice = tenantAdmin();
    const reader = world.as(rice);
    let commit = (): void => undefined;
    const held = new Promise<void>((resolve) => (commit = resolve));
    let written = (): void => undefined;
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const late = db.unitOfWork.inTransaction(rice, async (tx) => {
      await tx.publish([anyMessage('nft.created', { n: 'late' }, { key: newId(), occurredAt: new Date() })]);
      written();
      await held;
    });
    await isWritten;
    await happen(rice, { n: 'early' });
    const [early] = await follow(reader, 1);
    expect(early!.data).toEqual({ n: 'early' });
    commit();
    await late;
    const after = (await changes(reader, `wait=20&after=${early!.cursor}`)).body;
    expect(numbers(after)).toEqual(['late']);
    expect(numbers((await changes(reader)).body)).toEqual(['early', 'late']);
    const places = await db.unitOfWork.asSystem((tx) =>
      tx.sql<{ position: number }>(
        'select m.position::int from persistence.outbox o join webhooks.message m using (tenant_id, id) where tenant_id = $1 order by o.seq',
        [rice.tenantId],
      ),
    );
    expect(places).toEqual([{ position: 2 }, { position: 1 }]);
  });

  it('has one order for all, whatever number of relays writes it', async () => {
    const tenants = [tenantAdmin(), tenantAdmin()];
    const others = await Promise.all([WebhooksWorld.start(db.endpoint), WebhooksWorld.start(db.endpoint)]);
    // Each writer publishes its own messages one after the other; all at once with others.
    const [writers, each] = [6, 40];
    const write = async (tenant: Actor, w: number): Promise<void> => {
      for (let i = 0; i < each; i += 4) await happen(tenant, ...Array.from({ length: 4 }, (_, k) => ({ n: `${w}:${i + k}` })));
    };
    const reading = tenants.flatMap((tenant) => [world, ...others].map((place) => follow(place.as(tenant), writers * each, 'limit=37')));
    await Promise.all(tenants.flatMap((tenant) => Array.from({ length: writers }, (_, w) => write(tenant, w))));
    const read = await Promise.all(reading);
    for (const [t] of tenants.entries()) {
      const [one, ...same] = read.slice(t * 3, t * 3 + 3);
      for (const other of same) expect(other.map(({ id }) => id)).toEqual(one!.map(({ id }) => id));
      const order = numbers({ data: one! }) as string[];
      expect(new Set(order).size).toBe(writers * each);
      for (let w = 0; w < writers; w++)
        expect(order.filter((n) => n.startsWith(`${w}:`))).toEqual(Array.from({ length: each }, (_, i) => `${w}:${i}`));
    }
    await Promise.all(others.map((other) => other.stop()));
  });

  it('answers a request that waits as soon as there is a change, and a caller whose rights have ended with no more', async () => {
    const rice = tenantAdmin();
    const waiting = changes(world.as(rice), 'wait=50');
    const gone = { ...rice, id: newId() };
    // A request that did not wait yet when its rights ended is answered as before.
    const refused = await eventually('a refusal', async () => {
      REVOKED.delete(gone.id);
      const open = world.openRequests;
      const asked = changes(world.as(gone), 'after=latest&wait=50');
      await eventually('it to arrive', () => world.openRequests > open);
      REVOKED.add(gone.id);
      await happen(rice, { n: 1 });
      const answer = await asked;
      return answer.status === 401 && answer;
    });
    expect(refused.body).toMatchObject({ code: 'invalid_token' });
    expect(numbers((await waiting).body)[0]).toBe(1);
  });

  it('shows of a topic with a process what is in scope, of a transaction what is one’s own, and of lots everything', async () => {
    const rice = tenantAdmin();
    const wallet = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
    const miller: Actor = { ...rice, id: newId(), roles: ['OPERATOR'], roleScopes: { OPERATOR: ['RICE_M*'] }, wallets: [wallet] };
    await publish(
      db.unitOfWork,
      rice,
      'event.recorded',
      { n: 0, processType: 'RICE_MILLING' },
      { n: 1, processType: 'RICE_DRYING' },
      { n: 2, processType: null },
    );
    await publish(
      db.unitOfWork,
      rice,
      'transaction.confirmed',
      { n: 3, from: wallet },
      { n: 4, from: '0x0000000000000000000000000000000000000001' },
    );
    await publish(db.unitOfWork, rice, 'custody.transferred', { n: 5 });
    await publish(db.unitOfWork, rice, 'later.added', { n: 6 });
    await happen(rice, { n: 7 });
    expect(numbers({ data: await follow(world.as(rice), 8) })).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const seen = (await changes(world.as(miller))).body;
    expect(numbers(seen)).toEqual([0, 3, 5, 7]);
    // What it does not see it need not read again.
    const all: Actor = { ...miller, roles: ['AUDITOR'], roleScopes: {} };
    expect(numbers((await changes(world.as(all))).body)).toEqual([0, 1, 2, 3, 5, 7]);
    const some = (await changes(world.as(rice), 'topics=custody.*,event.recorded')).body;
    expect(numbers(some)).toEqual([0, 1, 2, 5]);
    expect(some.cursor).toBe(seen.cursor);
    const none = (await changes(world.as(miller), 'topics=event.retracted')).body;
    expect(none).toEqual({ data: [], cursor: seen.cursor, more: false });
    expect(await changes(world.as(rice), 'topics=event.recorded&topics=nft.sold')).toMatchObject({
      status: 422,
      body: { code: 'webhook_topic_unknown', errors: [{ pointer: '/topics/1' }] },
    });
  });

  it('goes out as CloudEvents, as a batch or one by one, of the schema of their specification', async () => {
    const rice = tenantAdmin();
    await happen(rice, { n: 'a "quoted" text\u2028', tokenId: 7 }, { n: 2 });
    await follow(world.as(rice), 2);
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const isCloudEvent = ajv.compile(CLOUD_EVENT_SCHEMA);
    const batch = await world.as(rice).get('/api/v1/changes', { accept: 'application/cloudevents-batch+json' });
    expect(batch.headers.get('content-type')).toBe('application/cloudevents-batch+json; charset=utf-8');
    const events = (await batch.json()) as Record<string, unknown>[];
    expect(events.map((event) => [isCloudEvent(event), isCloudEvent.errors])).toEqual([
      [true, null],
      [true, null],
    ]);
    expect(isCloudEvent({ ...events[0], id: '' })).toBe(false);
    expect(events[0]).toMatchObject({
      type: 'nft.created',
      source: `urn:uuid:${rice.tenantId}`,
      subject: 'nfts/7',
      data: { n: 'a "quoted" text\u2028' },
    });
    const next = /^<(.*)>; rel="next"$/.exec(batch.headers.get('link')!)![1]!;
    expect((await world.as(rice).call<Page>('GET', next)).body.data).toEqual([]);
    const stream = await Stream.open(world.as(rice), 'text/event-stream, application/cloudevents+json');
    expect((await stream.blocks(2)).map(({ data }) => JSON.parse(data!))).toEqual(events);
    await stream.close();
    expect(await world.as(rice).get('/api/v1/changes', { accept: 'text/html' })).toMatchObject({ status: 406 });
  });

  it('is streamed as it comes, and continues behind the id that a client saw last', async () => {
    const rice = tenantAdmin();
    const stream = await Stream.open(world.as(rice));
    await happen(rice, ...upTo(3));
    const blocks = await stream.blocks(3);
    expect(blocks.map(({ event, data }) => [event, (JSON.parse(data!) as Change).data])).toEqual(
      [0, 1, 2].map((n) => ['nft.created', { n }]),
    );
    await stream.close();
    const again = await Stream.open(world.as(rice), undefined, blocks[1]!.id);
    expect((await again.blocks(1)).map(({ data }) => (JSON.parse(data!) as Change).data)).toEqual([{ n: 2 }]);
    await again.close();
    expect((await world.as(rice).get('/api/v1/changes', { accept: 'text/event-stream', 'last-event-id': 'x' })).status).toBe(400);
    await eventually('no request to be left', async () => world.openRequests === 0);
  });

  it('refuses a place that it no longer has, or never had, and says where to continue', async () => {
    const rice = tenantAdmin();
    const reader = world.as(rice);
    await happen(rice, ...upTo(4));
    const all = await follow(reader, 4);
    expect(await changes(world.as(tenantAdmin()), `after=${all[0]!.cursor}`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/after', code: 'foreign_cursor' }] },
    });
    expect(await changes(reader, 'after=nonsense')).toMatchObject({ status: 400, body: { errors: [{ code: 'invalid_cursor' }] } });
    await db.unitOfWork.asSystem((tx) =>
      tx.sql(`update webhooks.message set created_at = created_at - interval '91 days' where tenant_id = $1 and position <= 2`, [
        rice.tenantId,
      ]),
    );
    for (const rule of webhooksPersistence.retention!)
      await deleteOldRows(db.unitOfWork, rule, { before: new Date(Date.now() - 90 * 86_400_000), signal: new AbortController().signal });
    const expired = await reader.call<Problem>('GET', `/api/v1/changes?after=${all[0]!.cursor}`);
    expect([expired.status, expired.body.code]).toEqual([410, 'changes_expired']);
    expect(numbers((await changes(reader, `after=${expired.body.continueAfter}`)).body)).toEqual([2, 3]);
    expect(numbers((await changes(reader, `after=${all[1]!.cursor}`)).body)).toEqual([2, 3]);
    expect(numbers((await changes(reader)).body)).toEqual([2, 3]);
    // A restored database: the same positions, and other changes.
    await db.unitOfWork.asSystem((tx) =>
      tx.sql('update webhooks.message set id = gen_random_uuid() where tenant_id = $1', [rice.tenantId]),
    );
    expect((await reader.call<Problem>('GET', `/api/v1/changes?after=${all[3]!.cursor}`)).body.code).toBe('changes_cursor_unknown');
    await db.unitOfWork.asSystem(async (tx) => {
      await tx.sql('delete from webhooks.message where tenant_id = $1 and position = 4', [rice.tenantId]);
      await tx.sql('update webhooks.feed set last_position = 3 where tenant_id = $1', [rice.tenantId]);
    });
    const unknown = await reader.call<Problem>('GET', `/api/v1/changes?after=${all[3]!.cursor}`);
    expect([unknown.status, unknown.body.code]).toEqual([410, 'changes_cursor_unknown']);
  });

  describe('a consumer', () => {
    const consumers = '/api/v1/changes/consumers';

    it('is read from its place, which moves by acknowledgements and never back by them', async () => {
      const rice = tenantAdmin();
      const reader = world.as(rice);
      await happen(rice, ...upTo(3));
      await publish(db.unitOfWork, rice, 'custody.transferred', { n: 3 });
      const all = await follow(reader, 4);
      const made = await reader.call<Consumer>('PUT', `${consumers}/erp`, { topics: ['nft.*'] });
      expect(made).toMatchObject({ status: 200, body: { name: 'erp', topics: ['nft.*'], behind: 4 } });
      expect(made.body.behindSeconds).toBeGreaterThan(0);
      expect(numbers((await changes(reader, 'consumer=erp&limit=2')).body)).toEqual([0, 1]);
      expect(numbers((await changes(reader, 'consumer=erp')).body)).toEqual([0, 1, 2]);
      const acknowledge = (cursor: string) => reader.call<Consumer>('POST', `${consumers}/erp/acknowledge`, { cursor });
      expect((await acknowledge(all[1]!.cursor)).body).toMatchObject({ behind: 2, cursor: all[1]!.cursor });
      expect((await acknowledge(all[0]!.cursor)).body).toMatchObject({ behind: 2 });
      expect(numbers((await changes(reader, 'consumer=erp')).body)).toEqual([2]);
      const { mostBehind, oldestSeconds } = await db.unitOfWork.asSystem((tx) => consumerBacklog(tx));
      expect(mostBehind).toBeGreaterThanOrEqual(2);
      expect(oldestSeconds).toBeGreaterThan(0);
      expect((await reader.call<Consumer>('PUT', `${consumers}/erp`, { topics: null, after: 'latest' })).body).toMatchObject({
        behind: 0,
        behindSeconds: 0,
        topics: null,
      });
      expect((await reader.call<Consumer>('PUT', `${consumers}/erp`, { after: all[2]!.cursor })).body).toMatchObject({ behind: 1 });
      expect(numbers((await changes(reader, 'consumer=erp')).body)).toEqual([3]);
    });

    it('is its maker’s alone; an administrator sees and deletes it', async () => {
      const rice = tenantAdmin();
      const erp: Actor = { ...rice, id: newId(), kind: 'api_key', roles: ['OPERATOR'] };
      await world.as(erp).call('PUT', `${consumers}/erp`, {});
      expect(await world.as(rice).call('GET', `${consumers}/erp`)).toMatchObject({ status: 404, body: { code: 'consumer_not_found' } });
      expect(await changes(world.as(rice), 'consumer=erp')).toMatchObject({ status: 404 });
      expect((await world.as({ ...erp, id: newId() }).call('GET', consumers)).body).toEqual([]);
      expect((await world.as(rice).call('GET', consumers)).body).toMatchObject([{ name: 'erp', ownerId: erp.id }]);
      expect((await world.as({ ...erp, id: newId() }).call('DELETE', `${consumers}/erp?ownerId=${erp.id}`)).status).toBe(404);
      expect((await world.as(rice).call('DELETE', `${consumers}/erp?ownerId=${erp.id}`)).status).toBe(204);
      expect((await world.as(erp).call('GET', consumers)).body).toEqual([]);
    });

    it('is refused with a name, a place or topics that cannot be', async () => {
      const rice = tenantAdmin();
      const reader = world.as(rice);
      await happen(rice, { n: 0 });
      const [change] = await follow(reader, 1);
      await reader.call('PUT', `${consumers}/erp`, {});
      for (const [method, path, body, status] of [
        ['PUT', `${consumers}/${'x'.repeat(65)}`, {}, 400],
        ['PUT', `${consumers}/a%20b`, {}, 400],
        ['PUT', `${consumers}/erp`, { topics: [] }, 400],
        ['PUT', `${consumers}/erp`, { topics: ['nft.sold'] }, 422],
        ['PUT', `${consumers}/erp`, { after: 'x' }, 400],
        ['POST', `${consumers}/none/acknowledge`, { cursor: change!.cursor }, 404],
        ['POST', `${consumers}/erp/acknowledge`, {}, 400],
        ['GET', `/api/v1/changes?consumer=erp&topics=nft.*`, undefined, 400],
        ['GET', `/api/v1/changes?consumer=erp&after=${change!.cursor}`, undefined, 400],
        ['GET', `/api/v1/changes?wait=56`, undefined, 400],
        ['GET', `/api/v1/changes?limit=0`, undefined, 400],
        ['DELETE', `${consumers}/none`, undefined, 404],
      ] as const)
        expect([method, path, (await reader.call(method, path, body)).status]).toEqual([method, path, status]);
      for (let i = 1; i < 50; i++) await reader.call('PUT', `${consumers}/c${i}`, {});
      expect(await reader.call('PUT', `${consumers}/c50`, {})).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } });
    });
  });
});
