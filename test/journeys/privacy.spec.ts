import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { TraceabilityClient } from '#client';
import { checkDisclosure, type Disclosure, readEnvelope } from '#envelope';
import { cloneTestDatabase } from '#persistence/testing';
import { SynchroniseErasures } from '#traceability/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { asSuperuser, everything, restoreKept, rowsOf } from '../harness/dump.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { notesOf, PersonPlants, type Plants } from './privacy-plants.js';
import { codeOf, type Json, RiceTrade } from './rice-trade.js';

const NAME = 'Lê Thị Kỳ Lạ';
const PHONE = '+84 97 315 20 46';
const CREW = { name: NAME, phone: PHONE };
const OTHER = 'Phạm Văn Khác';
const FIELD = 'Ruộng bà Lạ 77';
/** Characters as they are, and as JSON and logs may write them. */
const SPELLINGS = [NAME, PHONE, FIELD, PHONE.replaceAll(' ', ''), JSON.stringify(NAME)];

/** Without when it was answered. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([name]) => !/^(generatedAt|asOf.*|elapsedMs)$/.test(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, lasting(member)]));
}

describe('a person in the contents of events', () => {
  let world: World;
  let trade: RiceTrade;
  let admin: TraceabilityClient;
  let log = '';
  let harvest: Json;
  let amendment: Json;
  let draft: Json;
  let persons: PersonPlants;
  let plants: Plants;
  let notes: Awaited<ReturnType<typeof notesOf>>;
  let dump: Awaited<ReturnType<typeof everything>>;
  let answers: Json;
  let disclosed: Json;

  beforeAll(async () => {
    const stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        log += chunk.toString();
        done();
      },
    });
    world = await World.start({ LOG_LEVEL: 'info', METRICS_PORT: '0' }, pino({ level: 'info' }, stream));
    trade = await RiceTrade.of(world);
    admin = trade.api;
    const metadata = { ...trade.metadataOf('RICE_HARVESTING'), harvester: CREW, fieldName: FIELD };
    harvest = await trade.land(
      trade.farmA,
      trade.event(trade.farmA, { processType: 'RICE_HARVESTING', outputTlc: 'RH-20261101-P1', metadata }),
    );
    const other = { ...metadata, harvester: { name: OTHER, phone: '+84 11 111 11 11' }, fieldName: 'Elsewhere' };
    await trade.land(
      trade.farmA,
      trade.event(trade.farmA, { processType: 'RICE_HARVESTING', outputTlc: 'RH-20261101-P2', metadata: other }),
    );
    amendment = await admin.post<Json>(`/api/v1/events/${harvest['eventId']}/supersede/prepare`, {
      metadata: { ...metadata, remark: 'read again' },
    });
    await trade.admin.land(amendment['preparedTx'], 'supersede');
    const tokenId = await trade.tokenOf('RH-20261101-P1');
    await trade.handOver([tokenId]);
    await trade.land(trade.mill, trade.dry([{ tokenId, tlc: 'RH-20261101-P1' }]));
    draft = await trade.event(trade.farmA, { processType: 'RICE_HARVESTING', outputTlc: 'RH-20261101-P3', metadata });
    persons = new PersonPlants(world);
    plants = await persons.plant(NAME, { ...metadata, fieldName: 'Elsewhere' });
    notes = await notesOf(trade, NAME, 'RH-20261101-P2');
    const answered = await keyed(
      '/api/v1/events/validate',
      { processType: 'RICE_HARVESTING', outputTlc: 'RH-20261101-P4', metadata: { harvester: NAME } },
      'v',
    );
    expect(answered.status).toBe(200);
    dump = await everything(world.database.endpoint);
    answers = await facts();
  });
  afterAll(() => world?.close());

  const keyed = async (path: string, body: object, key: string): Promise<Response> =>
    fetch(`${world.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  const token = async (): Promise<string> => {
    const { email, password } = world.tenant('rice').admin;
    const login = await fetch(`${world.baseUrl}/api/v2/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    return ((await login.json()) as { accessToken: string }).accessToken;
  };
  const erase = (body: object): Promise<Json> => admin.post<Json>('/api/v1/privacy/erasures', body);
  const entries = async (action: string): Promise<Json[]> => (await admin.get<{ data: Json[] }>(`/api/v1/audit?action=${action}`)).data;
  const event = (id: string): Promise<Json> => admin.get<Json>(`/api/v1/events/${id}`);
  const opened = (id: string): Promise<Json> => admin.get<Json>(`/api/v1/events/${id}/content/opened`);

  /** What must be the same after the erasure, and after a reprojection. */
  async function facts(): Promise<Json> {
    const { data } = await admin.get<{ data: Json[] }>('/api/v1/nfts?limit=100');
    const lots = data.map(({ tokenId, tlc, status, quantity, expiresAt }) => ({ tokenId, tlc, status, quantity, expiresAt }));
    const last = Math.max(...lots.map(({ tokenId }) => Number(tokenId)));
    const paths = ['ancestry', 'descendants', 'footprint', 'recall-impact'];
    const said = await Promise.all(paths.map((path) => admin.get<Json>(`/api/v1/nfts/${last}/${path}`)));
    const { mass } = await event(harvest['eventId'] as string);
    return {
      lots,
      said: lasting(said),
      mass,
    };
  }

  /** Places in which one of the spellings is. */
  async function places(): Promise<string[]> {
    const found: string[] = [];
    const note = (place: string, text: string): void => {
      if (SPELLINGS.some((spelling) => text.includes(spelling))) found.push(place);
    };
    for (const [table, rows] of Object.entries(await everything(world.database.endpoint))) note(table, JSON.stringify(rows));
    await asSuperuser(world.database.endpoint, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'bullmq'`,
      );
      for (const { name } of rows) note(name, JSON.stringify(await rowsOf(client, name)));
    });
    const folder = world.environment.DATA_DIR!;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) note(`file ${entry.name}`, readFileSync(join(entry.parentPath, entry.name)).toString());
    note('log', log);
    note('metrics', await (await fetch(world.service.metricsUrl!)).text());
    return found;
  }

  it('is found by name and by number, however they are written, with what else may be theirs', async () => {
    for (const value of [
      NAME.toUpperCase(),
      NAME.normalize('NFD'),
      ` ${NAME.replaceAll(' ', '  ')} `,
      '+84973152046',
      '(84) 97 3152-046',
    ]) {
      const { events, complete, copies } = await admin.post<Json>('/api/v1/privacy/subjects', { value });
      expect(complete).toBe(true);
      expect((copies as Json[]).filter(({ table }) => table === 'keys.content_key')).toEqual(
        /\d/.test(value) ? [] : [{ table: 'keys.content_key', rows: 4 }],
      );
      expect((events as Json[]).map(({ eventId }) => eventId as string).toSorted()).toEqual(
        [...[harvest, amendment, draft].map(({ eventId }) => eventId as string), plants.importedId].toSorted(),
      );
      const [first] = events as Json[];
      const values = (first!['values'] as Json[]).map(({ pointer, erasable }) => `${pointer as string} ${String(erasable)}`);
      expect(values.toSorted()).toEqual(['/metadata/harvester/name true', '/metadata/harvester/phone true']);
      expect(first!['others']).toEqual(expect.arrayContaining(['/metadata/fieldName', '/metadata/plot/id']));
      expect(JSON.stringify({ events, copies })).not.toContain(NAME);
    }
    const asked = await entries('privacy.searched');
    expect(asked).toHaveLength(5);
    for (const entry of asked) expect(entry).toMatchObject({ subject: null, details: { events: 4, values: 8, complete: true } });
    const exported = await admin.post<Json>('/api/v1/privacy/export', { value: NAME });
    expect(await entries('privacy.exported')).toMatchObject([
      { actorId: asked[0]!['actorId'], subject: null, details: { events: 4, values: 8, complete: true } },
    ]);
    expect((exported['events'][0].values as Json[]).map(({ value }) => value as string).toSorted()).toEqual([NAME, PHONE].toSorted());
    expect((await admin.post<Json>('/api/v1/privacy/subjects', { value: 'Nobody Here' }))['events']).toEqual([]);
  });

  it('is found and erased by TENANT_ADMIN and COMPLIANCE only, with a request that says what', async () => {
    for (const path of ['subjects', 'export'])
      expect(await codeOf(trade.farmA.api.post(`/api/v1/privacy/${path}`, { value: NAME }))).toMatch(/^403/);
    expect(await codeOf(trade.farmA.api.post('/api/v1/privacy/erasures', { subject: NAME }))).toMatch(/^403/);
    const wool = await world.admin('wool');
    expect((await wool.post<Json>('/api/v1/privacy/subjects', { value: NAME }))['events']).toEqual([]);
    expect(await codeOf(wool.post('/api/v1/privacy/erasures', { eventId: harvest['eventId'], pointers: ['/metadata/harvester'] }))).toBe(
      '404 event_not_found',
    );
    for (const body of [
      {},
      { eventId: harvest['eventId'] },
      { subject: NAME, pointers: ['/x'] },
      { eventId: harvest['eventId'], pointers: ['/a'], classes: ['personal'] },
    ])
      expect(await codeOf(erase(body))).toBe('selection');
    expect(await codeOf(erase({ subject: 'x' }))).toMatch(/^min|length|subject|40/);
  });

  it('is not erased where the value is public, needed, sealed with others, or not there', async () => {
    const of = (pointers: string[]): Promise<string> => codeOf(erase({ eventId: harvest['eventId'], pointers }));
    expect(await of(['/metadata/variety'])).toBe('not_erasable');
    expect(await of(['/metadata/quantity'])).toMatch(/^needed_for_record/);
    expect(await of(['/metadata/method'])).toBe('not_separable');
    expect(await of(['/metadata/harvester', '/metadata/nothing'])).toBe('nothing_sealed');
    expect(await codeOf(erase({ eventId: harvest['eventId'], classes: ['restricted'] }))).toMatch(/^needed_for_record/);
    expect(await event(harvest['eventId'] as string)).toMatchObject({ contentState: 'open', erased: [], metadata: { harvester: CREW } });
  });

  it('is erased with everything that repeats it, once, however many ask at the same time', async () => {
    expect(await places()).toContain('traceability.event');
    disclosed = await admin.get<Json>(`/api/v1/events/${harvest['eventId']}/disclosures?pointers=/metadata/harvester`);
    expect(disclosed['disclosures']).toHaveLength(2);
    const reads = Array.from({ length: 20 }, () => event(harvest['eventId'] as string).then(({ metadata }) => metadata.harvester as Json));
    const exported = (): Promise<string> =>
      admin.get<Json>('/api/v1/events?format=epcis&all=true').then((document) => JSON.stringify(document));
    const exports = Promise.all(Array.from({ length: 4 }, exported));
    const [first, second, ...seen] = await Promise.all([
      keyed('/api/v1/privacy/erasures', { subject: NAME }, 'erase-1').then((answer) => answer.json() as Promise<Json>),
      erase({ subject: NAME }),
      ...reads,
    ]);
    for (const harvester of seen) expect([CREW, { name: null, phone: null }]).toContainEqual(harvester);
    // None breaks off; what begins afterwards has the value nowhere.
    for (const text of await exports) expect(text).toContain('RH-20261101-P2');
    expect(await exported()).not.toContain(NAME);
    expect([first, second].map(({ events, values }) => `${events as number} ${values as number}`).toSorted()).toEqual(['0 0', '4 8']);
    expect([first, second].map(({ notes: taken }) => taken as number).toSorted((a, b) => a - b)).toEqual([0, notes.erasable.length]);
    const receipt = [first, second].find(({ values }) => values > 0)!;
    expect(receipt).toMatchObject({
      beyondReach: { disclosures: 1, deliveries: 0 },
      left: [],
      kept: [{ table: 'keys.content_key', rows: 1 }],
    });
    expect(new Date(receipt['backupsUntil'] as string).getTime() - new Date(receipt['erasedAt'] as string).getTime()).toBe(35 * 86_400_000);
    // The field is theirs too: that only a person knows.
    expect(await erase({ eventId: harvest['eventId'], pointers: ['/metadata/fieldName'] })).toMatchObject({ events: 2, values: 2 });
    expect(await erase({ eventId: draft['eventId'], pointers: ['/metadata/fieldName'] })).toMatchObject({ events: 1, values: 1 });
    expect(await erase({ eventId: draft['eventId'], pointers: ['/metadata/fieldName'] })).toMatchObject({ events: 0, values: 0 });
    const again = await keyed('/api/v1/privacy/erasures', { subject: NAME }, 'erase-1');
    expect(((await again.json()) as Json)['id']).toBe(first['id']);
  });

  it('reads null in the record, and says erased in evidence; all else is as it was', async () => {
    const id = harvest['eventId'] as string;
    const erased = ['/metadata/harvester/name', '/metadata/harvester/phone', '/metadata/fieldName'];
    const record = await event(id);
    expect(record).toMatchObject({
      contentState: 'erased',
      metadata: { harvester: { name: null, phone: null }, fieldName: null, method: 'combine' },
    });
    expect((record['erased'] as string[]).toSorted()).toEqual(erased.toSorted());
    const evidence = await opened(id);
    const gone = { erased: true };
    expect(evidence).toMatchObject({
      state: 'erased',
      content: { metadata: { harvester: { name: gone, phone: gone }, fieldName: gone, method: 'combine' } },
    });
    const { status, links } = await admin.get<{ status: string; links: Json[] }>(`/api/v1/events/${id}/verify`);
    expect([status, ...links.map((link) => `${link['link']}: ${link['status']}`)]).toEqual([
      'erased',
      ...['bytes_cid: ok', 'cid_data_hash: ok', 'data_hash_chain: ok', 'record_content: erased', 'content_sender: ok', 'record_chain: ok'],
    ]);
    expect(await codeOf(admin.get(`/api/v1/events/${id}/disclosures?pointers=/metadata/harvester`))).toBe('nothing_sealed');
    const { disclosures } = await admin.get<Json>(`/api/v1/events/${id}/disclosures?pointers=/metadata/plot`);
    expect((disclosures as Json[]).length).toBeGreaterThan(0);
    expect(await facts()).toEqual(answers);
    expect((await admin.post<Json>('/api/v1/privacy/subjects', { value: OTHER }))['events']).toHaveLength(1);
  });

  it('is still proven by a disclosure that was given before: the recorder committed to it, and the block is the same', async () => {
    const { block } = await opened(harvest['eventId'] as string);
    expect(block).toBe(disclosed['block']);
    const envelope = readEnvelope(Buffer.from(disclosed['block'] as string));
    const proven = (disclosed['disclosures'] as Disclosure[]).map((one) => checkDisclosure(envelope, one).value as string);
    expect(proven.toSorted()).toEqual([NAME, PHONE].toSorted());
  });

  it('takes notes of offers, retirements and error declarations as a whole, and leaves the notice of a recall', async () => {
    const keys = await asSuperuser(world.database.endpoint, async (client) => rowsOf(client, 'keys.content_key'));
    const held = keys.filter(({ is_note: isNote }) => isNote).map(({ cid }) => cid as string);
    expect(held).toContain(notes.notice);
    expect(held.filter((cid) => notes.erasable.includes(cid))).toEqual([]);
    const { copies } = await admin.post<Json>('/api/v1/privacy/subjects', { value: NAME });
    expect(copies).toEqual([{ table: 'keys.content_key', rows: 1 }]);
  });

  it('is kept in a named query until that is deleted, and the receipt says so', async () => {
    const path = '/epcis/rice/queries';
    const query = { 'EQ_https://ext.example/driver': NAME, GE_eventTime: '2020-01-01T00:00:00Z' };
    await admin.post(path, { name: 'of-a-driver', query: { ...query } });
    const stays = { table: 'interchange.epcis_query', rows: 1 };
    const before = await admin.post<Json>('/api/v1/privacy/subjects', { value: NAME });
    expect(before['copies']).toContainEqual(stays);
    expect(await erase({ subject: NAME })).toMatchObject({ events: 0, values: 0, notes: 0, kept: expect.arrayContaining([stays]) as Json });
    expect(JSON.stringify(await admin.get(`${path}/of-a-driver`))).toContain(NAME);
    await admin.request('DELETE', `${path}/of-a-driver`);
    expect((await erase({ subject: NAME }))['kept']).toEqual([{ table: 'keys.content_key', rows: 1 }]);
  });

  it('takes along the file that it was imported with, and is blank in what was kept as it came', async () => {
    expect(await persons.status(`/api/v1/imports/${plants.importId}`)).toBe(404);
    const kept = await asSuperuser(world.database.endpoint, async (client) => rowsOf(client, 'interchange.epcis_event'));
    const ours = kept.filter(({ event_id: id }) => id === plants.kept).map((row) => JSON.parse(row['event'] as string) as Json);
    expect(ours.length).toBeGreaterThan(0);
    for (const one of ours) expect(one).toMatchObject({ 'ext:driver': null, 'ext:note': 'seen by [erased]', bizStep: 'shipping' });
    expect(await persons.delete(`/api/v1/documents/${plants.documentId}`)).toBe(204);
    // As a job does every minute.
    await world.service.app.get(SynchroniseErasures).keep();
    const written = readFileSync(join(world.environment.DATA_DIR!, 'erasure', 'erasures.jsonl'), 'utf8');
    const erasures = await asSuperuser(world.database.endpoint, async (client) => rowsOf(client, 'keys.erasure'));
    expect(erasures.filter(({ id }) => !written.includes(id as string))).toEqual([]);
    expect(erasures.filter(({ contents }) => (contents as Json[]).some(({ eventId }) => eventId === null))).toHaveLength(2);
  });

  it('is nowhere in the database, the folders, the log and the metrics', async () => {
    expect(log.length).toBeGreaterThan(1_000);
    expect(await places()).toEqual([]);
    const erasures = await entries('values.erased');
    expect(erasures.length).toBeGreaterThanOrEqual(4);
    const taken = erasures.map(({ details }) => `${details.events as number} ${details.values as number} ${details.notes as number}`);
    expect(taken).toEqual(expect.arrayContaining(['1 1 0', `4 8 ${notes.erasable.length}`]));
  });

  it('is in the files of the database until its tables are written again', async () => {
    expect(await filesWith(NAME)).not.toEqual([]);
    await asSuperuser(world.database.endpoint, (client) => client.query('vacuum (full, analyze)'));
    for (const spelling of SPELLINGS) expect([spelling, await filesWith(spelling)]).toEqual([spelling, []]);
  });

  /** Tables and indexes whose files have these bytes, in rows that nobody reads any more too. */
  const filesWith = (text: string): Promise<string[]> =>
    asSuperuser(world.database.endpoint, async (client) => {
      await client.query('checkpoint');
      const { rows } = await client.query<{ name: string }>(
        `select c.oid::regclass::text as name from pg_class c cross join lateral pg_relation_filepath(c.oid) as path
         where path is not null and position($1::bytea in pg_read_binary_file(path, 0, 1000000000, true)) > 0 order by 1`,
        [Buffer.from(text)],
      );
      return rows.map(({ name }) => name);
    });

  it('stays erased when a dump of before is restored, and the chain is read again from chain, store and keys', async () => {
    await world.stop();
    const other = await cloneTestDatabase(contexts);
    await restoreKept(dump, other.endpoint);
    await world.startAgain(other);
    admin = await world.admin('rice');
    await eventuallyHolds(async () => expect(await facts()).toEqual(answers));
    expect(await event(harvest['eventId'] as string)).toMatchObject({
      ...{ contentState: 'erased', resolved: true },
      metadata: { harvester: { name: null, phone: null }, fieldName: null, method: 'combine' },
    });
    expect(await opened(harvest['eventId'] as string)).toMatchObject({ state: 'erased' });
    expect(await codeOf(admin.get(`/api/v1/documents/${plants.documentId}`))).toBe('404 document_not_found');
    expect((await places()).filter((place) => place !== 'log')).toEqual([]);
  });
});
