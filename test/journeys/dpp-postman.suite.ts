import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { newman, runRequest } from './dpp-newman.js';
import { hasRenderings, postmanCollection } from './dpp-renderings.js';
import { type CellMaker, GTIN } from './dpp-world.js';
import type { Json } from './rice-trade.js';

interface Sent {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  /** As the collection has it, with its scripts. */
  readonly item: Json;
}

/** Digital Link of goods of which `CELL_MAP` says that they have the sections of the collection. */
const PRODUCT = `https://id.gs1.org/01/${GTIN}/21/BPX-2026-000184`;
/** What the profile adds: docs/reference/dpp-conformance.md#profile-of-the-methods-that-write. */
const event = (): object => ({ metadata: { eventTime: new Date(Date.now() - 60_000).toISOString(), quantity: { value: 1, uom: 'H87' } } });
/** The collection reads what it created a while ago. */
const DATE = '2099-01-01T00:00:00Z';

const variablesFor = (collection: Json, baseUrl: string): Map<string, string> => {
  const encoded = encodeURIComponent(PRODUCT);
  const own = { baseUrl, dppId: PRODUCT, productId: PRODUCT, dppIdEncoded: encoded, productIdEncoded: encoded, historicalDate: DATE };
  const given = (collection['variable'] as Json[]).map(({ key, value }): [string, string] => [key as string, value as string]);
  return new Map([...given, ...Object.entries(own)]);
};

/** The requests of the collection of Eclipse BaSyx, in its order, with the named differences. */
function requests(collection: Json, variables: ReadonlyMap<string, string>): readonly Sent[] {
  const filled = (text: string): string => text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => variables.get(key) ?? '');
  const flat = (items: readonly Json[]): Json[] => items.flatMap((item) => (item['item'] ? flat(item['item']) : [item]));
  return flat(collection['item']).map((item) => {
    const { name, request } = item as { name: string; request: Json };
    const raw = request['body']?.raw as string | undefined;
    const body = raw ? (JSON.parse(filled(raw)) as unknown) : undefined;
    const sent = name === 'Create DPP' ? { ...(body as object), event: event() } : body;
    return {
      ...{ name, method: request['method'] as string, body: sent },
      url: filled(typeof request['url'] === 'string' ? request['url'] : request['url'].raw),
      item: { ...patched(item), request: { ...request, ...(sent !== undefined && { body: { mode: 'raw', raw: JSON.stringify(sent) } }) } },
    };
  });
}

/** Its scripts expect 201 or 409, and 200, where the profile prepares a transaction. */
function patched(item: Json): Json {
  if (item['event'] === undefined || item['name'] === 'Resolve Product IDs to DPP IDs') return item;
  const text = JSON.stringify(item['event']).replace('[201, 409]', '[202]').replace('status(200)', 'status(202)');
  return { ...item, event: JSON.parse(text) as Json };
}

/** @param given the maker, with a world of its own */
export function dppPostmanSuite(given: () => CellMaker): void {
  (hasRenderings ? describe : describe.skip)('the Postman collection of EN 18222', () => {
    let maker: CellMaker;
    let collection: Json;
    let variables: Map<string, string>;
    const played = new Map<string, { readonly status: number; readonly body: Json }>();
    const scripts = { assertions: 0, failures: [] as string[] };

    const tokenOf = async (name: string): Promise<string> => {
      const { admin, actors } = maker.world.tenant('rice');
      const { email, password } = name === 'Create DPP' ? actors['mill']! : admin;
      const signedIn = await maker.admin.post<Json>('/api/v2/auth/login', { email, password, tenantId: 'rice' });
      return signedIn['accessToken'] as string;
    };
    const send = async ({ name, method, url, body, item }: Sent, file: string | null): Promise<{ status: number; body: Json }> => {
      if (file === null) {
        const as = name === 'Create DPP' ? maker.mill : maker.wallet;
        const answer = await as.api.answer(method as 'GET', url.slice(maker.world.baseUrl.length), body);
        const text = await answer.text();
        return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
      }
      const { info, event: around } = collection;
      const variable = [...variables].map(([key, value]) => ({ key, value, type: 'string' }));
      const run = await runRequest(file, { info, event: around, variable, item: [item] }, await tokenOf(name));
      for (const { key, value } of run.variables) variables.set(key as string, value as string);
      scripts.assertions += run.assertions;
      scripts.failures.push(...run.failures.map((failure) => `${name}: ${failure}`));
      return { status: run.status, body: run.body as Json };
    };
    const play = async (sent: Sent, file: string | null): Promise<void> => {
      const { name } = sent;
      const answer = await send(sent, file);
      const json = answer.body;
      played.set(name, answer);
      const as = name === 'Create DPP' ? maker.mill : maker.wallet;
      if (answer.status === 202) await as.land(json['preparedTx'], 'test');
      if (name === 'Create DPP') await maker.passportOf('BPX-2026-000184');
      // What was written is read when it is on chain.
      if (answer.status === 202 && json['eventId'] && name !== 'Create DPP')
        await eventually('the correction landed', async () => {
          const { status } = await maker.admin.get<Json>(`/api/v1/events/${json['eventId']}`);
          return status === 'recorded' ? true : undefined;
        });
    };

    beforeAll(async () => {
      maker = given();
      collection = postmanCollection();
      variables = variablesFor(collection, maker.world.baseUrl);
      for (const one of requests(collection, variables)) if (!one.url.endsWith('/openapi.yaml')) await play(one, newman);
    });

    (newman === null ? it.skip : it)('passes the checks of its own scripts in Newman', () => {
      expect(scripts).toEqual({ assertions: 3, failures: [] });
    });

    it('is green, with 202 where the profile prepares a transaction', () => {
      expect([...played].map(([name, { status }]) => `${status} ${name}`)).toEqual([
        '202 Create DPP',
        '200 Read DPP by DPP ID',
        '200 Read DPP by DPP ID - Full Representation',
        '202 Patch DPP',
        '200 Read DPP by Product ID',
        '200 Read Historical DPP Version',
        '200 Resolve Product IDs to DPP IDs',
        '200 Read Data Element',
        '202 Update Data Element - Scalar',
        '202 Update Data Element - Collection',
        '204 Delete DPP',
      ]);
    });

    it('reads what it wrote', () => {
      const created = played.get('Read DPP by DPP ID')!.body;
      expect(created['https://admin-shell-io/idta/digitalproductpassport/Nameplate/1']).toMatchObject({
        ManufacturerName: 'VoltFabrik GmbH',
        ProductName: [
          { value: 'BPX 92 kWh traction battery pack', language: 'en-GB' },
          { value: 'BPX 92 kWh Traktionsbatterie', language: 'de-DE' },
        ],
      });
      expect(played.get('Read Data Element')!.body).toMatchObject([{ PcfCo2eq: expect.any(Number), LifeCyclePhases: expect.any(Array) }]);
      expect(played.get('Resolve Product IDs to DPP IDs')!.body).toEqual({ dppIds: [created['digitalProductPassportId']] });
    });
  });
}
