import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp, createLogger, openApi } from '#http';
import { identityPersistence } from '#identity';
import { saveParties } from '#identity/testing';
import { type Actor, LotKey, eventIdBytes, newId, ZERO_BYTES32 } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { keysPersistence } from '#sealed-contents';
import { traceabilityPersistence } from '#traceability';
import { LogWriter, ReadsModule, landingParts } from '#traceability/testing';

type Json = Record<string, any>;

const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const FARM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const MILL = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const KG = 1_000_000n;
const SPECIFIED = [
  ...['id', 'tokenId', 'tenantId', 'tlc', 'assetType', 'assetTypeName', 'processMapName', 'status', 'custodian', 'custodianLabel'],
  ...['custodianLabelKind', 'metadataCid', 'metadata', 'txHash', 'blockNumber', 'dataHash', 'expiresAt', 'pendingCustodian', 'mintEventId'],
  ...['eventCount', 'createdAt'],
];
/** docs/spec/domain.md#event-record */
const EVENT_RECORD = [
  ...['id', 'tenantId', 'processType', 'processId', 'processLabel', 'processMapName', 'processMapVersion', 'kind', 'containmentMode'],
  ...['status', 'eventTime', 'eventTimeZoneOffset', 'recordTime', 'landedAt', 'late', 'actor', 'inputTokenIds', 'inputs', 'outputTlc'],
  ...['outputCustodian', 'outputTokenIds', 'outputs', 'location', 'metadata', 'ipfsCid', 'dataHash', 'documents', 'kde', 'warnings'],
  ...['txHash', 'blockNumber', 'logIndex', 'chainId', 'contractAddress', 'errorDeclaration', 'supersedes', 'supersededBy'],
  ...['createdAt', 'updatedAt'],
];
const GTIN = '09520123450014';
const FIELDS_MAP = {
  key: 'fields',
  assetTypes: { WHEAT: { name: 'Wheat', uom: 'KGM', gtin: GTIN } },
  processes: { HARVEST: { label: 'Harvest', kind: 'creation', visibility: { public: ['/variety', '/location/country', '/a~1b'] } } },
};

const ANY_TEXT: unknown = expect.any(String);

