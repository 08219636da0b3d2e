import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { testServer } from '#persistence/testing';
import { asSuperuser, everything, rowsOf } from '../harness/dump.js';
import { eventually } from '../harness/eventually.js';
import { HoldingReceiver } from '../harness/holding-receiver.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

const DELIVERED = 'Trần Đang Giao';
/** Six pages of a table: without a reader, some wait in the socket and in streams. */
const ROWS = 3_000;
const FILLER = 'x'.repeat(6_000);

describe('an erasure', () => {
  let world: World;
  let trade: RiceTrade;
  let receiver: HoldingReceiver;
  let codes = 0;

  beforeAll(async () => {
    receiver = await HoldingReceiver.start((body) => body.includes(DELIVERED));
    world = await World.start();
    trade = await RiceTrade.of(world);
    await trade.api.post('/epcis/rice/queries', { name: 'all', query: { GE_eventTime: '2020-01-01T00:00:00Z' } });
    await trade.api.post('/epcis/rice/queries/all/subscriptions', { dest: receiver.url, stream: true });
  });
  afterAll(async () => {
    await receiver.close();
    await world?.close();
  });

  const harvestBy = (name: string): Json => ({
    processType: 'RICE_HARVESTING',
    outputTlc: `RH-20261101-U${++codes}`,
    metadata: { ...trade.metadataOf('RICE_HARVESTING'), harvester: { name, phone: '+84 90 000 00 00' } },
  });
  const land = (name: string): Promise<Json> => trade.land(trade.farmA, trade.event(trade.farmA, harvestBy(name)));
  /** An event that fits no process: it is kept as it came, and sent to who subscribed. */
  const capture = (name: string): Promise<unknown> => {
    const contexts = ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld', { ext: 'https://ext.example/' }];
    const event = {
      ...{ type: 'ObjectEvent', action: 'OBSERVE', eventID: `https://partner.example/events/${++codes}`, bizStep: 'shipping' },
      ...{ eventTime: '2026-10-01T10:00:00Z', eventTimeZoneOffset: '+02:00', epcList: ['urn:epc:id:sgtin:0614141.107346.2017'] },
      ...{ 'ext:driver': name, 'ext:note': `seen by ${name}` },
    };
    const document = { '@context': contexts, type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-11-28T00:00:00Z' };
    return trade.api.post('/epcis/rice/capture', { ...document, epcisBody: { eventList: [event] } });
  };
  const erase = (subject: string): Promise<Json> => trade.api.post<Json>('/api/v1/privacy/erasures', { subject });

  /** Tables that say it. */
  async function tablesWith(name: string): Promise<string[]> {
    const rows = Object.entries(await everything(world.database.endpoint));
    return rows.flatMap(([table, all]) => (JSON.stringify(all).includes(name) ? [table] : []));
  }

  const ask = <Row extends Json>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    asSuperuser(world.database.endpoint, async (client) => (await client.query<Row>(sql, values)).rows);
  const erasures = async (): Promise<number> =>
    (await asSuperuser(world.database.endpoint, (client) => rowsOf(client, 'keys.erasure'))).length;

  it('is answered when deliveries with the value that had begun are over; what receivers answer with it is not kept, and no repetition has it', async () => {
    await capture(DELIVERED);
    await eventually('the delivery to be held', () => receiver.holding > 0);
    const before = await erasures();
    let answered = false;
    const erasing = erase(DELIVERED).finally(() => (answered = true));
    await eventually('the erasure to be committed', async () => (await erasures()) > before);
    expect(answered).toBe(false);
    const sent = receiver.bodies.length;
    receiver.echo(500);
    const receipt = await erasing;
    expect(receipt['beyondReach'].deliveries).toBeGreaterThan(0);
    expect(await tablesWith(DELIVERED)).toEqual([]);
    await eventually('its repetition', () => receiver.bodies.length > sent);
    expect(receiver.bodies.slice(sent).filter((body) => body.includes(DELIVERED))).toEqual([]);
    const echoed = await ask('select response_body from webhooks.attempt where status_code = 500');
    expect(echoed).toEqual([{ response_body: null }]);
  });

  it.each([
    ['messages to webhooks', 'webhooks.message', 'Trần Sắp Gửi', capture],
    ['events of the EPCIS repository', 'interchange.epcis_event', 'Trần Sắp Ghi', land],
  ])('waits for who has read the value and writes it into %s', async (_, table, name, plant) => {
    const blocker = new Client({ ...testServer().admin, database: world.database.endpoint.database });
    await blocker.connect();
    try {
      await blocker.query(`begin; lock table ${table} in share mode`);
      await plant(name);
      const writing = `select w.pid from pg_locks w join pg_locks h on h.pid = w.pid and h.locktype = 'advisory' and h.mode = 'ShareLock'
        where w.relation = $1::regclass and not w.granted`;
      await eventually('a writer that waits', async () => (await ask(writing, [table])).length > 0);
      const erasing = erase(name);
      await eventually(
        'the erasure to wait',
        async () => (await ask(`select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted`)).length > 0,
      );
      await blocker.query('commit');
      await erasing;
    } finally {
      await blocker.end();
    }
    expect(await tablesWith(name)).toEqual([]);
    const sent = receiver.bodies.length;
    await eventually(
      'what waits to be sent',
      async () => (await ask(`select from webhooks.delivery where status in ('pending', 'sending', 'retrying')`)).length === 0,
    );
    expect(receiver.bodies.slice(sent).filter((body) => body.includes(name))).toEqual([]);
  });

  it('is in the rest of a table that somebody is downloading: no page that is read after it has the value', async () => {
    const name = 'Trần Trong Bảng';
    const prepared = (who: string): Promise<Json> => trade.event(trade.farmA, harvestBy(who));
    const [newest, oldest, other] = [await prepared(name), await prepared(name), await prepared('Somebody Else')];
    await asSuperuser(world.database.endpoint, async (client) => {
      await client.query("set session_replication_role = 'replica'");
      await client.query(
        `insert into traceability.event select (jsonb_populate_record(e, jsonb_build_object('id', n.id, 'chain_event_id', '0x' || repeat('0', 32) ||
           replace(n.id::text, '-', ''), 'metadata', e.metadata || jsonb_build_object('remark', $2::text)))).*
         from traceability.event e cross join lateral (select gen_random_uuid() as id from generate_series(1, $3)) n where e.id = $1`,
        [other['eventId'], FILLER, ROWS],
      );
      for (const [{ eventId }, days] of [
        [newest, 1],
        [oldest, -1],
      ] as const)
        await client.query(`update traceability.event set event_time = event_time + $2 * interval '1 day' where id = $1`, [eventId, days]);
    });
    const { email, password } = world.tenant('rice').admin;
    const { accessToken } = await trade.api.post<Json>('/api/v2/auth/login', { email, password });
    const table = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = `${world.baseUrl}/api/v1/events?status=prepared&format=ndjson&all=true`;
      get(url, { headers: { authorization: `Bearer ${accessToken as string}` } }, resolve).on('error', reject);
    });
    // Its head is here, and nobody reads on.
    expect(table.statusCode).toBe(200);
    expect(await erase(name)).toMatchObject({ events: 2 });
    let text = '';
    for await (const part of table) text += (part as Buffer).toString();
    const lines = text.trim().split('\n');
    const placeOf = ({ eventId }: Json): number => lines.findIndex((line) => line.includes(`"id":"${eventId as string}"`));
    expect([placeOf(newest) < 500, placeOf(oldest) > ROWS - 10]).toEqual([true, true]);
    // What was read before is on its way.
    expect(lines[placeOf(newest)]).toContain(name);
    expect(lines[placeOf(oldest)]).toContain('"harvester":{"name":null,"phone":null}');
    expect(await tablesWith(name)).toEqual([]);
  });

  it('finds no answer with the values of a person kept, whatever key they were requested with', async () => {
    const name = 'Trần Đã Xuất';
    await land(name);
    const { email, password } = world.tenant('rice').admin;
    const { accessToken } = await trade.api.post<Json>('/api/v2/auth/login', { email, password });
    const answer = await fetch(`${world.baseUrl}/api/v1/privacy/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken as string}`, 'content-type': 'application/json', 'idempotency-key': 'export-1' },
      body: JSON.stringify({ value: name }),
    });
    expect(await answer.text()).toContain(name);
    expect(await tablesWith(name)).not.toContain('http.answer');
  });
});
