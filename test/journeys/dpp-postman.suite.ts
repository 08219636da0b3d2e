import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { hasRenderings, postmanCollection } from './dpp-renderings.js';
import { type CellMaker, GTIN } from './dpp-world.js';
import type { Json } from './rice-trade.js';

interface Sent {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

/** Digital Link of goods of which `CELL_MAP` says that they have the sections of the collection. */
const PRODUCT = `https://id.gs1.org/01/${GTIN}/21/BPX-2026-000184`;
/** What the profile adds: docs/reference/dpp-conformance.md#profile-of-the-methods-that-write. */
const event = (): object => ({ metadata: { eventTime: new Date(Date.now() - 60_000).toISOString(), quantity: { value: 1, uom: 'H87' } } });
/** The collection reads what it created a while ago. */
const DATE = '2099-01-01T00:00:00Z';

/** The requests of the collection of Eclipse BaSyx, in its order, with the named differences. */
function requests(baseUrl: string): readonly Sent[] {
  const collection = postmanCollection();
  const encoded = encodeURIComponent(PRODUCT);
  const variables = new Map<string, string>((collection['variable'] as Json[]).map(({ key, value }) => [key, value]));
  for (const [key, value] of Object.entries({
    baseUrl,
    dppId: PRODUCT,
    productId: PRODUCT,
    dppIdEncoded: encoded,
    productIdEncoded: encoded,
  }))
    variables.set(key, value);
  variables.set('historicalDate', DATE);
  const filled = (text: string): string => text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => variables.get(key) ?? '');
  const flat = (items: readonly Json[]): Json[] => items.flatMap((item) => (item['item'] ? flat(item['item']) : [item]));
  return flat(collection['item']).map(({ name, request }) => ({
    name,
    method: request.method as string,
    url: filled(typeof request.url === 'string' ? request.url : request.url.raw),
    body: request.body?.raw ? (JSON.parse(filled(request.body.raw)) as unknown) : undefined,
  }));
}

/** @param given the maker, with a world of its own */
export function dppPostmanSuite(given: () => CellMaker): void {
  (hasRenderings ? describe : describe.skip)('the Postman collection of EN 18222', () => {
    let maker: CellMaker;
    const played = new Map<string, { readonly status: number; readonly body: Json }>();
    const play = async ({ name, method, url, body }: Sent): Promise<void> => {
      const sent = name === 'Create DPP' ? { ...(body as object), event: event() } : body;
      const as = name === 'Create DPP' ? maker.mill : maker.wallet;
      const answer = await as.api.answer(method as 'GET', url.slice(maker.world.baseUrl.length), sent);
      const text = await answer.text();
      const json = (text === '' ? {} : JSON.parse(text)) as Json;
      played.set(name, { status: answer.status, body: json });
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
      for (const one of requests(maker.world.baseUrl)) if (!one.url.endsWith('/openapi.yaml')) await play(one);
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