describe('reading lots and events', () => {
  let db: TestDatabase;
  let app: NestFastifyApplication;
  let base: string;
  let actor: Actor;
  let tenantId: string;
  let finalBlock = 100;
  const { content, handler, parties } = landingParts('demo', { [FARM]: 'org-farm', [MILL]: 'org-mill' });
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });

  beforeAll(async () => {
    db = await cloneTestDatabase([identityPersistence, traceabilityPersistence, keysPersistence]);
    const module = ReadsModule.of({
      unitOfWork: db.unitOfWork,
      parties,
      actor: () => actor,
      finalBlock: () => finalBlock,
      chainId: 31_337,
    });
    const config = { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } };
    app = await createHttpApp(module, { config, logger: createLogger({ level: 'error' }, silent) });
    openApi(app);
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await app.close();
    await db.drop();
  });
  beforeEach(async () => {
    finalBlock = 100;
    tenantId = newId();
    be({});
    await saveParties(db.unitOfWork, tenantId, [
      { address: FARM, name: 'org-farm' },
      { address: MILL, name: 'org-mill' },
    ]);
    await db.unitOfWork.inTransaction({ tenantId }, (tx) =>
      tx.sql(
        `insert into traceability.process_map (tenant_id, name, version, document, cid, published_at, published_by) values ($1, 'fields', '1.0.0', $2, 'bafk', now(), 'test')`,
        [tenantId, JSON.stringify(FIELDS_MAP)],
      ),
    );
  });

  function be(changes: Partial<Actor>): void {
    actor = {
      kind: 'user',
      id: 'u',
      tenantId,
      tenantSlug: 'demo',
      roles: ['OPERATOR'],
      roleScopes: {},
      orgId: 'org-farm',
      wallet: FARM,
      wallets: [FARM],
      ...changes,
    };
  }
  const get = async (path: string): Promise<{ status: number; body: Json }> => {
    const response = await fetch(base + path);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const found = async (path: string): Promise<any[]> => (await get(path)).body.data;
  const land = (book: LogWriter): Promise<void> => db.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, book.batch()));

  /** Harvests with stored content, as another client of the contract would record them. */
  async function harvest(
    book: LogWriter,
    tlc: string,
    options: {
      readonly id?: string;
      readonly at?: string;
      readonly expiresAt?: bigint;
      readonly gtin?: string;
      readonly serial?: string;
    } = {},
  ) {
    const { id = newId(), at = '2026-08-31T06:00:00Z', expiresAt = 0n, gtin = GTIN, serial = null } = options;
    const names = { tlc, gtin, serial };
    const metadata = {
      eventTime: at,
      eventTimeZoneOffset: '+00:00',
      variety: 'Jasmine',
      price: 3,
      'a/b': 1,
      location: { name: 'Field 7', country: 'VN' },
    };
    const { dataHash } = await content.keep({
      ...{
        v: 1,
        chainId: 31_337,
        contract: CONTRACT,
        eventId: id,
        processType: 'HARVEST',
        processMap: 'fields',
        processMapVersion: '1.0.0',
      },
      ...{ outputs: [{ ...names, assetType: 'WHEAT', uom: 'KGM' }], metadata },
    });
    book.record({
      id,
      processType: 'HARVEST',
      actor: FARM,
      dataHash,
      outputs: [{ tlc, tlcHash: LotKey.of(names).hash, assetType: 'WHEAT', custodian: FARM, quantity: 8n * KG, expiresAt }],
    });
    return id;
  }

  describe('a lot', () => {
    it('has every field of the specification, whatever is known of it', async () => {
      const book = new LogWriter(CONTRACT);
      const id = await harvest(book, 'W-1');
      book.record({ id: newId(), processType: 'UNKNOWN', actor: MILL, outputs: [{ tlc: 'secret', custodian: MILL }] });
      await land(book);
      const [unknown, known] = await found('/api/v1/nfts');
      for (const lot of [unknown, known]) expect(Object.keys(lot)).toEqual(expect.arrayContaining(SPECIFIED));
      expect(known).toMatchObject({
        ...{
          tokenId: 1,
          tenantId: 'demo',
          tlc: 'W-1',
          assetType: 'WHEAT',
          assetTypeName: 'Wheat',
          processMapName: 'fields',
          processMapVersion: '1.0.0',
        },
        ...{
          status: 'active',
          custodian: FARM,
          custodianLabel: 'org-farm',
          custodianLabelKind: 'organization',
          mintEventId: id,
          eventCount: 1,
        },
        ...{ quantity: 8, remainingQuantity: 8, uom: 'KGM', digitalLink: `https://id.gs1.org/01/${GTIN}/10/W-1`, expiresAt: null },
        ...{ createdAt: '2026-09-01T00:00:01.000Z', blockNumber: 1, confirmed: true, resolved: true, containerTokenId: null },
      });
      expect(unknown).toMatchObject({ tokenId: 2, resolved: false, assetType: null, metadata: null, quantity: null, digitalLink: null });
    });

    it.each(['A-1', 'lot/7', '%40', '100%', 'a b', 'ä', 'x?y&z=#1', '%2F', '+1'])('is found by its code %s', async (tlc) => {
      const book = new LogWriter(CONTRACT);
      await harvest(book, tlc);
      await land(book);
      const { status, body } = await get(`/api/v1/nfts/by-tlc/${encodeURIComponent(tlc)}`);
      expect({ status, tlc: body.tlc }).toEqual({ status: 200, tlc });
    });

    it('is distinguished from others with its code by GTIN and serial number', async () => {
      const book = new LogWriter(CONTRACT);
      const [CASE, link] = ['09520123450021', 'https://id.gs1.org/01'];
      await harvest(book, 'ABC1234');
      await harvest(book, 'ABC1234', { gtin: CASE });
      for (const serial of ['S1', 'S2']) await harvest(book, 'ABC1234', { gtin: CASE, serial });
      await harvest(book, 'ITEMS', { gtin: CASE, serial: 'S3' });
      await harvest(book, 'S4', { gtin: CASE, serial: 'S4' });
      await land(book);
      const [byCode, asked] = ['/api/v1/nfts/by-tlc/ABC1234', encodeURIComponent];
      const several = await get(byCode);
      expect([several.status, several.body.code]).toEqual([409, 'tlc_ambiguous']);
      const held = { splitFrom: null, custodian: FARM };
      expect(several.body.candidates).toEqual([
        { tokenId: 2, key: `${link}/${CASE}/10/ABC1234`, gtin: CASE, serial: null, ...held },
        { tokenId: 1, key: `${link}/${GTIN}/10/ABC1234`, gtin: GTIN, serial: null, ...held },
        { tokenId: 4, key: `${link}/${CASE}/21/S2`, gtin: CASE, serial: 'S2', ...held },
        { tokenId: 3, key: `${link}/${CASE}/21/S1`, gtin: CASE, serial: 'S1', ...held },
      ]);
      const tokenOf = async (path: string) => (await get(path)).body.tokenId ?? (await get(path)).status;
      expect(await tokenOf(`${byCode}?gtin=${GTIN}`)).toBe(1);
      expect(await tokenOf(`${byCode}?gtin=${CASE.slice(1)}`)).toBe(2);
      expect(await tokenOf(`${byCode}?gtin=${CASE}&serial=S2`)).toBe(4);
      expect(await tokenOf(`${byCode}?gtin=${CASE}&serial=S9`)).toBe(404);
      expect(await tokenOf('/api/v1/nfts/by-tlc/ITEMS')).toBe(5);
      expect(await tokenOf('/api/v1/nfts/by-tlc/S4')).toBe(6);
      expect(await tokenOf(`/api/v1/nfts/by-tlc/${asked(`${link}/${CASE}/10/ABC1234/21/S1`)}`)).toBe(3);
      expect(await tokenOf(`/api/v1/nfts/by-tlc/${asked(`${link}/${CASE}/10/ABC1234`)}`)).toBe(2);
      expect((await get(`${byCode}?gtin=12`)).status).toBe(400);
      const listed = async (query: string) => ((await get(`/api/v1/nfts?${query}`)).body.data as Json[]).map(({ tokenId }) => tokenId);
      expect(await listed(`tlc=${asked(`${link}/${GTIN}/10/ABC1234`)}`)).toEqual([1]);
      expect(await listed(`tlc=ABC&gtin=${CASE}&serial=S1`)).toEqual([3]);
      expect((await get(`/api/v1/events?tlc=${asked(`${link}/${CASE}/21/S2`)}`)).body.data).toMatchObject([{ outputTokenIds: [4] }]);
      expect((await get('/api/v1/nfts/4')).body).toMatchObject({
        tlc: 'ABC1234',
        gtin: CASE,
        serial: 'S2',
        digitalLink: `${link}/${CASE}/21/S2`,
      });
    });

    it('is the one that lives under a code, and the voided one when none does', async () => {
      const book = new LogWriter(CONTRACT);
      const first = await harvest(book, 'AGAIN');
      book.send('EventVoided', { eventId: eventIdBytes(first), actor: FARM, dataHash: ZERO_BYTES32 });
      await land(book);
      expect((await get('/api/v1/nfts/by-tlc/AGAIN')).body).toMatchObject({ tokenId: 1, status: 'retired', retireReason: 'voided' });
      const later = book.mine();
      await harvest(later, 'AGAIN');
      await db.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, later.batch(2)));
      expect((await get('/api/v1/nfts/by-tlc/AGAIN')).body).toMatchObject({ tokenId: 2, status: 'active' });
    });

    it('is marked unconfirmed until its latest change is final', async () => {
      const book = new LogWriter(CONTRACT);
      await harvest(book, 'W');
      await land(book);
      finalBlock = 0;
      expect((await get('/api/v1/nfts/1')).body).toMatchObject({ confirmed: false });
    });

    it('of another tenant, unknown, or no lot at all is a clear refusal', async () => {
      const book = new LogWriter(CONTRACT);
      await harvest(book, 'W');
      await land(book);
      expect(await get('/api/v1/nfts/9')).toMatchObject({ status: 404, body: { code: 'lot_not_found' } });
      expect(await get('/api/v1/nfts/-1')).toMatchObject({ status: 400 });
      expect(await get('/api/v1/nfts/99999999999999999999')).toMatchObject({ status: 400 });
      be({ tenantId: newId() });
      expect(await get('/api/v1/nfts/1')).toMatchObject({ status: 404 });
      expect(await get('/api/v1/nfts/by-tlc/W')).toMatchObject({ status: 404 });
      expect(await found('/api/v1/nfts')).toEqual([]);
      expect(await get('/api/v1/nfts/1/events')).toMatchObject({ status: 404 });
    });
  });

  describe('the list of lots', () => {
    async function stock(): Promise<LogWriter> {
      const book = new LogWriter(CONTRACT);
      for (let i = 1; i <= 5; i++) await harvest(book, `W-${i}`, i === 5 ? { expiresAt: 1n } : {});
      book.offer([1n], FARM, MILL);
      book.send('LotsRecalled', { actor: FARM, dataHash: ZERO_BYTES32, tokenIds: [2n] });
      await land(book);
      return book;
    }

    it('pages by number and by cursor, newest first, with an exact total', async () => {
      await stock();
      const { body: first } = await get('/api/v1/nfts?limit=2');
      expect(first).toMatchObject({ total: 5, page: 1, limit: 2 });
      expect(first.data.map((lot: Json) => lot.tokenId)).toEqual([5, 4]);
      expect((await found('/api/v1/nfts?limit=2&page=2')).map((lot) => lot.tokenId)).toEqual([3, 2]);
      const { body: second } = await get(`/api/v1/nfts?limit=3&cursor=${first.nextCursor}`);
      expect(second.data.map((lot: Json) => lot.tokenId)).toEqual([3, 2, 1]);
      expect((await get(`/api/v1/nfts?limit=3&cursor=${second.nextCursor}`)).body).toMatchObject({ data: [], nextCursor: null, total: 5 });
    });

    it.each([
      ['status=in_transit', [1]],
      ['status=recalled', [2]],
      ['status=expired', [5]],
      ['status=active', [4, 3]],
      ['tlc=W-3', [3]],
      ['tlc=W-', [1, 2, 3, 4, 5]],
      ['tlc=w', []],
      [`custodian=${FARM.toLowerCase()}&assetType=WHEAT&processMap=fields`, [5, 4, 3, 2, 1]],
      [`custodian=${MILL}`, []],
      ['processMap=other', []],
    ])('is narrowed by %s', async (query, tokenIds) => {
      await stock();
      expect((await found(`/api/v1/nfts?${query}`)).map((lot) => lot.tokenId)).toEqual(tokenIds);
    });

    it('pages by expiry to its end, past dates that are further than a year of four digits', async () => {
      const book = new LogWriter(CONTRACT);
      for (const [i, expiresAt] of [0n, (1n << 40n) - 1n, 1n, 4_102_444_800n].entries()) await harvest(book, `W-${i + 1}`, { expiresAt });
      await land(book);
      const seen: number[] = [];
      for (let cursor = ''; ;) {
        const { status, body } = await get(`/api/v1/nfts?sort=expiresAt&limit=1${cursor}`);
        expect(status).toBe(200);
        seen.push(...body.data.map((lot: Json) => lot.tokenId));
        if (body.nextCursor === null || seen.length > 4) break;
        cursor = `&cursor=${body.nextCursor}`;
      }
      expect(seen).toEqual([3, 4, 2, 1]);
    });

    it.each(['status=lost', 'page=0', 'limit=101', 'custodian=me', 'cursor=abc', 'cursor=WyJ4Il0'])('refuses %s', async (query) => {
      expect(await get(`/api/v1/nfts?${query}`)).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
    });
  });

  describe('metadata', () => {
    const whole = { variety: 'Jasmine', price: 3, location: { name: 'Field 7', country: 'VN' }, 'a/b': 1 };
    beforeEach(async () => {
      const book = new LogWriter(CONTRACT);
      await harvest(book, 'W');
      await land(book);
    });

    it.each<[string, Partial<Actor>]>([
      ['the organisation that recorded it', {}],
      ['an auditor of another one', { orgId: 'org-mill', roles: ['AUDITOR'] }],
      ['compliance', { orgId: null, roles: ['COMPLIANCE'] }],
      ['the tenant admin', { orgId: null, roles: ['TENANT_ADMIN'] }],
    ])('is shown whole to %s', async (_, who) => {
      be(who);
      expect((await get('/api/v1/nfts/1')).body.metadata).toMatchObject(whole);
      const [event] = await found('/api/v1/events');
      expect(event).toMatchObject({ metadata: whole, location: whole.location });
    });

    it('shows anybody else what the process map calls public', async () => {
      be({ orgId: 'org-mill' });
      const shown = { variety: 'Jasmine', location: { country: 'VN' }, 'a/b': 1 };
      expect((await get('/api/v1/nfts/1')).body.metadata).toEqual(shown);
      const [event] = await found('/api/v1/events');
      expect(event).toMatchObject({ metadata: shown, location: { country: 'VN' } });
    });
  });

  describe('events', () => {
    it('come newest first by the time they happened, and page by cursor without a slip', async () => {
      const book = new LogWriter(CONTRACT);
      const days = ['03', '01', '02', '02'];
      const ids: string[] = [];
      for (const day of days) ids.push(await harvest(book, `D-${ids.length}`, { at: `2026-08-${day}T00:00:00Z` }));
      const timeless = newId();
      book.record({ id: timeless, processType: 'UNKNOWN', actor: MILL });
      await land(book);
      const expected = [ids[0]!, ...[ids[2]!, ids[3]!].toSorted((a, b) => (a < b ? -1 : 1)), ids[1]!, timeless];
      expect((await found('/api/v1/events')).map((event) => event.id)).toEqual(expected);
      const walked: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await get(`/api/v1/events?limit=2${cursor && `&cursor=${cursor}`}`);
        walked.push(...body.data.map((event: Json) => event.id));
        if (!body.nextCursor) break;
        cursor = body.nextCursor;
      }
      expect(walked).toEqual(expected);
    });

    it('have the shape that the spec decides', async () => {
      const book = new LogWriter(CONTRACT);
      const id = await harvest(book, 'W');
      book.record({
        id: newId(),
        processType: 'MILL',
        actor: FARM,
        inputs: [1n],
        consumed: [2n * KG],
        outputs: [{ tlc: 'F', custodian: FARM, quantity: KG }],
      });
      await land(book);
      const { body } = await get(`/api/v1/events/${id}`);
      expect(Object.keys(body)).toEqual(expect.arrayContaining(EVENT_RECORD));
      expect(body).toMatchObject({
        ...{ tenantId: 'demo', processType: 'HARVEST', processLabel: 'Harvest', kind: 'creation', status: 'recorded', chainId: 31_337 },
        ...{
          eventTime: '2026-08-31T06:00:00.000Z',
          landedAt: '2026-09-01T00:00:01.000Z',
          outputTlc: 'W',
          outputTokenIds: [1],
          confirmed: true,
        },
        actor: { address: FARM, did: `did:pkh:eip155:31337:${FARM}`, orgId: 'org-farm', orgName: 'org-farm' },
        outputs: [{ tokenId: 1, tlc: 'W', assetType: 'WHEAT', role: 'main', quantity: 8, uom: 'KGM' }],
      });
      const milling = (await found('/api/v1/events')).find((event) => event.inputTokenIds.length > 0);
      expect(milling.inputs).toEqual([
        { tokenId: 1, tlc: 'W', gtin: GTIN, serial: null, assetType: 'WHEAT', quantity: 2, uom: 'KGM', consumption: 'partial' },
      ]);
    });

    it.each([
      ['processType=HARVEST', 2],
      ['processType=harvest', 0],
      ['kind=creation', 2],
      ['status=voided', 1],
      ['status=recorded', 2],
      ['status=prepared', 0],
      ['status=all', 3],
      ['tokenId=1', 2],
      ['tlc=W-1', 2],
      ['tlc=W-2', 1],
      ['orgId=org-mill', 1],
      ['from=2026-08-31', 2],
      ['from=2026-08-31T06:00:00Z&to=2026-08-31T06:00:00.001Z', 2],
      ['to=2026-08-31T06:00:00Z', 0],
    ])('are narrowed by %s', async (query, count) => {
      const book = new LogWriter(CONTRACT);
      await harvest(book, 'W-1');
      const voided = await harvest(book, 'W-2');
      book.record({ id: newId(), processType: 'LOOK', actor: MILL, inputs: [1n], consumed: [0n] });
      book.send('EventVoided', { eventId: eventIdBytes(voided), actor: FARM, dataHash: ZERO_BYTES32 });
      await land(book);
      expect(await found(`/api/v1/events?${query}`)).toHaveLength(count);
    });

    it.each([
      ['from=2026-08-31T06:00:00', '/from', 'no_time_zone'],
      ['to=2026-08-31T06:00', '/to', 'no_time_zone'],
      ['from=2026-02-30', '/from', 'invalid_time'],
      ['from=2026-08-31T25:00:00Z', '/from', 'invalid_time'],
      ['from=yesterday', '/from', 'invalid_time'],
      ['from=2026-09-02&to=2026-09-01', '/from', 'from_after_to'],
      ['cursor=abc', '/cursor', 'invalid_cursor'],
      ['cursor=WyJ4IiwieSJd', '/cursor', 'invalid_cursor'],
      ['status=gone', '/status', ANY_TEXT],
      ['tokenId=1.5', '/tokenId', ANY_TEXT],
      ['limit=0', '/limit', ANY_TEXT],
    ])('are not asked for by %s', async (query, pointer, code) => {
      const { status, body } = await get(`/api/v1/events?${query}`);
      expect({ status, code: body.code, errors: body.errors }).toEqual({
        ...{ status: 400, code: 'malformed_request' },
        errors: [{ pointer, code, message: ANY_TEXT }],
      });
    });

    it('read an unescaped plus sign of an offset as what it was meant for', async () => {
      const book = new LogWriter(CONTRACT);
      await harvest(book, 'W');
      await land(book);
      expect(await found('/api/v1/events?from=2026-08-31T13:00:00+07:00')).toHaveLength(1);
      expect(await found('/api/v1/events?from=2026-08-31T13:00:01%2B07:00')).toHaveLength(0);
    });

    it('page by cursors that mean nothing elsewhere', async () => {
      const book = new LogWriter(CONTRACT);
      for (const tlc of ['A', 'B', 'C']) await harvest(book, tlc);
      await land(book);
      const { nextCursor } = (await get('/api/v1/events?limit=2&kind=creation')).body;
      expect(await found(`/api/v1/events?limit=1&kind=creation&cursor=${nextCursor}`)).toHaveLength(1);
      const foreign = { status: 400, body: { errors: [{ pointer: '/cursor', code: 'foreign_cursor' }] } };
      expect(await get(`/api/v1/events?limit=2&cursor=${nextCursor}`)).toMatchObject(foreign);
      expect(await get(`/api/v1/nfts/1/events?cursor=${nextCursor}`)).toMatchObject(foreign);
      be({ tenantId: newId() });
      expect(await get(`/api/v1/events?limit=2&kind=creation&cursor=${nextCursor}`)).toMatchObject(foreign);
    });

    it('that come late are listed at their eventTime, and a cursor between them does not shift', async () => {
      const book = new LogWriter(CONTRACT);
      const [old, young] = [
        await harvest(book, 'A', { at: '2026-08-10T00:00:00Z' }),
        await harvest(book, 'B', { at: '2026-08-30T00:00:00Z' }),
      ];
      await land(book);
      const { body: first } = await get('/api/v1/events?limit=1');
      const block = book.mine().blockNumber;
      const late = await harvest(book, 'C', { at: '2026-08-20T00:00:00Z' });
      const early = await harvest(book, 'D', { at: '2026-08-31T00:00:00Z' });
      await db.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, book.batch(block)));
      expect((await found(`/api/v1/events?limit=5&cursor=${first.nextCursor}`)).map(({ id }) => id)).toEqual([late, old]);
      expect((await found('/api/v1/events')).map(({ id }) => id)).toEqual([early, young, late, old]);
      const { body } = await get(`/api/v1/events/${late}`);
      expect(body).toMatchObject({ late: true, eventTime: '2026-08-20T00:00:00.000Z', landedAt: '2026-09-01T00:00:02.000Z' });
    });

    it('outside the process scope are left out of lists, and refused one by one', async () => {
      const book = new LogWriter(CONTRACT);
      const [id, unknown] = [await harvest(book, 'W'), newId()];
      book.record({ id: unknown, processType: 'UNKNOWN', actor: MILL, inputs: [1n], consumed: [0n] });
      await land(book);
      be({ roleScopes: { OPERATOR: ['HARV*'] } });
      expect((await found('/api/v1/events')).map((event) => event.id)).toEqual([id]);
      expect((await found('/api/v1/nfts/1/events')).map((event) => event.id)).toEqual([id]);
      expect(await get(`/api/v1/events/${unknown}`)).toMatchObject({ status: 403, body: { code: 'process_out_of_scope' } });
      be({ roleScopes: { OPERATOR: ['H_RVEST', '%'] } });
      expect(await found('/api/v1/events')).toEqual([]);
      expect(await get(`/api/v1/events/${id}`)).toMatchObject({ status: 403 });
      be({ roleScopes: { OPERATOR: [] } });
      expect(await found('/api/v1/events')).toEqual([]);
      expect(await get('/api/v1/nfts/1')).toMatchObject({ status: 200 });
      be({ roles: ['OPERATOR', 'AUDITOR'], roleScopes: { OPERATOR: [] } });
      expect(await found('/api/v1/events')).toHaveLength(2);
    });

    it('of another tenant, or that never were, are not found', async () => {
      const book = new LogWriter(CONTRACT);
      const id = await harvest(book, 'W');
      await land(book);
      be({ tenantId: newId() });
      for (const unknown of [id, newId(), 'no-uuid']) expect(await get(`/api/v1/events/${unknown}`)).toMatchObject({ status: 404 });
    });
  });

  it('is described by the OpenAPI document', async () => {
    const { body } = await get('/openapi.json');
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        '/api/v1/nfts',
        '/api/v1/nfts/{tokenId}',
        '/api/v1/nfts/by-tlc/{tlc}',
        '/api/v1/nfts/{tokenId}/events',
        '/api/v1/events',
        '/api/v1/events/{id}',
      ]),
    );
    expect(Object.keys(body.components.schemas.LotView.properties)).toEqual(expect.arrayContaining(SPECIFIED));
  });
});
