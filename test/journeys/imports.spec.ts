import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { documentXml } from '#interchange/testing';
import { eventually } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';
import { World } from '../harness/world.js';
import { RiceTrade } from './rice-trade.js';

type Json = Record<string, any>;

/** Scalars of an object by their pointers. */
function scalars(value: unknown, pointer: string): { to: string; value: { is: unknown } }[] {
  if (typeof value !== 'object' || value === null) return [{ to: pointer, value: { is: value } }];
  return Object.entries(value).flatMap(([name, inner]) => scalars(inner, `${pointer}/${name}`));
}

describe('an import', () => {
  let world: World;
  let node: LyingRpc;
  let trade: RiceTrade;
  let token: string;
  let constants: { to: string; value: { is: unknown } }[];

  beforeAll(async () => {
    world = await World.start({}, undefined, undefined, async (nodeUrl) => {
      node = await LyingRpc.before(nodeUrl);
      return node.url;
    });
    trade = await RiceTrade.of(world);
    const { email, password } = world.tenant('rice').actors['farmA']!;
    token = (await trade.api.post<{ accessToken: string }>('/api/v2/auth/login', { email, password, tenantId: 'rice' })).accessToken;
    const { quantity: _, variety: _variety, harvestedOn: _on, ...rest } = trade.metadataOf('RICE_HARVESTING');
    constants = scalars(rest, '/metadata');
  });
  afterAll(async () => {
    await world?.close();
    await node?.close();
  });

  const auth = (): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Json }> => {
    const answer = await fetch(`${world.baseUrl}/api/v1${path}`, {
      method,
      headers: { ...auth(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const said = await answer.text();
    return { status: answer.status, body: said === '' ? {} : (JSON.parse(said) as Json) };
  };
  const send = async (text: string | Uint8Array, fields: Record<string, string> = {}, name = 'Ernte.csv'): Promise<Json> => {
    const form = new FormData();
    form.set('file', new Blob([text as string]), name);
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    const answer = await fetch(`${world.baseUrl}/api/v1/imports`, { method: 'POST', headers: auth(), body: form });
    return { status: answer.status, ...((await answer.json()) as Json) };
  };
  const ended = (id: string): Promise<Json> =>
    eventually(`the end of import ${id}`, async () => {
      const { body } = await call('GET', `/imports/${id}`);
      return ['waiting', 'running'].includes(body['state'] as string) ? undefined : body;
    });
  const header = 'Charge;Erntedatum;Menge;Einheit;Sorte';
  const mapping = (): Json => ({
    processType: 'RICE_HARVESTING',
    columns: [
      { column: 'Charge', to: '/outputTlc', as: 'text' },
      { column: 'Erntedatum', to: '/metadata/harvestedOn', as: 'date', dateForm: 'DD.MM.YYYY' },
      { column: 'Menge', to: '/metadata/quantity/value', as: 'number', decimal: ',' },
      { column: 'Einheit', to: '/metadata/quantity/uom', as: 'unit' },
      { column: 'Sorte', to: '/metadata/variety', as: 'text' },
    ],
    constants,
  });
  const tlc = (number: number): string => `RH-20260513-I${String(number).padStart(3, '0')}`;
  const line = (number: number, amount = '1.234,5', unit = 'kg', date = '13.05.2026'): string =>
    `${tlc(number)};${date};${amount};${unit};Jasmine 85`;

  it('proposes a mapping, names each wrong cell, gives the file back, and prepares what is right, once', async () => {
    const file = [
      header,
      line(1),
      line(2, 'viel'),
      line(3, '3', 'Sack'),
      line(4, '5', 'kg', '31.02.2026'),
      line(5, '0,5', 't'),
      line(6, '-7'),
    ].join('\n');
    const begun = await send(`\uFEFF${file}`, { processType: 'RICE_HARVESTING' });
    expect([begun['status'], begun['task']]).toEqual([201, 'propose']);
    const id = begun['id'] as string;
    const proposed = await ended(id);
    expect(proposed).toMatchObject({ state: 'proposed', format: 'csv', proposal: { separator: ';', headerRow: 1 } });
    expect((proposed['proposal'] as Json)['columns']).toContainEqual(expect.objectContaining({ column: 'Charge', to: '/outputTlc' }));
    expect((await call('POST', `/imports/${id}/prepare`, { rows: 'valid' })).body).toMatchObject({ code: 'import_without_mapping' });
    expect((await call('POST', `/imports/${id}/check`, { mapping: mapping() })).status).toBe(200);
    expect(await ended(id)).toMatchObject({ state: 'checked', failure: null, rows: { total: 6, done: 6, valid: 2, invalid: 4 } });
    const problems = (await call('GET', `/imports/${id}/problems`)).body['data'] as Json[];
    expect(problems.map(({ row, problems: [first] }) => [row, first.column, first.header])).toEqual([
      [3, 'C', 'Menge'],
      [4, 'D', 'Einheit'],
      [5, 'B', 'Erntedatum'],
      [7, 'C', 'Menge'],
    ]);
    const marked = await (await fetch(`${world.baseUrl}/api/v1/imports/${id}/file`, { headers: auth() })).text();
    expect(marked.split('\r\n')[2]).toMatch(/RH-20260513-I002.*C: “viel” is no number/);
    expect((await call('POST', `/imports/${id}/prepare`, { rows: 'all' })).body).toMatchObject({ code: 'import_not_checked' });
    expect((await call('POST', `/imports/${id}/prepare`, { rows: 'valid' })).status).toBe(200);
    expect(await ended(id)).toMatchObject({ state: 'prepared', rows: { prepared: 2, invalid: 4, repeated: 0 } });
    const events = (await call('GET', `/imports/${id}/events`)).body['data'] as Json[];
    expect(events.map(({ row, event }) => [row, event.outputTlc])).toEqual([
      [2, tlc(1)],
      [6, tlc(5)],
    ]);
    const { body } = await call('GET', `/events/${events[0]!['eventId']}`);
    expect([body['status'], body['metadata'].quantity, body['metadata'].harvestedOn]).toEqual([
      'prepared',
      { value: 1234.5, uom: 'KGM' },
      '2026-05-13',
    ]);
    // The check and the preparation, to who started them.
    const finished = await eventually('both changes', async () => {
      const { data } = (await call('GET', '/changes?topics=import.finished')).body as { data: Json[] };
      return data.length >= 2 && data;
    });
    expect(
      finished.map(({ data: { importId, format, dryRun, outcome, invalidRows } }) => [importId, format, dryRun, outcome, invalidRows]),
    ).toEqual([
      [id, 'csv', true, 'finished', 4],
      [id, 'csv', false, 'finished', 4],
    ]);
    // In another file, and again in this one: what says the same is the same event.
    const again = await send([header, line(1), line(9)].join('\n'), { mappingId: await saved() }, 'again.csv');
    expect(await ended(again['id'] as string)).toMatchObject({ state: 'checked', rows: { valid: 1, invalid: 0, repeated: 1 } });
    await call('POST', `/imports/${again['id']}/prepare`, { rows: 'all' });
    expect(await ended(again['id'] as string)).toMatchObject({ state: 'prepared', rows: { prepared: 1, repeated: 1 } });
    const other = (await call('GET', `/imports/${again['id']}/events`)).body['data'] as Json[];
    expect(other.map(({ eventId, event }) => [eventId, event === null])).toEqual([
      [events[0]!['eventId'], true],
      [expect.any(String), false],
    ]);
  });

  const saved = async (): Promise<string> => {
    const first = await call('POST', '/import-mappings', { name: 'Ernte', partner: 'Hof', mapping: mapping() });
    const second = await call('POST', '/import-mappings', { name: 'Ernte', partner: 'Hof', mapping: mapping() });
    expect([first.body['version'], second.body['version']]).toEqual([1, 2]);
    expect((await call('GET', `/import-mappings/${first.body['id']}`)).body).toEqual(first.body);
    expect((await call('GET', '/import-mappings?partner=Hof')).body['total']).toBe(2);
    return second.body['id'] as string;
  };

  it('keeps mappings until who kept them deletes them, and uses no number of a version twice while the name is kept', async () => {
    const keep = async (): Promise<Json> => (await call('POST', '/import-mappings', { name: 'Kurz', mapping: mapping() })).body;
    const [first, second] = [await keep(), await keep()];
    const key = await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'no owner', roles: ['OPERATOR'] });
    const url = (id: string): string => `${world.baseUrl}/api/v1/import-mappings/${id}`;
    expect((await fetch(url(second['id'] as string), { method: 'DELETE', headers: { 'x-api-key': key.secret } })).status).toBe(403);
    expect((await call('DELETE', `/import-mappings/${second['id']}`)).status).toBe(204);
    expect((await call('DELETE', `/import-mappings/${second['id']}`)).body['code']).toBe('import_mapping_not_found');
    expect((await call('GET', `/import-mappings/${second['id']}`)).body['code']).toBe('import_mapping_not_found');
    const third = await keep();
    expect(third['version']).toBe(3);
    expect((await call('GET', '/import-mappings?name=Kurz')).body['data'].map(({ version }: Json) => version as number)).toEqual([3, 1]);
    expect(
      (await fetch(url(first['id'] as string), { method: 'DELETE', headers: { authorization: `Bearer ${await adminToken()}` } })).status,
    ).toBe(204);
    // With its last version the name goes, which may be a person's.
    expect((await call('DELETE', `/import-mappings/${third['id']}`)).status).toBe(204);
    expect((await keep())['version']).toBe(1);
  });

  const adminToken = async (): Promise<string> => {
    const { email, password } = world.tenant('rice').admin;
    return (await trade.api.post<{ accessToken: string }>('/api/v2/auth/login', { email, password, tenantId: 'rice' })).accessToken;
  };

  /** A harvest as EPCIS. */
  const harvest = (code: string, more: Json = {}): Json => {
    const {
      eventTime,
      eventTimeZoneOffset,
      location,
      quantity: _,
      footprint: _footprint,

      ...rest
    } = trade.metadataOf('RICE_HARVESTING');
    return {
      ...{ type: 'ObjectEvent', action: 'ADD', bizStep: 'commissioning', disposition: 'active', eventTime, eventTimeZoneOffset },
      readPoint: { id: 'https://id.gs1.org/414/9520000100018' },
      quantityList: [{ epcClass: `${world.baseUrl}/id/rice/lot/${code}`, quantity: 8000, uom: 'KGM' }],
      'trc:metadata': { ...rest, location },
      ...more,
    };
  };
  const xmlOf = (...events: Json[]): string =>
    documentXml(events, { version: '2.0', createdAt: '2026-11-28T00:00:00Z', terms: `${world.baseUrl}/ns/trc#`, queryName: null });

  it('reads EPCIS in XML: names each wrong event, marks it, and prepares the others, once', async () => {
    const events = [1, 2, 3, 4].map((i) => harvest(`RH-20260514-X${i}`));
    const wrong = [
      { ...events[1], disposition: 'lost' },
      { ...events[3], bizStep: 'packing' },
    ];
    const begun = await send(xmlOf(events[0]!, wrong[0]!, events[2]!, wrong[1]!, events[0]!), {}, 'harvests.xml');
    expect([begun['task'], begun['format']]).toEqual(['check', 'epcis']);
    const id = begun['id'] as string;
    const checked = await ended(id);
    expect(checked).toMatchObject({ state: 'checked', failure: null, rows: { total: 5, valid: 2, invalid: 3 } });
    const problems = (await call('GET', `/imports/${id}/problems`)).body['data'] as Json[];
    expect(problems.map(({ row, problems: [first] }) => [row, first.header, first.code])).toEqual([
      [2, 'disposition', expect.any(String)],
      [4, 'bizStep', 'process_missing'],
      [5, null, 'event_repeated'],
    ]);
    const marked = await (await fetch(`${world.baseUrl}/api/v1/imports/${id}/file`, { headers: auth() })).text();
    expect(marked.match(/<!-- Event \d[^>]*-->(?=<ObjectEvent)/g)).toEqual([
      expect.stringMatching(/^<!-- Event 2: disposition: /),
      expect.stringMatching(/^<!-- Event 4: bizStep: /),
      expect.stringMatching(/^<!-- Event 5: /),
    ]);
    expect((await call('POST', `/imports/${id}/prepare`, { rows: 'valid' })).status).toBe(200);
    expect(await ended(id)).toMatchObject({ state: 'prepared', rows: { prepared: 2, invalid: 3 } });
    const prepared = (await call('GET', `/imports/${id}/events`)).body['data'] as Json[];
    expect(prepared.map(({ row, event }) => [row, event.outputTlc, typeof event.preparedTx.data])).toEqual([
      [1, 'RH-20260514-X1', 'string'],
      [3, 'RH-20260514-X3', 'string'],
    ]);
    // The file that was marked is a document still, and what was prepared before is known in it.
    const again = await send(marked, {}, 'again.xml');
    expect(await ended(again['id'] as string)).toMatchObject({ state: 'checked', rows: { repeated: 2, invalid: 3, valid: 0 } });
    const broken = await send(xmlOf(events[0]!).slice(0, -20), {}, 'cut.xml');
    expect(await ended(broken['id'] as string)).toMatchObject({ state: 'failed', failure: { code: 'not_xml' } });
    const bomb = await send(`<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${xmlOf(events[0]!)}`, {}, 'entities.xml');
    expect(await ended(bomb['id'] as string)).toMatchObject({
      state: 'failed',
      failure: { code: expect.stringMatching(/document_type|not_xml/) },
    });
  });

  it.each(['rows', 'events of EPCIS'])('blames no row while an engine is away, tries again, and loses nothing of %s', async (kind) => {
    const numbers = kind === 'rows' ? [701, 702] : [];
    const file =
      kind === 'rows'
        ? [header, ...numbers.map((n) => line(n, `${n}`))].join('\n')
        : xmlOf(harvest('RH-20260515-Y1'), harvest('RH-20260515-Y2'));
    const { id } = await send(file, kind === 'rows' ? { mappingId: await savedOnce() } : {});
    expect(await ended(id as string)).toMatchObject({ state: 'checked', rows: { valid: 2 } });
    let failed = 0;
    node.lieAbout('eth_estimateGas', () => {
      failed++;
      throw { code: -32603, message: 'the node is away' };
    });
    await call('POST', `/imports/${id}/prepare`, { rows: 'all' });
    const given = await ended(id as string);
    expect(given).toMatchObject({ state: 'failed', failure: { code: 'internal_error' }, rows: { invalid: 0 } });
    expect([failed > 1, (await call('GET', `/imports/${id}/problems`)).body['total']]).toEqual([true, 0]);
    failed = 0;
    await call('POST', `/imports/${id}/resume`);
    await eventually('a try that fails', () => failed > 0);
    node.answerHonestly();
    expect(await ended(id as string)).toMatchObject({ state: 'prepared', failure: null, rows: { invalid: 0 } });
    const { data } = (await call('GET', `/imports/${id}/events`)).body as { data: Json[] };
    expect(data.map(({ event }) => typeof event?.preparedTx.data)).toEqual(['string', 'string']);
  });

  it('is cancelled at the next rows, and goes on where it was', async () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => line(i + 100, `${i + 1}`));
    const { id } = await send([header, ...rows].join('\n'), { mappingId: await savedOnce() });
    await call('POST', `/imports/${id}/cancel`);
    const stopped = await ended(id as string);
    // The job may have ended before.
    expect(stopped['state']).toMatch(/cancelled|checked/);
    expect((await call('POST', `/imports/${id}/resume`)).status).toBe(200);
    expect(await ended(id as string)).toMatchObject({ state: 'checked', rows: { total: 3_000, valid: 3_000 } });
    expect((await call('POST', `/imports/${id}/cancel`)).body['code']).toBe('import_not_underway');
    expect((await call('DELETE', `/imports/${id}`)).status).toBe(204);
    expect((await call('GET', `/imports/${id}`)).body['code']).toBe('import_not_found');
  });

  const savedOnce = async (): Promise<string> =>
    (await call('POST', '/import-mappings', { name: 'Once', mapping: mapping() })).body['id'] as string;

  it('fails with the reason in words: a file that is no table, a mapping that does not fit', async () => {
    const broken = await send('a;b\n"x;1', { processType: 'RICE_HARVESTING' });
    expect(await ended(broken['id'] as string)).toMatchObject({ state: 'failed', failure: { code: 'quotes_broken' } });
    const other = await send('a;b\n1;2', { mappingId: await savedOnce() });
    expect(await ended(other['id'] as string)).toMatchObject({
      state: 'failed',
      failure: { code: 'mapping_does_not_fit', message: expect.stringContaining('no column “Charge”') },
    });
    expect(await send('a;b\n1;2', { processType: 'NOTHING' })).toMatchObject({ status: 422, code: 'import_process_unknown' });
    expect(await send('a;b\n1;2', { mappingId: 'x' })).toMatchObject({ status: 404, code: 'import_mapping_not_found' });
  });

  it('is changed by its own organisation and by who administers, not by who only reads all', async () => {
    const begun = await send(`${header}\n${line(1)}`, { processType: 'RICE_HARVESTING' });
    const id = begun['id'] as string;
    await ended(id);
    const key = await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads all', roles: ['AUDITOR'] });
    const asAuditor = async (method: string, path: string, body?: object): Promise<number> => {
      const headers = { 'x-api-key': key.secret, ...(body && { 'content-type': 'application/json' }) };
      const answer = await fetch(`${world.baseUrl}/api/v1/imports/${id}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return answer.status;
    };
    expect(await asAuditor('GET', '')).toBe(200);
    expect(await asAuditor('POST', '/check', { mapping: mapping() })).toBe(403);
    expect(await asAuditor('POST', '/prepare', { rows: 'valid' })).toBe(403);
    expect(await asAuditor('POST', '/resume')).toBe(403);
    expect(await asAuditor('POST', '/cancel')).toBe(403);
    expect((await call('POST', `/imports/${id}/check`, { mapping: mapping() })).status).toBe(200);
    expect(await ended(id)).toMatchObject({ state: 'checked' });
  });

  it('has no mapping that is larger than lists could hold', async () => {
    const kept = (count: number, length: number): Promise<{ status: number; body: Json }> => {
      const lookup = { x: 'y'.repeat(length) };
      const columns = Array.from({ length: count }, (_, i) => ({ column: `c${i}`, to: `/metadata/c${i}`, as: 'text', lookup }));
      return call('POST', '/import-mappings', { name: 'M', mapping: { processType: 'RICE_HARVESTING', columns } });
    };
    const tooLarge = (pointer: string): Json => ({ errors: [{ pointer, code: 'too_large' }] });
    expect((await kept(1, 1)).status).toBe(201);
    expect(await kept(1, 70_000)).toMatchObject({ status: 400, body: tooLarge('/mapping/columns/0/lookup') });
    expect(await kept(10, 10_000)).toMatchObject({ status: 422, body: tooLarge('/mapping') });
  });

  it('begins with a template, whose columns are all known', async () => {
    const answer = await fetch(`${world.baseUrl}/api/v1/import-templates/RICE_HARVESTING`, { headers: auth() });
    const book = new Uint8Array(await answer.arrayBuffer());
    const sheet = strFromU8(unzipSync(book)['xl/worksheets/sheet1.xml']!);
    expect(sheet).toContain('>outputTlc<');
    expect(sheet).toContain('>quantity.value<');
    const { id } = await send(book, { processType: 'RICE_HARVESTING' }, 'template.xlsx');
    const proposed = await ended(id as string);
    const { headers, columns } = proposed['proposal'] as Json;
    expect([proposed['format'], (columns as Json[]).length]).toEqual(['xlsx', (headers as Json[]).length]);
  });
});
