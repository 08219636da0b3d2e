import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '#http';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Answered, faultsAgainst, hasRenderings } from './dpp-renderings.js';
import { dppBackUpSuite } from './dpp-back-up.suite.js';
import { dppRegistrySuite } from './dpp-registry.suite.js';
import { dppGrantsSuite } from './dpp-grants.suite.js';
import { dppPacksSuite } from './dpp-packs.suite.js';
import { dppVersionsSuite } from './dpp-versions.suite.js';
import { dppPostmanSuite } from './dpp-postman.suite.js';
import { CellMaker, GTIN, MODEL_GTIN } from './dpp-world.js';
import type { Json } from './rice-trade.js';

const ITEM = `https://id.gs1.org/01/${GTIN}/21/PACK0001`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('passports of EN 18223 by the methods of EN 18222', () => {
  let world: World;
  let maker: CellMaker;
  let passport: Json;
  let dppId: string;

  const answers: Answered[] = [];
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(world.baseUrl + path, init);
    const route = path.split('?', 1)[0]!.replace(/^(\/v1\/dpps(?:ByIdAndDate)?)\/[^/]+/, '$1/{dppId}');
    answers.push({
      route: route.replace(/(?<=ByProductId\/)[^/]+/, '{productId}').replace(/(?<=elements\/)[^/]+/, '{elementIdPath}'),
      method: (init.method ?? 'GET').toLowerCase(),
      status: answer.status,
      isFull: path.includes('representation=full'),
      body: answer.status === 204 ? null : await answer.clone().json(),
    });
    return answer;
  };
  const read = async (path: string, status = 200): Promise<Json> => {
    const answer = await ask(path);
    const body = (await answer.json()) as Json;
    expect([answer.status, body['code']]).toEqual([status, body['code']]);
    return body;
  };
  const at = (id: string): string => `/v1/dpps/${encodeURIComponent(id)}`;
  const element = (path: string, more = ''): string => `${at(dppId)}/elements/${encodeURIComponent(path)}${more}`;
  const idsOf = (productIds: readonly string[], query = ''): Promise<Response> =>
    ask(`/v1/dppsByProductIds${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ productIds }),
    });

  beforeAll(async () => {
    world = await World.start({ RATE_PUBLIC_PER_ADDRESS: '5000' }, createLogger({ level: 'error' }));
    maker = await CellMaker.of(world);
    await maker.make('PACK0001');
    passport = await maker.passportOf('PACK0001');
    dppId = `urn:uuid:${(passport['id'] as string).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
  });
  afterAll(() => world?.close());

  it('are archived when nobody reads them, with hash, actor and chain reference', async () => {
    const [version] = await eventually('a first version', async () => {
      const versions = await maker.versionsOf(passport['id']);
      return versions.length > 0 ? versions : undefined;
    });
    expect(version).toMatchObject({ version: 1, from: passport['issuedAt'], actor: maker.mill.address, erased: [] });
    expect(version!['change']).toMatchObject({ chainId: 31_337, txHash: expect.stringMatching(/^0x/), block: expect.any(Number) });
    const full = await (await ask(`${at(dppId)}?representation=full`)).text();
    expect([sha256(full), Buffer.byteLength(full)]).toEqual([version!['hash'], version!['bytes']]);
  });

  it('have a header and the elements of their process map, and nothing that is not public', async () => {
    const document = await read(at(dppId));
    expect(document).toMatchObject({
      digitalProductPassportId: dppId,
      uniqueProductIdentifier: ITEM,
      granularity: 'item',
      dppSchemaVersion: 'EN 18223:2026',
      dppStatus: 'active',
      lastUpdated: passport['issuedAt'],
      economicOperatorId: expect.stringMatching(/^(https:|http:|urn:uuid:)/),
      facilityId: 'https://id.gs1.org/414/9520000100018',
      contentSpecificationIds: ['https://ref.gs1.org/voc/', 'https://ref.openepcis.io/extensions/eu/battery/'],
      batteryModelIdentifier: 'PACK-1',
      stateOfHealth: 98.5,
      chemistry: { name: [{ value: 'LFP', language: 'en' }], shares: [0.5, 0.25] },
      hasSerialNumber: 'PACK0001',
      '@context': { chemistry: { '@context': { name: 'https://schema.org/name' } } },
    });
    expect(JSON.stringify(document)).not.toMatch(/\w+-VALUE|Hall of a person/);
    const full = await read(`${at(dppId)}?representation=full`);
    expect(full['elements']).toContainEqual({
      elementId: 'stateOfHealth',
      dictionaryReference: 'https://ref.openepcis.io/extensions/eu/battery/stateOfHealth',
      objectType: 'SingleValuedDataElement',
      valueDataType: 'xsd:decimal',
      value: 98.5,
    });
  });

  it('are found by every spelling of their id and of their product', async () => {
    const same = [
      ...[dppId, passport['id'], `${world.baseUrl}/p/${passport['id']}`, ITEM, dppId.toUpperCase().replace('URN:UUID', 'urn:uuid')].map(at),
      ...[ITEM, `https://example.com/01/${GTIN.slice(1)}/21/PACK0001`, `${ITEM}?tenant=rice`, dppId].map(
        (id) => `/v1/dppsByProductId/${encodeURIComponent(id)}`,
      ),
    ];
    for (const path of same) expect((await read(path))['digitalProductPassportId']).toBe(dppId);
    const none = [
      `urn:uuid:${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`,
      'x',
      `${ITEM}x`,
      `${ITEM}?tenant=wool`,
      'urn:epc:id:sgtin:1.2.3',
    ];
    for (const id of none)
      expect(await read(at(id), 404)).toMatchObject({
        statusCode: 'ClientErrorResourceNotFound',
        message: [{ messageType: 'Error', code: 'passport_not_found', correlationId: expect.any(String) }],
      });
    const refused = await ask(`${at(dppId)}?representation=fuller`);
    expect([refused.status, refused.headers.get('content-type'), ((await refused.json()) as Json)['statusCode']]).toEqual([
      400,
      'application/json; charset=utf-8',
      'ClientErrorBadRequest',
    ]);
  });

  it('have one passport of a model, whatever was made of it, with what its map says of all', async () => {
    for (const [tlc, colour] of [
      ['CH-1', 'red'],
      ['CH-2', 'blue'],
    ])
      await maker.record({
        processType: 'CELL_CHARGERS',
        outputTlc: tlc,
        metadata: { eventTime: new Date(Date.now() - 60_000).toISOString(), quantity: { value: 5, uom: 'H87' }, gtin: MODEL_GTIN, colour },
      });
    await maker.passportOf('CH-1');
    const model = await read(`/v1/dppsByProductId/${encodeURIComponent(`https://id.gs1.org/01/${MODEL_GTIN}`)}`);
    expect(model).toMatchObject({
      granularity: 'model',
      uniqueProductIdentifier: `https://id.gs1.org/01/${MODEL_GTIN}`,
      power: 11,
      gtin: MODEL_GTIN,
    });
    for (const name of ['colour', 'hasBatchLotNumber', 'origin', 'attributes']) expect(model).not.toHaveProperty(name);
    const { tokenId } = await maker.admin.lots.byTlc('CH-2');
    const same = await eventually('the model is known for the second lot', () =>
      maker.admin.post<Json>(`/api/v1/nfts/${tokenId}/passport`).catch(() => undefined),
    );
    expect(same['tlc']).toBe('CH-1');
  });

  it('are named by their products, page by page', async () => {
    await maker.make('PACK0002');
    await maker.passportOf('PACK0002');
    const products = [ITEM, `${ITEM}-none`, ITEM, `https://id.gs1.org/01/${MODEL_GTIN}`, `https://id.gs1.org/01/${GTIN}/21/PACK0002`];
    const all = (await (await idsOf(products)).json()) as Json;
    expect(all['dppIds']).toHaveLength(3);
    expect([all['dppIds'][0], all['nextCursor']]).toEqual([dppId, undefined]);
    const pages: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = (await (await idsOf(products, `?limit=1&cursor=${cursor}`)).json()) as Json;
      pages.push(...page['dppIds']);
      cursor = page['nextCursor'];
    }
    expect(pages).toEqual(all['dppIds']);
    expect((await idsOf([])).status).toBe(400);
    expect((await idsOf(Array.from({ length: 101 }, () => ITEM))).status).toBe(400);
    expect(
      (await idsOf(products.slice(1), `?cursor=${((await (await idsOf(products, '?limit=1')).json()) as Json)['nextCursor']}`)).status,
    ).toBe(400);
  });

  it('have elements by normalised path, compressed and full', async () => {
    expect(await read(element("$['chemistry']['shares'][1]"))).toBe(0.25);
    expect(await read(element('$.chemistry.name'))).toEqual([{ value: 'LFP', language: 'en' }]);
    expect(await read(element("$['chemistry']", '?representation=full'))).toMatchObject({
      elementId: 'chemistry',
      objectType: 'DataElementCollection',
      elements: [{ objectType: 'MultiLanguageDataElement' }, { objectType: 'MultiValuedDataElement', value: [0.5, 0.25] }],
    });
    expect(await read(element("$['chemistry']['shares'][1]", '?representation=full'))).toMatchObject({ elementId: '1', value: 0.25 });
    expect(await read(element("$['granularity']", '?representation=full'))).toMatchObject({ elementId: 'granularity', value: 'item' });
    for (const [path, status, code] of [
      ["$['none']", 404, 'element_not_found'],
      ["$['secret']", 404, 'element_not_found'],
      ["$['chemistry']['shares'][2]", 404, 'element_not_found'],
      ["$['chemistry']['__proto__']", 404, 'element_not_found'],
      ["$['chemistry']['shares']['length']", 404, 'element_not_found'],
      ['$', 400, 'path_not_singular'],
      ['$..name', 400, 'path_not_singular'],
      ["$['chemistry'][*]", 400, 'path_not_singular'],
      ['chemistry', 400, 'path_malformed'],
    ] as const)
      expect([path, await read(element(path), status)]).toEqual([path, expect.objectContaining({ code })]);
  });

  it('have a version for each change, which is read at any date', async () => {
    const before = await read(at(dppId));
    const { data } = await maker.admin.get<{ data: Json[] }>(`/api/v1/events?tlc=PACK0001`);
    const event = data[0]!;
    const corrected = { ...event['metadata'], health: 91 };
    const prepared = await maker.wallet.api.post<Json>(`/api/v1/events/${event['id']}/supersede/prepare`, { metadata: corrected });
    await maker.wallet.land(prepared['preparedTx'], 'test');
    const [second, first] = await eventually('a second version', async () => {
      const versions = await maker.versionsOf(passport['id']);
      return versions.length > 1 ? versions : undefined;
    });
    expect([second!['version'], first!['version']]).toEqual([2, 1]);
    expect(second!['change']['eventId']).toBe(prepared['eventId']);
    const then = (date: string, more = ''): string =>
      `/v1/dppsByIdAndDate/${encodeURIComponent(dppId)}?date=${encodeURIComponent(date)}${more}`;
    const justBefore = new Date(Date.parse(second!['from']) - 1).toISOString();
    expect((await read(then(justBefore)))['stateOfHealth']).toBe(98.5);
    expect(await read(then(first!['from']))).toEqual(before);
    expect((await read(then(second!['from'])))['stateOfHealth']).toBe(91);
    expect((await read(then('2099-01-01')))['stateOfHealth']).toBe(91);
    expect(sha256(await (await ask(then(first!['from'], '&representation=full'))).text())).toBe(first!['hash']);
    expect(await read(then(new Date(Date.parse(first!['from']) - 1).toISOString()), 404)).toMatchObject({ code: 'version_not_found' });
    expect(await read(then('yesterday'), 400)).toMatchObject({ code: 'malformed_request' });
    expect(await read(then('2026-11-30T12:00:00'), 400)).toMatchObject({ code: 'malformed_request' });
    expect((await ask(`/v1/dppsByIdAndDate/${encodeURIComponent(dppId)}`)).status).toBe(400);
  });

  dppVersionsSuite(() => ({ maker, id: passport['id'] as string }));

  describe('that are written', () => {
    const send = async (method: string, path: string, body: unknown, as = maker.wallet): Promise<Json> => {
      const answer = await as.api.answer(method as 'POST', path, body);
      const text = await answer.text();
      return { status: answer.status, ...(text === '' ? {} : (JSON.parse(text) as Json)) };
    };
    const PRODUCT = `https://id.gs1.org/01/${GTIN}/21/PACK0009`;
    const created = (more: object = {}): object => ({
      ...{
        digitalProductPassportId: 'https://example.org/mine',
        uniqueProductIdentifier: PRODUCT,
        granularity: 'Item',
        dppStatus: 'Active',
      },
      ...{
        dppSchemaVersion: 'x',
        lastUpdate: '2026-01-01T00:00:00Z',
        economicOperatorId: 'x',
        stateOfHealth: 77,
        batteryModelIdentifier: 'PACK-1',
      },
      chemistry: { name: [{ value: 'NMC', language: 'en' }], shares: [0.1, 0.9] },
      event: { metadata: { eventTime: new Date(Date.now() - 60_000).toISOString(), quantity: { value: 1, uom: 'H87' } } },
      ...more,
    });
    let id: string;

    it('are created by the event that makes the goods', async () => {
      const answer = await send('POST', '/v1/dpps', created(), maker.mill);
      expect(answer).toMatchObject({ status: 202, uniqueProductIdentifier: PRODUCT, eventId: expect.any(String) });
      await maker.mill.land(answer['preparedTx'], 'test');
      id = (await maker.passportOf('PACK0009'))['id'];
      expect(await read(`/v1/dppsByProductId/${encodeURIComponent(PRODUCT)}`)).toMatchObject({
        stateOfHealth: 77,
        chemistry: { name: [{ value: 'NMC', language: 'en' }], shares: [0.1, 0.9] },
      });
      expect(await send('POST', '/v1/dpps', created(), maker.mill)).toMatchObject({
        status: 409,
        code: 'tlc_taken',
        statusCode: 'ClientResourceConflict',
      });
    });

    it('are updated by a correction, whole or by one element', async () => {
      const patch = await send('PATCH', `/v1/dpps/${id}`, { stateOfHealth: 70, chemistry: { shares: null } });
      expect(patch).toMatchObject({ status: 202, eventId: expect.any(String) });
      await maker.wallet.land(patch['preparedTx'], 'test');
      await eventually('the correction is read', async () => ((await read(`/v1/dpps/${id}`))['stateOfHealth'] === 70 ? true : undefined));
      expect((await read(`/v1/dpps/${id}`))['chemistry']).toEqual({ name: [{ value: 'NMC', language: 'en' }] });
      const one = await send('PATCH', `/v1/dpps/${id}/elements/${encodeURIComponent("$['chemistry']['name'][0]['value']")}`, 'LFP');
      expect(one).toMatchObject({ status: 202 });
      await maker.wallet.land(one['preparedTx'], 'test');
      await eventually('the element is read', async () =>
        (await read(`/v1/dpps/${id}`))['chemistry'].name[0].value === 'LFP' ? true : undefined,
      );
      expect((await maker.versionsOf(id)).length).toBe(3);
    });

    it.each<[string, () => Promise<Json>, object]>([
      [
        'another product',
        () => send('POST', '/v1/dpps', created({ uniqueProductIdentifier: 'urn:x' })),
        { status: 422, errors: [{ code: 'no_lot_name' }] },
      ],
      [
        'a GTIN that nobody makes',
        () => send('POST', '/v1/dpps', created({ uniqueProductIdentifier: 'https://id.gs1.org/01/09520123450014/21/9' })),
        { status: 422 },
      ],
      [
        'an element that there is not',
        () => send('POST', '/v1/dpps', created({ colour: 'red' })),
        { errors: [{ pointer: '/colour', code: 'unknown_element' }] },
      ],
      [
        'what the map fixes',
        () => send('PATCH', `/v1/dpps/${id}`, { batteryModelIdentifier: 'X' }),
        { status: 422, errors: [{ code: 'fixed_by_map' }] },
      ],
      ['nothing', () => send('PATCH', `/v1/dpps/${id}`, { dppStatus: 'Inactive' }), { status: 422, errors: [{ code: 'nothing_written' }] }],
      [
        'a full representation',
        () => send('PATCH', `/v1/dpps/${id}?representation=full`, {}),
        { status: 400, statusCode: 'ClientErrorBadRequest', code: 'representation_not_writable' },
      ],
      ['a passport that there is not', () => send('PATCH', '/v1/dpps/x', { stateOfHealth: 1 }), { status: 404 }],
      [
        'with another role',
        () => send('PATCH', `/v1/dpps/${id}`, { stateOfHealth: 1 }, maker.mill),
        { status: 403, statusCode: 'ClientForbidden' },
      ],
      [
        'a path to several',
        () => send('PATCH', `/v1/dpps/${id}/elements/${encodeURIComponent('$..name')}`, 1),
        { status: 400, code: 'path_not_singular' },
      ],
      ['no object', () => send('PATCH', `/v1/dpps/${id}`, [1]), { status: 400 }],
    ])('are not written with %s', async (_, work, refused) => {
      expect(await work()).toMatchObject(refused);
    });

    it('are updated by JSON Merge Patch, which other routes do not take', async () => {
      const { email, password } = world.tenant('rice').admin;
      const { accessToken } = await maker.admin.post<{ accessToken: string }>('/api/v2/auth/login', { email, password });
      const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/merge-patch+json' };
      const body = JSON.stringify({ stateOfHealth: 60 });
      expect((await fetch(`${world.baseUrl}/v1/dpps/${id}`, { method: 'PATCH', headers, body })).status).toBe(202);
      expect((await fetch(`${world.baseUrl}/v1/dpps`, { method: 'POST', headers, body })).status).toBe(415);
    });

    it('are deleted by withdrawing them', async () => {
      expect(await send('DELETE', `/v1/dpps/${id}`, undefined, maker.mill)).toMatchObject({ status: 403 });
      expect(await send('DELETE', `/v1/dpps/${id}`, undefined)).toEqual({ status: 204 });
      await eventually('it is gone', async () => ((await ask(`/v1/dpps/${id}`)).status === 404 ? true : undefined));
    });
  });

  dppGrantsSuite(() => maker);

  dppPacksSuite(() => maker);

  dppPostmanSuite(() => maker);

  dppBackUpSuite(() => maker);

  dppRegistrySuite(() => maker);

  it('are gone, with all of their versions, when they are withdrawn', async () => {
    await maker.admin.post(`/api/v1/passports/${passport['id']}/withdraw`, { reason: 'test' });
    await eventually('it is gone', async () => ((await ask(at(dppId))).status === 404 ? true : undefined));
    expect((await ask(`/v1/dppsByIdAndDate/${passport['id']}?date=2026-11-30`)).status).toBe(404);
    expect(((await (await idsOf([ITEM])).json()) as Json)['dppIds']).toEqual([]);
  });

  (hasRenderings ? it : it.skip)('answer as both renderings of EN 18222 have it, but for the named differences', () => {
    const kinds = new Set(answers.map(({ route, status, isFull }) => `${route} ${status} ${isFull}`));
    expect(kinds.size).toBeGreaterThan(14);
    const faults = answers.flatMap((answer) => [...faultsAgainst('openepcis', answer), ...faultsAgainst('basyx', answer)]);
    expect([...new Set(faults)]).toEqual([]);
  });
});
