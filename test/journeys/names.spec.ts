import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '#persistence';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade, codeOf } from './rice-trade.js';

/** Other owners of IRIs that exports write. */
const OTHERS = [
  'https://id.gs1.org/',
  'https://ref.gs1.org/',
  'https://www.w3.org/ns/credentials/v2',
  'https://vocabulary.uncefact.org/',
  'https://docs.example/',
];

/** Every text below a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

/** Every IRI of the web that a document writes, compact ones in full. */
function irisIn(document: Json): string[] {
  const prefixes = [document['@context']]
    .flat()
    .flatMap((one) => (typeof one === 'object' && one !== null ? Object.entries<string>(one) : []));
  return textsIn(document).flatMap((text) => {
    const [, prefix, name] = /^([a-z]+):([A-Za-z]\w*)$/.exec(text) ?? [];
    const namespace = prefixes.find(([known]) => known === prefix)?.[1];
    if (namespace !== undefined) return [namespace + name!];
    return /^https?:\/\/\S+$/.test(text) ? [text] : [];
  });
}

describe('the names in exports', () => {
  let world: World;
  let trade: RiceTrade;
  let key: string;

  beforeAll(async () => {
    world = await World.start();
    await Promise.all([world.play('rice'), world.play('seafood')]);
    trade = await RiceTrade.of(world);
    ({ secret: key } = await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads names', roles: ['COMPLIANCE'] }));
    await trade.api.request('PATCH', '/api/v1/passport-settings', { enabled: true });
    const { tokenId } = await trade.harvest();
    await trade.handOver([tokenId]);
    await trade.land(trade.admin, trade.recall(trade.admin, tokenId, { reason: 'Cadmium', recallClass: 'I', propagation: 'none' }));
  });
  afterAll(() => world?.close());

  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(path.startsWith('http') ? path : world.baseUrl + path, { headers, redirect: 'manual' });
  const withKey = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(path.startsWith('http') ? path : world.baseUrl + path, { headers: { 'x-api-key': key, ...headers } });
  const json = async (path: string): Promise<Json> => (await withKey(path)).json() as Promise<Json>;
  const lotName = (code: string, tenant = 'rice'): string => `${world.baseUrl}/id/${tenant}/lot/${code}`;

  /** Everything that the exporters write of the rice and its passports. */
  async function documents(): Promise<Json[]> {
    const passport = await eventually('a passport', async () => {
      const answer = await fetch(`${world.baseUrl}/01/09520123450014/10/RP262641`, { headers: { accept: 'application/json' } });
      return answer.ok ? ((await answer.json()) as Json) : undefined;
    });
    const bags = await trade.tokenOf('RP262641');
    const formats = ['eudr', 'pact', 'untp-dpp', 'untp-dte'];
    return [
      passport,
      await json('/01/09520123450014/10/RP262641?linkType=linkset'),
      await json('/api/v1/events?format=epcis&all=true'),
      ...(await Promise.all(formats.map((format) => json(`/api/v1/nfts/${bags}/exports/${format}`)))),
    ];
  }

  it('are all answered: with a credential there is something behind each, and without one no secret', async () => {
    const iris = [...new Set((await documents()).flatMap(irisIn))];
    const own = iris.filter((iri) => iri.startsWith(world.baseUrl));
    expect(iris.filter((iri) => !own.includes(iri) && !OTHERS.some((one) => iri.startsWith(one)))).toEqual([]);
    for (const part of ['/id/rice/lot/', '/id/rice/doc/', '/ns/trc#processType', '/01/', '/p/', '/api/v1/events/'])
      expect(own.filter((iri) => iri.startsWith(world.baseUrl + part)).length).toBeGreaterThan(0);
    const answers = await Promise.all(
      own.map(async (iri) => ({ iri, known: (await withKey(iri)).status, open: await fetch(iri).then(({ status }) => status) })),
    );
    // A credential of a role that may read it all; without one only what is public.
    expect(answers.filter(({ known }) => known !== 200)).toEqual([]);
    expect(answers.filter(({ open }) => open !== 200 && open !== 401)).toEqual([]);
    const isPublic = /\/(ns|p|01)\//;
    expect(answers.filter(({ iri, open }) => open === 200 && !isPublic.test(new URL(iri).pathname))).toEqual([]);
  });

  it('the vocabulary has every term that was written, with its definition, as JSON-LD and as a page', async () => {
    const answer = await ask('/ns/trc');
    expect(answer.headers.get('content-type')).toMatch(/^application\/ld\+json/);
    const vocabulary = (await answer.json()) as Json;
    expect(vocabulary['@context']['trc']).toBe(`${world.baseUrl}/ns/trc#`);
    const terms = (vocabulary['@graph'] as Json[]).filter((one) => one['@type'] === 'rdf:Property');
    const defined = new Set(terms.map((one) => one['@id'] as string));
    for (const term of terms) expect(String(term['rdfs:comment']).length).toBeGreaterThan(10);
    const written = new Set((await documents()).flatMap(textsIn).filter((text) => /^trc:[a-zA-Z]+$/.test(text)));
    expect([...written].filter((term) => !defined.has(term))).toEqual([]);
    expect(written.size).toBeGreaterThan(15);
    const page = await ask('/ns/trc', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const text = await page.text();
    for (const term of defined) expect(text).toContain(`id="${term.slice('trc:'.length)}"`);
  });

  it('of document types say where their words come from', async () => {
    expect(await (await ask('/ns/btt')).json()).toMatchObject({ '@id': `${world.baseUrl}/ns/btt`, '@type': 'skos:ConceptScheme' });
    expect(await (await ask('/ns/btt', { accept: 'text/html' })).text()).toContain('Types of business documents');
  });

  it('of a lot lead to the lot, for its tenant only, and for others to a question for a credential', async () => {
    const iri = lotName('RH-20260915-A1');
    const lot = await trade.lot(await trade.tokenOf('RH-20260915-A1'));
    expect(await json(iri)).toMatchObject({ id: lot['id'], tlc: 'RH-20260915-A1' });
    expect(await trade.api.get<Json>(`/api/v1/nfts?tlc=${encodeURIComponent(iri)}`)).toMatchObject({ total: 1, data: [{ id: lot['id'] }] });
    const events = await trade.api.get<Json>(`/api/v1/events?tlc=${encodeURIComponent(iri)}`);
    expect(events).toEqual(await trade.api.get<Json>('/api/v1/events?tlc=RH-20260915-A1'));
    expect(events['total']).toBeGreaterThan(0);
    const browser = await ask(iri, { accept: 'text/html' });
    expect([browser.status, browser.headers.get('location')]).toEqual([303, `/portal/lots?tlc=${encodeURIComponent(iri)}`]);
    // A lot that there is and one that there is not, in a tenant that there is and one that there is not.
    for (const name of [iri, lotName('NOTHING'), lotName('RH-20260915-A1', 'nobody')]) {
      const answer = await fetch(name, { headers: { accept: 'application/json' } });
      expect([answer.status, ((await answer.json()) as Json)['code']]).toEqual([401, 'unauthenticated']);
    }
    // Another tenant's credential finds no lot of its own under the name of this one.
    const seafood = await world.admin('seafood');
    const named = (name: string): Promise<string> => codeOf(seafood.get(`/api/v1/nfts/by-tlc/${encodeURIComponent(name)}`));
    expect(await named(lotName('TRIP-20261103-NORDLYS', 'seafood'))).toBe('taken');
    expect(await named(lotName('TRIP-20261103-NORDLYS'))).toBe('404 lot_not_found');
    expect(await named(iri)).toBe('404 lot_not_found');
  });

  it('of a lot with a passport show it, and the lot to who has a credential', async () => {
    const iri = lotName('RP262641');
    // The bags have a GTIN, so this is not their name.
    expect((await withKey(iri)).status).toBe(404);
    const milled = await trade.tokenOf('RM-20260920-01');
    await passportFor(world, milled);
    const shown = await ask(lotName('RM-20260920-01'), { accept: 'text/html' });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const passport = (await (await ask(lotName('RM-20260920-01'), { accept: 'application/json' })).json()) as Json;
    expect(passport).toMatchObject({ passportId: 'cd'.repeat(16), product: { lot: 'RM-20260920-01' } });
    expect(await json(lotName('RM-20260920-01'))).toMatchObject({ tokenId: milled });
  });

  it('of a document lead to it in the report, for its tenant only', async () => {
    const [event] = (await json('/api/v1/events?format=epcis&processType=RICE_PACKING&all=true'))['epcisBody']['eventList'] as Json[];
    const iri = (event!['bizTransactionList'] as Json[])
      .map((one) => one['bizTransaction'] as string)
      .find((one) => one.includes('/doc/'))!;
    const [, type, number] = /\/doc\/([^/]+)\/([^/]+)$/.exec(iri)!;
    const found = await json(iri);
    expect(found['documents']).toMatchObject([{ type: decodeURIComponent(type!), number: decodeURIComponent(number!) }]);
    expect(found['summary']['documents']).toBe(1);
    const at = (name: string, company: Company): Promise<string> =>
      codeOf(company.api.get(`/api/v1/reports/documents?document=${encodeURIComponent(name)}`));
    expect((await json(`/api/v1/reports/documents?document=${encodeURIComponent(iri.replace('/rice/', '/wool/'))}`))['documents']).toEqual(
      [],
    );
    expect(await at('BOL-1', trade.admin)).toBe('not_a_document');
    expect(await at(iri, trade.farmA)).toBe('403 role_required');
    const browser = await ask(iri, { accept: 'text/html' });
    expect([browser.status, browser.headers.get('location')]).toEqual([
      303,
      `/portal/reports/documents?${new URLSearchParams({ document: iri }).toString()}`,
    ]);
  });
});

/** As if the lot's asset type had passports. */
async function passportFor(world: World, tokenId: number): Promise<void> {
  await world.service.app.get(UnitOfWork, { strict: false }).asSystem((tx) =>
    tx.sql(
      `insert into passports.passport (tenant_id, id, token_id, contract, tlc, key, issued_at, updated_at)
       select tenant_id, $1, token_id, contract, tlc, key, now(), now() from traceability.lot_v1
       where token_id = $2 and tenant_id = (select tenant_id from identity.tenant_v1 where slug = 'rice')`,
      ['cd'.repeat(16), tokenId],
    ),
  );
}
