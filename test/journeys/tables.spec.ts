import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { openTable } from '#spreadsheets';
import { runCommand } from '../harness/command-line.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

/** A row of a table by its headers. */
type Row = Record<string, string>;

async function rowsOf(bytes: Buffer): Promise<Row[]> {
  const table = await openTable(bytes, { maxRows: 10_000 });
  const rows: (readonly (string | undefined)[])[] = [];
  for await (const some of table.rows()) for (const { cells } of some) rows.push(Array.from(cells, (cell) => cell?.text));
  const [headers = [], ...lines] = rows;
  return lines.map((line) => Object.fromEntries(headers.flatMap((name, i) => (line[i] === undefined ? [] : [[name!, line[i]]]))));
}

describe('tables of a tenant', () => {
  let world: World;
  let trade: RiceTrade;
  let folder: string;
  let secret: string;

  beforeAll(async () => {
    world = await World.start();
    trade = await RiceTrade.of(world);
    await world.play('rice');
    folder = mkdtempSync(join(tmpdir(), 'trace-tables-'));
    const { address } = trade.farmA;
    const members = await trade.api.get<{ data: Json[] }>('/api/v2/members');
    const { orgId } = members.data.find(({ wallet }) => wallet === address)!;
    const key = { name: 'sheets', roles: ['OPERATOR', 'COMPLIANCE'], orgId, wallet: address };
    secret = (await trade.api.post<{ secret: string }>('/api/v1/api-keys', key)).secret;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
  });

  const get = (path: string): Promise<Response> => fetch(`${world.baseUrl}/api/v1${path}`, { headers: { 'x-api-key': secret } });
  const file = async (path: string): Promise<Buffer> => {
    const answer = await get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    return Buffer.from(await answer.arrayBuffer());
  };
  const listed = async (path: string): Promise<Json[]> => ((await (await get(path)).json()) as { data: Json[] }).data;
  const cli = async (...args: readonly string[]): Promise<{ code: number; said: string }> => {
    const { code, stdout, stderr } = await runCommand(args, { TRACE_API_KEY: secret, TRACE_BASE_URL: world.baseUrl });
    return { code, said: stdout + stderr };
  };

  it.each([
    ['events', '/events?status=all', 'eventId', 'id'],
    ['lots', '/nfts?sort=tokenId', 'tokenId', 'tokenId'],
  ])('have every one of the %s, in each format alike', async (_, path, column, member) => {
    const items = await listed(`${path}&limit=100`);
    const ids = items.map((item) => String(item[member]));
    for (const format of ['csv', 'xlsx'])
      expect((await rowsOf(await file(`${path}&all=true&format=${format}`))).map((row) => row[column])).toEqual(ids);
    const lines = (await file(`${path}&all=true&format=ndjson`)).toString().trimEnd().split('\n');
    expect(lines.map((line) => String((JSON.parse(line) as Json)[member]))).toEqual(ids);
    const first = await get(`${path}&limit=2&format=csv`);
    expect((await rowsOf(Buffer.from(await first.arrayBuffer()))).map((row) => row[column])).toEqual(ids.slice(0, 2));
    const next = new URL(/<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!, `${world.baseUrl}/api/v1${path}`);
    expect((await rowsOf(await file(next.pathname.replace('/api/v1', '') + next.search))).map((row) => row[column])).toEqual(
      ids.slice(2, 4),
    );
    for (const refused of [`${path}&all=true`, `${path}&page=2&format=csv`])
      expect((await (await get(refused)).json()) as Json).toMatchObject({ code: 'malformed_request' });
  });

  it('have the transfers of an organisation, and the rows of reports as NDJSON', async () => {
    const { orgId } = (await listed('/events?limit=100')).find(({ processType }) => processType === 'RICE_MILLING')!['actor'] as Json;
    const path = `/custody/org/${orgId as string}?status=all`;
    const ids = (await listed(`${path}&limit=100`)).map(({ transferId }) => transferId as string);
    expect(ids.length).toBeGreaterThan(1);
    expect((await rowsOf(await file(`${path}&all=true&format=xlsx`))).map(({ transferId }) => transferId)).toEqual(ids);
    const report = (await (await get('/reports/suppliers')).json()) as Json;
    const lines = (await file('/reports/suppliers?format=ndjson')).toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(report['organizations']);
  });

  it('show nothing of another tenant, and nothing that the reader may not read', async () => {
    const other = await world.admin('wool');
    const text = await (await other.tables.events('ndjson')).getReader().read();
    expect(text.done).toBe(true);
    const stranger = (await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'reader', roles: ['OPERATOR'] })).secret;
    const csv = await new Response(
      await new TraceabilityClient(world.baseUrl, { apiKey: stranger }).tables.events('csv', { processType: 'RICE_HARVESTING' }),
    ).text();
    expect([csv.includes('RH-20260915-A1'), csv.includes('105.783412')]).toEqual([true, false]);
  });

  const ended = (id: string): Promise<Json> =>
    eventually(`the end of import ${id}`, async () => {
      const found = (await (await get(`/imports/${id}`)).json()) as Json;
      return ['waiting', 'running'].includes(found['state'] as string) ? undefined : found;
    });
  const mappingOf = (proposed: Json, processType: string): Json => ({
    processType,
    ...(proposed['proposal'].groupBy && { groupBy: proposed['proposal'].groupBy }),
    columns: (proposed['proposal'].columns as Json[]).map(({ questions: _questions, score: _score, ...column }) => column),
  });
  const imported = async (bytes: Buffer, processType: string): Promise<Json> => {
    const api = new TraceabilityClient(world.baseUrl, { apiKey: secret });
    const { id } = await api.imports.start(new Blob([new Uint8Array(bytes)]), 'again.csv', { processType });
    const proposed = await ended(id);
    expect((proposed['proposal'].columns as Json[]).flatMap(({ questions }) => questions as string[])).toEqual([]);
    await api.imports.check(id, { mapping: mappingOf(proposed, processType) });
    return ended(id);
  };

  it('of one process can be imported again: the same events under new codes', async () => {
    const codes = (await listed('/events?processType=RICE_HARVESTING')).map(({ outputTlc }) => outputTlc as string);
    const sheet = (await file('/events?processType=RICE_HARVESTING&all=true&format=csv')).toString();
    const renamed = codes.reduce((text, code) => text.replaceAll(code, `${code}9`), sheet);
    const checked = await imported(Buffer.from(renamed), 'RICE_HARVESTING');
    expect((await (await get(`/imports/${checked['id'] as string}/problems`)).json()) as Json).toMatchObject({ data: [] });
    const api = new TraceabilityClient(world.baseUrl, { apiKey: secret });
    await api.imports.prepare(checked['id'] as string, { rows: 'all' });
    expect(await ended(checked['id'] as string)).toMatchObject({ state: 'prepared', rows: { invalid: 0 } });
    const events = await listed('/events?processType=RICE_HARVESTING&status=all&limit=100');
    for (const code of codes) {
      const [one, other] = [code, `${code}9`].map((tlc) => events.find(({ outputTlc }) => outputTlc === tlc)!);
      expect([other!['status'], other!['metadata']]).toEqual(['prepared', one!['metadata']]);
    }
  });

  it('of a process with several inputs say each event in several lines, which are one event again', async () => {
    const sheet = await file('/events?processType=RICE_DRYING&all=true&format=xlsx');
    const lots = (await listed('/events?processType=RICE_DRYING')).map(({ inputTokenIds }) => (inputTokenIds as number[]).length);
    const rows = await rowsOf(sheet);
    const keys = [...new Set(rows.map((row) => row['event id']))];
    expect(keys.map((key) => rows.filter((row) => row['event id'] === key && row['inputTokenIds.0'] !== undefined).length)).toEqual(lots);
    const checked = await imported(sheet, 'RICE_DRYING');
    const { data } = (await (await get(`/imports/${checked['id'] as string}/problems`)).json()) as { data: Json[] };
    // They are used up: what was imported is the event of before.
    expect(checked['rows']).toMatchObject({ total: rows.length, invalid: rows.length });
    const codes = new Set(data.flatMap(({ problems }) => (problems as Json[]).map(({ code }) => code as string)));
    expect([...codes].toSorted()).toEqual(['group_invalid', 'lot_unknown'].filter((code) => codes.has(code)));
  });

  it('are written by commands, as are documents, imports and changes', async () => {
    const target = join(folder, 'lots.xlsx');
    expect(await cli('export', 'lots', '--format', 'xlsx', '--to', target)).toEqual({ code: 0, said: `${target} is written.\n` });
    expect((await rowsOf(readFileSync(target))).length).toBe((await listed('/nfts?limit=100')).length);
    expect(await cli('export', 'nothing', '--to', target)).toMatchObject({ code: 1, said: expect.stringContaining('404') });
    expect(await cli('export', 'transfers', '--to', target)).toMatchObject({ code: 1, said: expect.stringContaining('--org') });
    const note = join(folder, 'note.pdf');
    writeFileSync(note, '%PDF-1.7 a waybill');
    expect(await cli('document', note, '--type', 'WAYBILL')).toMatchObject({ code: 0, said: expect.stringContaining('"sha256"') });
    const sheet = join(folder, 'harvest.csv');
    writeFileSync(sheet, 'outputTlc,variety\nRH-20261101-CLI,Jasmine 85\n');
    expect(await cli('import', sheet, '--process', 'RICE_HARVESTING')).toMatchObject({
      code: 0,
      said: expect.stringContaining('"/outputTlc"'),
    });
    const mapping = join(folder, 'mapping.json');
    const column = { column: 'outputTlc', to: '/outputTlc', as: 'text' };
    writeFileSync(mapping, JSON.stringify({ processType: 'RICE_HARVESTING', columns: [column] }));
    expect(await cli('import', sheet, '--process', 'RICE_HARVESTING', '--mapping', mapping)).toMatchObject({
      code: 1,
      said: expect.stringMatching(/row 2: .*\n.* is checked: 0 rows valid, 1 with problems/s),
    });
    const changes = (await cli('follow', '--once', '--topics', 'nft.created')).said.trimEnd().split('\n');
    expect(JSON.parse(changes[0]!)).toMatchObject({ event: 'nft.created' });
    expect(JSON.parse(changes.at(-1)!)).toEqual({ cursor: expect.any(String) });
  });

  it('acknowledge a recall by command, and say what is wrong', async () => {
    const { tokenId } = await trade.harvest();
    await trade.land(trade.admin, trade.recall(trade.admin, tokenId, { reason: 'Glass' }));
    const { data } = await trade.api.recalls.list();
    const id = (data[0] as Json)['id'] as string;
    expect(await cli('acknowledge', id, '--lot', `${tokenId}=quarantined`)).toEqual({ code: 0, said: '{"changed":1}\n' });
    expect(await cli('acknowledge', id, '--lot', `${tokenId}=eaten`)).toMatchObject({
      code: 1,
      said: expect.stringContaining('not of the form'),
    });
    expect(await runCommand(['follow'], {})).toMatchObject({ code: 1, stderr: expect.stringContaining('TRACE_API_KEY') });
  });
});
