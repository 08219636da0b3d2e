import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EICAR, PlayedClamd } from '../harness/clamd.js';
import { World } from '../harness/world.js';

type Json = Record<string, any>;

/** A PDF of any size. */
const pdf = (bytes: number, seed = 'a'): Buffer => Buffer.concat([Buffer.from(`%PDF-1.7 ${seed}\n`), Buffer.alloc(bytes, 0x20)]);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('documents', () => {
  let world: World;
  let clamd: PlayedClamd;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    clamd = await PlayedClamd.start();
    world = await World.start({ CLAMD_URL: clamd.url });
    const { actors, admin } = world.tenant('rice');
    const wool = world.tenant('wool');
    for (const [name, tenantId, { email, password }] of [
      ['admin', 'rice', admin],
      ['farm', 'rice', actors['farmA']!],
      ['mill', 'rice', actors['mill']!],
      ['wool', 'wool', wool.admin],
    ] as const)
      tokens.set(name, ((await (await json('POST', '/api/v2/auth/login', { email, password, tenantId })).json()) as Json)['accessToken']);
  });
  afterAll(async () => {
    await world?.close();
    await clamd?.close();
  });

  const json = (method: string, path: string, body: object): Promise<Response> =>
    fetch(world.baseUrl + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const auth = (who: string): Record<string, string> => ({ authorization: `Bearer ${tokens.get(who)}` });
  const get = (who: string, path: string): Promise<Response> => fetch(world.baseUrl + path, { headers: auth(who) });
  const upload = (who: string, bytes: Buffer, fields: Json = {}, name = 'bill.pdf', headers = {}): Promise<Response> => {
    const form = new FormData();
    form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    for (const [key, value] of Object.entries(fields)) form.set(key, value as string);
    return fetch(`${world.baseUrl}/api/v1/documents`, { method: 'POST', headers: { ...auth(who), ...headers }, body: form });
  };
  const rows = (text: string, parameters: readonly unknown[]): Promise<object[]> =>
    world.database.unitOfWork.asSystem((tx) => tx.sql(text, parameters));
  const bodyOf = async (answer: Response): Promise<Json> => (await answer.json()) as Json;

  it('come back as they were, by the one who stored them, with the line for an event', async () => {
    // More than one part, and not a whole number of them.
    const bytes = pdf(600_000);
    const answer = await upload('farm', bytes, { type: 'BILL_OF_LADING', number: 'BL-1' }, '../Lieferschein "März"\\a.pdf');
    const document = await bodyOf(answer);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/api/v1/documents/${document['id']}`]);
    const line = { type: 'BILL_OF_LADING', number: 'BL-1', sha256: sha256(bytes), mediaType: 'application/pdf', visibility: 'restricted' };
    expect(document).toMatchObject({ name: 'a.pdf', size: bytes.length, scanned: true, reference: line });
    expect(clamd.scanned.at(-1)!.equals(bytes)).toBe(true);
    const content = await get('farm', `/api/v1/documents/${document['id']}/content`);
    expect([content.headers.get('content-type'), content.headers.get('content-disposition')]).toEqual([
      'application/pdf',
      `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`,
    ]);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    const found = await bodyOf(await get('farm', `/api/v1/documents?sha256=${sha256(bytes)}`));
    expect(found).toMatchObject({ total: 1, data: [document] });
  });

  it('are read by their organisation and by who reads all; public ones by every member of the tenant; by no other tenant', async () => {
    const [own, open] = [pdf(10, 'own'), pdf(10, 'open')];
    const { id } = await bodyOf(await upload('farm', own));
    const shown = (await bodyOf(await upload('farm', open, { visibility: 'public' })))['id'] as string;
    const statuses = async (document: string): Promise<number[]> =>
      Promise.all(['farm', 'admin', 'mill', 'wool'].map(async (who) => (await get(who, `/api/v1/documents/${document}/content`)).status));
    expect([await statuses(id), await statuses(shown)]).toEqual([
      [200, 200, 404, 404],
      [200, 200, 200, 404],
    ]);
    const listed = (await bodyOf(await get('mill', '/api/v1/documents')))['data'] as Json[];
    expect(listed.map((one) => one['id'])).toEqual([shown]);
  });

  it('are stored once in a tenant; who stores the same bytes gets a document of their own', async () => {
    const bytes = pdf(300_000, 'same');
    const before = world.storedBlocks();
    const answers = await Promise.all([upload('farm', bytes), upload('farm', bytes), upload('mill', bytes)]);
    const all = await Promise.all(answers.map(bodyOf));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 201, 201]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(2);
    expect((await upload('farm', bytes)).status).toBe(200);
    const files = (): Promise<object[]> => rows('select id from documents.file where sha256 = $1', [sha256(bytes)]);
    expect(await files()).toHaveLength(1);
    expect(world.storedBlocks()).toBeGreaterThan(before);
    // The file stays for the mill when the farm erases its document, and goes with the last one.
    const ids = new Map(all.map((one) => [one['orgId'], one['id'] as string]));
    const [farm, mill] = [...ids.values()];
    const erase = async (id: string): Promise<number> =>
      (await fetch(`${world.baseUrl}/api/v1/documents/${id}`, { method: 'DELETE', headers: auth('admin') })).status;
    expect(await erase(farm!)).toBe(204);
    expect((await get('admin', `/api/v1/documents/${mill}/content`)).status).toBe(200);
    expect([await erase(mill!), await erase(mill!)]).toEqual([204, 404]);
    expect(await files()).toEqual([]);
    const log = (await bodyOf(await get('admin', '/api/v1/audit?action=document.deleted')))['data'] as Json[];
    expect(log.map(({ subject }) => subject as string).toSorted()).toEqual([farm!, mill!].toSorted());
  });

  it('cost each organisation its bytes, once', async () => {
    const used = async (): Promise<number> => (await bodyOf(await get('admin', '/api/v1/usage')))['storedBytes'].used as number;
    const bytes = pdf(100_000, 'paid');
    const costs: number[] = [];
    for (const [who, fields] of [
      ['farm', {}],
      ['farm', {}],
      ['farm', { number: 'BL-2' }],
      ['mill', {}],
      ['mill', { type: 'X' }],
    ] as const) {
      const before = await used();
      await upload(who, bytes, fields);
      costs.push((await used()) - before);
    }
    expect(costs).toEqual([bytes.length, 0, 0, bytes.length, 0]);
  });

  it('are sealed in the store: no block has what was uploaded, and a lost block is said, not half a file', async () => {
    const secret = randomBytes(32).toString('hex');
    const { id } = await bodyOf(await upload('farm', pdf(300_000, secret), { visibility: 'public' }));
    expect(world.blocksWith(secret)).toBe(0);
    await rows(
      `update documents.part set cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
      where place = 0 and file_id = (select file_id from documents.document where id = $1)`,
      [id],
    );
    expect((await get('farm', `/api/v1/documents/${id}/content`)).status).toBe(503);
  });

  it('are refused with a virus, and while the scanner does not answer; nothing is stored then', async () => {
    const before = world.storedBlocks();
    const infected = await upload('farm', Buffer.from(`${EICAR}\n`), {}, 'note.txt');
    expect([infected.status, await bodyOf(infected)]).toEqual([422, expect.objectContaining({ code: 'document_infected' })]);
    for (const instead of ['hang up', 'INSTREAM size limit exceeded. ERROR']) {
      clamd.instead = instead;
      const answer = await upload('farm', pdf(200_000, instead));
      expect([answer.status, (await bodyOf(answer))['code']]).toEqual([503, 'virus_scanner_unavailable']);
    }
    clamd.instead = null;
    expect(world.storedBlocks()).toBe(before);
  });

  it.each<[string, Buffer | null, Json, number, string]>([
    ['without a file', null, { type: 'X' }, 400, 'malformed_request'],
    ['an empty one', Buffer.alloc(0), {}, 400, 'malformed_request'],
    ['of a type that runs', Buffer.from('#!/bin/sh\n'), {}, 422, 'document_type_refused'],
    ['with a wrong visibility', pdf(1), { visibility: 'secret' }, 400, 'malformed_request'],
    ['with an unknown part', pdf(1), { colour: 'red' }, 400, 'malformed_request'],
    ['that is too large', pdf(25 * 1024 * 1024 + 1), {}, 400, 'malformed_request'],
  ])('are refused %s', async (_, bytes, fields, status, code) => {
    const form = new FormData();
    if (bytes) form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'a.pdf');
    for (const [key, value] of Object.entries(fields)) form.set(key, value as string);
    const answer = await fetch(`${world.baseUrl}/api/v1/documents`, { method: 'POST', headers: auth('farm'), body: form });
    expect([answer.status, (await bodyOf(answer))['code']]).toEqual([status, code]);
  });

  it('are refused where the body is no multipart at all', async () => {
    const headers = { ...auth('farm'), 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await fetch(`${world.baseUrl}/api/v1/documents`, { method: 'POST', headers, body: '--y\r\n\r\nnothing' });
    expect([answer.status, (await bodyOf(answer))['errors']]).toEqual([400, [expect.objectContaining({ code: 'not_multipart' })]]);
    const elsewhere = await fetch(`${world.baseUrl}/api/v1/events/validate`, { method: 'POST', headers, body: '--x--' });
    expect(elsewhere.status).toBe(415);
  });

  it('are repeatable by their Idempotency-Key, and another file with the same key is refused', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const first = await bodyOf(await upload('farm', pdf(5, 'key'), {}, 'a.pdf', headers));
    const again = await upload('farm', pdf(5, 'key'), {}, 'a.pdf', headers);
    expect([again.headers.get('idempotency-replayed'), (await bodyOf(again))['id']]).toEqual(['true', first['id']]);
    expect((await upload('farm', pdf(5, 'other'), {}, 'a.pdf', headers)).status).toBe(422);
  });
});
