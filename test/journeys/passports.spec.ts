import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TraceabilityClient } from '#client';
import { addressOf } from '#content-storage';
import { canonicalJson } from '#kernel';
import { type AskChain, verifyBundle } from '#passports';
import { UnitOfWork } from '#persistence';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { accessibilityFaults } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';
import { restrictedValues } from './restricted-values.js';
import { type Json, RiceTrade, administrator, codeOf } from './rice-trade.js';

const LINK = '/01/09520123450014/10/RP262641';
const JACKET = '/01/09520223450013/10/JK2630A100';

const chromium = findChromium();
const inBrowser = chromium === null ? it.skip : it;
if (chromium === null) process.stderr.write('!! No Chromium was found: passports are NOT tested in a browser. CHROMIUM_PATH names one.\n');

/** Requests a minute to public pages from one address. */
const LIMIT = 60;

let world: World;
let trade: RiceTrade;
let wool: TraceabilityClient;

beforeAll(async () => {
  world = await World.start({ TRUSTED_PROXIES: '1', RATE_PUBLIC_PER_ADDRESS: String(LIMIT) });
  await Promise.all([world.play('rice'), world.play('wool')]);
  trade = await RiceTrade.of(world);
  wool = await world.admin('wool');
});
afterAll(() => world?.close());

let readers = 0;
/** Each time somebody else, from an address of their own. */
const ask = (path: string, headers: Record<string, string> = { accept: 'application/json' }): Promise<Response> => {
  const address = `198.18.${(++readers >> 8) & 255}.${readers & 255}`;
  return fetch(world.baseUrl + path, { headers: { 'x-forwarded-for': address, ...headers } });
};
const settings = (api: TraceabilityClient, body: object): Promise<Json> => api.request<Json>('PATCH', '/api/v1/passport-settings', body);
const statusOf = async (path: string): Promise<string> => {
  const answer = await ask(path);
  return `${answer.status} ${((await answer.json()) as { code?: string }).code ?? ''}`.trim();
};
const escaped = (text: string): string => text.replaceAll(/[\^$.*+?()[\]{}|\\]/g, '\\$&');
const passportAt = async (path: string): Promise<Json> => (await ask(path)).json() as Promise<Json>;
const shown = (path: string): Promise<Json> =>
  eventually(`a passport at ${path}`, async () => {
    const answer = await ask(path);
    return answer.status === 200 ? ((await answer.json()) as Json) : undefined;
  });

describe('a passport', () => {
  it('is nobody’s business before the tenant shows passports, and a draft to itself', async () => {
    expect(await statusOf(LINK)).toBe('404 passport_not_found');
    const draft = await trade.api.get<Json>(`/api/v1/nfts/${await trade.tokenOf('RP262641')}/passport`);
    expect(draft).toMatchObject({ passportId: null, passportStatus: 'draft', product: { lot: 'RP262641' } });
    expect(await codeOf(trade.api.post(`/api/v1/nfts/${await trade.tokenOf('RP262641')}/passport`))).toBe('409 passports_off');
    expect(await codeOf(settings(trade.mill.api, { enabled: true }))).toBe('403 role_required');
  });

  it('comes for every lot of an asset type with passports once the tenant shows them, and for no other', async () => {
    for (const api of [trade.api, wool]) await settings(api, { enabled: true });
    await Promise.all([shown(LINK), shown(JACKET)]);
    const { data } = await trade.api.get<{ data: Json[] }>('/api/v1/passports');
    expect(data.map(({ tlc }) => tlc as string)).toEqual(['RP262641']);
    expect(data[0]).toMatchObject({ gtin: '09520123450014', digitalLink: `${world.baseUrl}${LINK}`, withdrawnAt: null });
    expect(data[0]!['id']).toMatch(/^[0-9a-f]{32}$/);
    expect(await codeOf(trade.api.post(`/api/v1/nfts/${await trade.tokenOf('RM-20260920-01')}/passport`))).toBe('409 not_for_passports');
    const again = await trade.api.post<Json>(`/api/v1/nfts/${await trade.tokenOf('RP262641')}/passport`);
    expect(again['id']).toBe(data[0]!['id']);
  });

  it('tells product, origin by month, footprint and certificates, and the same under both addresses', async () => {
    const passport = await shown(LINK);
    expect(passport).toMatchObject({
      passportStatus: 'active',
      version: expect.any(Number),
      recalls: [],
      product: {
        granularity: 'batch',
        name: 'Milled rice, 5 kg bag',
        description: 'Example Brand Jasmine rice, 5 kg, woven bag',
        hsCode: '1006.30',
        gtin: '09520123450014',
        lot: 'RP262641',
        producedOn: '2026-09-21',
        bestBefore: '2028-03-21',
        expired: false,
        retired: null,
        attributes: { packaging: { material: 'PP woven', massPerUnitG: 45, recyclable: true, recycledContent: 0 } },
      },
      operator: { name: 'Example Mill' },
      footprint: {
        boundary: 'cradle_to_gate',
        standards: ['ISO14067', 'ISO14083'],
        indicators: { carbon: { unit: 'kgCO2e', lowerBound: false } },
      },
      certificates: [{ type: 'TEST_REPORT', issuer: 'Example Lab', validTo: '2027-09-21', valid: true, verified: true }],
      traceability: { verifiedRatio: 1, chainOfCustody: 'segregated', claimShare: 1 },
      links: { digitalLink: `${world.baseUrl}${LINK}` },
    });
    expect(passport['origin']).toMatchObject({
      complete: true,
      steps: [
        { country: 'VN', region: 'Mekong Delta', month: '2026-09', verifiedRatio: 1, attributes: { variety: ['Jasmine 85'] } },
        { country: 'VN', region: null, month: '2026-09' },
        { country: 'VN', region: null, month: '2026-09' },
        { country: 'VN', region: null, month: '2026-09' },
      ],
    });
    const lot = await trade.api.get<Json>(`/api/v1/nfts/${await trade.tokenOf('RP262641')}/footprint`);
    expect(passport['footprint'].indicators.carbon.perKg).toBe(lot['indicators'].carbon.perKg);
    const { integrity: _, ...same } = await passportAt(`/p/${passport['passportId']}`);
    expect(passport).toMatchObject(same);
  });

  it('says that bytes and chain agree when they were looked at', async () => {
    const integrity = await eventually('a look at the evidence', async () => {
      const found = (await shown(LINK))['integrity'] as Json;
      return found['result'] === 'ok' ? found : undefined;
    });
    const lot = await trade.lot(await trade.tokenOf('RP262641'));
    expect(integrity).toMatchObject({ chainId: 31_337, contract: trade.contract, mintTx: lot['txHash'], dataHash: lot['dataHash'] });
    await settings(trade.api, { showIntegrity: false });
    await eventually('no evidence', async () => (await shown(LINK))['integrity'] === null);
    await settings(trade.api, { showIntegrity: true });
    await eventually('the evidence again', async () => (await shown(LINK))['integrity'] !== null);
  });

  it('is looked at whatever else waits for a look: passports whose lot a deep reorganisation took away are not first for ever', async () => {
    const work = world.service.app.get(UnitOfWork, { strict: false });
    const [{ tenantId }] = (await work.asSystem((tx) =>
      tx.sql(`select tenant_id as "tenantId" from passports.passport where tlc = 'RP262641'`),
    )) as [{ tenantId: string }];
    const yesterday = new Date(Date.now() - 2 * 86_400_000);
    // More than one turn looks at.
    const gone = Array.from({ length: 25 }, (_, i) => String(i).padStart(32, '0'));
    await work.inTransaction({ tenantId }, async (tx) => {
      await tx.sql(
        `insert into passports.passport (tenant_id, id, token_id, contract, tlc, issued_at, updated_at)
         select $1, id, 900000 + n, '0xC0', 'GONE-' || n, $3, $3 from unnest($2::text[]) with ordinality as t(id, n)`,
        [tenantId, gone, yesterday],
      );
      await tx.sql(`update passports.passport set checked_at = $2, check_result = null where tenant_id = $1 and tlc = 'RP262641'`, [
        tenantId,
        yesterday,
      ]);
    });
    const results = (): Promise<{ check_result: string | null }[]> =>
      work.inTransaction({ tenantId }, (tx) =>
        tx.sql('select distinct check_result from passports.passport where tenant_id = $1 order by 1', [tenantId]),
      );
    await eventually('a look at all of them', async () => (await results()).every(({ check_result: result }) => result !== null));
    expect(await results()).toEqual([{ check_result: 'ok' }, { check_result: 'unreachable' }]);
    await work.asSystem((tx) => tx.sql('delete from passports.passport where tenant_id = $1 and id = any($2::text[])', [tenantId, gone]));
  });

  it('has no value in it that a process map does not call public, in any form', async () => {
    for (const [slug, path, api] of [
      ['rice', LINK, trade.api],
      ['wool', JACKET, wool],
    ] as const) {
      const { passportId, operator } = await shown(path);
      const restricted = restrictedValues(slug, readScenario(slug), [String((operator as Json)['name'])]);
      const lots = (await api.lots.list({ limit: 100 })).data as unknown as Json[];
      const events = (await api.get<{ data: Json[] }>('/api/v1/events?limit=100')).data;
      const own = lots.find(({ tlc }) => path.endsWith(String(tlc)))!;
      restricted.push(
        ...lots.filter((lot) => lot !== own).flatMap(({ tlc, txHash, dataHash, id }) => [tlc, txHash, dataHash, id] as string[]),
        ...events.filter(({ id }) => id !== own['mintEventId']).flatMap(({ id, ipfsCid, orgId }) => [id, ipfsCid, orgId] as string[]),
        ...Object.values(world.tenant(slug).actors).flatMap(({ address, email }) => [address, email]),
        world.tenant(slug).admin.email,
      );
      const values = restricted.filter((value) => typeof value === 'string');
      expect(values.length).toBeGreaterThan(100);
      const answers = [
        await ask(path),
        await ask(path, { accept: 'text/html' }),
        await ask(`${path}?linkType=linkset`),
        await ask(`/p/${passportId}`),
        await ask(`/p/${passportId}/bundle`),
        await ask(`/p/${passportId}/label.svg`),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        const text = `${await answer.text()}${JSON.stringify([...answer.headers])}`.toLowerCase();
        const leaks = values.filter((value) => new RegExp(`(?<![\\w.])${escaped(value.toLowerCase())}(?![\\w.])`).test(text));
        expect([answer.url, leaks]).toEqual([answer.url, []]);
      }
    }
  });
});

describe('what labels and links lead to', () => {
  it('is a host and nothing that ends a header, a link or a code', async () => {
    for (const resolver of [
      'https://例え.example',
      'https://é.example',
      'https://a>;rel="x"',
      'https://a\u0007',
      'https://a/b',
      'javascript:alert(1)',
      'https://a@b',
      '',
    ])
      expect([resolver, await codeOf(settings(wool, { resolver }))]).toEqual([resolver, 'wrong_format']);
    expect(await settings(wool, { resolver: 'https://xn--r8jz45g.example:8443' })).toMatchObject({
      resolver: 'https://xn--r8jz45g.example:8443',
    });
    const { links } = await eventually('the new host', async () => {
      const passport = await shown(JACKET);
      return (passport['links'].self as string).startsWith('https://xn--r8jz45g.example:8443/p/') ? passport : undefined;
    });
    expect(links.digitalLink).toBe(`https://xn--r8jz45g.example:8443${JACKET}`);
    await settings(wool, { resolver: null });
  });
});

describe('an address of a passport', () => {
  it('tells nothing of what is not there', async () => {
    const problems = await Promise.all(
      ['/01/09520123450014/10/RP000000', '/01/09520123450014/10/RM-20260920-01', `/p/${'0'.repeat(32)}`, '/p/1', '/p/..%2f..%2fetc'].map(
        async (path) => {
          const { instance: _, requestId: __, ...problem } = await passportAt(path);
          return JSON.stringify(problem);
        },
      ),
    );
    expect(new Set(problems).size).toBe(1);
    expect(JSON.parse(problems[0]!)).toMatchObject({ status: 404, code: 'passport_not_found' });
  });

  it.each([
    ['a wrong check digit', '/01/09520123450015/10/RP262641', '400 gtin_malformed'],
    ['letters for a GTIN', '/01/abc/10/RP262641', '400 gtin_malformed'],
    ['a slash in the lot', '/01/09520123450014/10/RP%2F262641', '404 passport_not_found'],
    ['a percent sign in the lot', '/01/09520123450014/10/RP%25262641', '404 passport_not_found'],
    ['a lot that is encoded twice', '/01/09520123450014/10/%2552P262641', '404 passport_not_found'],
    ['letters beyond ASCII', '/01/09520123450014/10/%E1%BB%93%F0%9F%8C%BE', '404 passport_not_found'],
    ['the character U+0000', '/01/09520123450014/10/RP%00', '400 malformed_request'],
    ['half a percent sequence', '/01/09520123450014/10/RP%2', '400 malformed_request'],
    ['a lot of 500 characters', `/01/09520123450014/10/${'9'.repeat(500)}`, '404 passport_not_found'],
    ['a link type that there is not', `${LINK}?linkType=gs1:nothing`, '404 link_type_unknown'],
    ['two link types', `${LINK}?linkType=gs1:dpp&linkType=linkset`, '404 link_type_unknown'],
  ])('with %s is refused as such', async (_, path, refusal) => {
    expect(await statusOf(path)).toBe(refusal);
  });

  it('is not found by walking: one address has its requests a minute, in whatever form, and is told when to come back', async () => {
    const walk = (path: string): Promise<Response> => ask(path, { accept: 'application/json', 'x-forwarded-for': '203.0.113.7' });
    for (let tried = 0; tried < LIMIT; tried++) {
      const { status } = await walk(`/p/${createHash('md5').update(String(tried)).digest('hex')}`);
      // The minute may have begun anew on the way.
      expect([404, 429]).toContain(status);
    }
    const refused = await eventually('a refusal', async () => {
      const answers = await Promise.all(['/p/x', LINK, `${LINK}?linkType=linkset`, '/01/09520123450014/10/X'].map(walk));
      return answers.every(({ status }) => status === 429) ? answers : undefined;
    });
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(await answer.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    }
    expect((await ask(LINK)).status).toBe(200);
  });

  it('is read whatever is encoded in it, once, and with a GTIN of fewer digits', async () => {
    const passport = await shown(LINK);
    for (const path of ['/01/09520123450014/10/%52P%32%36%32641', '/01/9520123450014/10/RP262641'])
      expect((await passportAt(path))['passportId']).toBe(passport['passportId']);
  });

  it('answers a page, JSON or a linkset, by what is asked for', async () => {
    const typeOf = async (accept: string, path = LINK): Promise<string> => {
      const answer = await ask(path, { accept });
      return `${answer.status} ${answer.headers.get('content-type')}`;
    };
    expect(await typeOf('text/html,application/xhtml+xml,*/*;q=0.8')).toBe('200 text/html; charset=utf-8');
    expect(await typeOf('*/*')).toBe('200 text/html; charset=utf-8');
    expect(await typeOf('application/json')).toBe('200 application/json; charset=utf-8');
    expect(await typeOf('text/html;q=0.1, application/json')).toBe('200 application/json; charset=utf-8');
    expect(await typeOf('application/linkset+json')).toBe('200 application/linkset+json');
    expect(await typeOf('text/html', `${LINK}?linkType=linkset`)).toBe('200 application/linkset+json');
    expect(await typeOf('image/png')).toBe('406 application/problem+json; charset=utf-8');
    expect(await typeOf('text/html', `/p/${'0'.repeat(32)}`)).toBe('404 text/html; charset=utf-8');
    expect(await typeOf('*/*', `/p/${'0'.repeat(32)}`)).toBe('404 application/problem+json; charset=utf-8');
  });

  it('gives a linkset of RFC 9264 with the link types of GS1', async () => {
    const { linkset } = (await (await ask(`${LINK}?linkType=linkset`)).json()) as { linkset: Json[] };
    expect(linkset).toHaveLength(1);
    expect(linkset[0]!['anchor']).toBe(world.baseUrl + LINK);
    for (const type of ['defaultLink', 'dpp', 'pip', 'traceability', 'recallStatus', 'sustainabilityInfo', 'certificationInfo'])
      for (const target of linkset[0]![`https://ref.gs1.org/voc/${type}`] as Json[])
        expect((await ask(new URL(target['href'] as string).pathname, { accept: target['type'] as string })).status).toBe(200);
    const answer = await ask(LINK);
    expect(answer.headers.get('link')).toContain('rel="linkset"');
  });

  it('is printed on a label, as SVG and as PDF', async () => {
    const { passportId: id, links } = await shown(LINK);
    expect(links.label).toBe(`${world.baseUrl}/p/${id}/label.svg`);
    const svg = await ask(`/p/${id}/label.svg`);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(await svg.text()).toContain(`${world.baseUrl}${LINK}`);
    const pdf = await ask(`/p/${id}/label.pdf`);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await pdf.arrayBuffer());
    expect([bytes.subarray(0, 5).toString(), bytes.includes('%%EOF')]).toEqual(['%PDF-', true]);
  });

  it('is kept by caches for five minutes and asked for again by its tag', async () => {
    const first = await ask(LINK);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('vary')).toBe('accept, x-forwarded-host, x-forwarded-proto');
    const tag = first.headers.get('etag')!;
    const second = await ask(LINK, { accept: 'application/json', 'if-none-match': `W/"other", ${tag}` });
    expect([second.status, await second.text(), second.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await ask(LINK, { accept: 'text/html', 'if-none-match': tag })).status).toBe(200);
  });
});

describe('the evidence of a passport', () => {
  const bundleOf = async (path: string): Promise<string> => {
    const answer = await ask(path);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const brokenIn = async (text: string, node?: AskChain): Promise<string[]> =>
    (await verifyBundle(text, node)).links.filter(({ state }) => state === 'broken').map(({ of, link }) => `${of}, ${link}`);
  const node: AskChain = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(world.node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.json()) as { result: unknown }).result;
  };
  let open: string;
  let whole: string;

  it('holds to everybody without bytes, and with a signed link with all bytes and the whole lineage', async () => {
    const { passportId: id, links } = await shown(LINK);
    expect(links.bundle).toBe(`${world.baseUrl}/p/${id}/bundle`);
    open = await bundleOf(`/p/${id}/bundle`);
    const report = await verifyBundle(open, node);
    expect([
      report.ok,
      report.links.filter(({ state }) => state !== 'ok').map(({ of, link, state }) => `${of}, ${link}: ${state}`),
    ]).toEqual([true, ['event 1, bytes ↔ CID: left_out', 'passport, words ↔ bytes: left_out']]);
    const { url } = await trade.api.post<{ url: string }>(`/api/v1/passports/${id}/bundle-link`, { expiresInSeconds: 3_600 });
    whole = await bundleOf(url.slice(world.baseUrl.length));
    const all = await verifyBundle(whole, node);
    expect([all.ok, all.links.filter(({ state }) => state !== 'ok')]).toEqual([true, []]);
    const { events, lineage } = JSON.parse(whole) as { events: Json[]; lineage: { edges: Json[]; complete: boolean } };
    expect([events.length, lineage.edges.length, lineage.complete]).toEqual([5, 4, true]);
  });

  it('is opened by no link that expired, was changed, or is of another passport', async () => {
    const [{ passportId: rice }, { passportId: jacket }] = [await shown(LINK), await shown(JACKET)];
    const { url } = await trade.api.post<{ url: string }>(`/api/v1/passports/${rice}/bundle-link`);
    const { pathname, searchParams } = new URL(url);
    const [until, key] = [searchParams.get('until')!, searchParams.get('key')!];
    for (const path of [
      `${pathname}?until=${Number(until) + 1}&key=${key}`,
      `${pathname}?until=1&key=${key}`,
      `${pathname}?until=${until}`,
      `${pathname}?until=${until}&key=${key.slice(0, -1)}`,
      `${pathname}?until=${until}&key=${key}&key=${key}`,
      `/p/${jacket}/bundle?until=${until}&key=${key}`,
    ])
      expect([path, await statusOf(path)]).toEqual([path, '403 link_expired']);
  });

  it('is found broken by a changed byte, wherever it is', async () => {
    for (const text of [open, whole]) {
      const places = Array.from({ length: 25 }, (_, i) => Math.floor(((i + 0.5) * text.length) / 25));
      for (const place of places) {
        const changed = text.slice(0, place) + (text[place] === '7' ? '8' : '7') + text.slice(place + 1);
        expect([place, (await verifyBundle(changed)).ok]).toEqual([place, false]);
      }
      for (const changed of [` ${text}`, `${text}\n`, text.replace('{', '{"more":1,'), text.slice(0, -1)])
        expect((await verifyBundle(changed)).ok).toBe(false);
    }
  });

  it('is found broken also where whoever changed it has counted the digest anew', async () => {
    const leaves = leavesOf(JSON.parse(whole)).filter(({ path }) => !['digest', 'tier', 'lineage/complete'].includes(path));
    expect(leaves.length).toBeGreaterThan(60);
    for (const { path, value } of leaves) {
      const forged = JSON.parse(whole) as Json;
      put(forged, path.split('/'), forge(value));
      expect([path, (await verifyBundle(signed(forged))).ok]).toEqual([path, false]);
    }
  });

  it('is found broken where it says of product, origin or certificates what the bytes do not', async () => {
    const forgeries: [string, (passport: Json) => void][] = [
      ['words', ({ product }) => (product.description = 'Organic rice')],
      ['words', ({ product }) => (product.producedOn = '2026-11-21')],
      ['words', ({ product }) => (product.bestBefore = '2029-03-21')],
      ['words', ({ product }) => (product.attributes.packaging.recycledContent = 1)],
      ['words', ({ product }) => (product.attributes.organic = true)],
      ['origin', ({ origin }) => (origin.steps[0].country = 'FR')],
      ['origin', ({ origin }) => (origin.steps[0].region = 'Camargue')],
      ['origin', ({ origin }) => (origin.steps[1].month = '2026-10')],
      ['origin', ({ origin }) => (origin.steps[0].attributes.variety = ['Basmati'])],
      ['origin', ({ certificates }) => certificates.push({ type: 'ORGANIC', issuer: 'Example Lab', validTo: null, valid: null })],
    ];
    for (const [part, change] of forgeries) {
      const file = JSON.parse(whole) as Json;
      const passport = JSON.parse(file['passport'].text as string) as Json;
      change(passport);
      const text = canonicalJson(passport);
      const forged = signed({ ...file, passport: { text, cid: addressOf(Buffer.from(text)).cid } });
      expect([String(change), await brokenIn(forged)]).toEqual([String(change), [`passport, ${part} ↔ bytes`]]);
    }
  });

  it('is found broken where an event was taken out, stands twice, or something was added', async () => {
    const { events, ...file } = JSON.parse(whole) as Json & { events: Json[] };
    const { edges } = file['lineage'] as { edges: Json[] };
    const blocks = file['blocks'] as Json;
    const last = events.at(-1)!;
    const { [last['blockHash'] as string]: _, ...otherBlocks } = blocks;
    const less = {
      events: events.slice(0, -1),
      lineage: { complete: true, edges: edges.filter(({ eventId }) => eventId !== last['eventId']) },
      blocks: otherBlocks,
    };
    for (const [changed, broken] of [
      [less, 'file, lineage ↔ inputs'],
      [{ events: [...events, last] }, 'file, events'],
      [{ events: events.map((event) => ({ ...event, note: 'organic' })) }, 'file, readable'],
      [{ note: 'organic' }, 'file, readable'],
      [{ events: events.map((event) => ({ ...event, transactionIndex: Number(event['transactionIndex']) + 0.5 })) }, 'file, readable'],
      [{ lineage: { complete: true, edges: edges.map((edge) => ({ ...edge, from: ` ${edge['from']}` })) } }, 'file, readable'],
    ] as const)
      expect(await brokenIn(signed({ events, ...file, ...changed }))).toContain(broken);
  });

  it('is not called broken where a node gives no answer, nor good', async () => {
    const silent: AskChain = (method, params) => (method === 'eth_call' ? Promise.reject(new Error('too busy')) : node(method, params));
    const { ok, links } = await verifyBundle(open, silent);
    expect([ok, links.filter(({ state }) => state === 'broken' || state === 'unanswered')]).toEqual([
      false,
      [{ link: 'block ↔ chain', of: 'file', state: 'unanswered', detail: expect.stringContaining('too busy') }],
    ]);
  });

  it('that is of another chain, or was taken back there, is told by a node', async () => {
    const elsewhere: AskChain = (method, params) => (method === 'eth_getBlockByNumber' ? Promise.resolve(null) : node(method, params));
    expect(await brokenIn(open, elsewhere)).toEqual(['event 1, block ↔ chain']);
    expect(await brokenIn(open, (method, params) => (method === 'eth_chainId' ? Promise.resolve('0x1') : node(method, params)))).toEqual([
      'file, chain',
    ]);
  });

  it('has a page of its own that runs no script but its own', async () => {
    const page = await ask('/verify', { accept: 'text/html' });
    const text = await page.text();
    const script = /<script type="module">([\s\S]*)<\/script>/.exec(text)![1]!;
    expect(page.headers.get('content-security-policy')).toContain(`sha256-${createHash('sha256').update(script).digest('base64')}`);
    expect(script).not.toMatch(/^(import|export) /m);
  });
});

describe('the page that checks evidence', () => {
  inBrowser('says the same as the command, of whole files, changed bytes, what is no text, and with a node', async () => {
    const { passportId: id } = await shown(LINK);
    const good = Buffer.from(await (await ask(`/p/${id}/bundle`)).arrayBuffer());
    const changed = Buffer.from(good.toString().replace('RP262641', 'RP262642'));
    const noText = Buffer.concat([good.subarray(0, 50), Buffer.from([0xff]), good.subarray(51)]);
    const browser = await openBrowser(chromium!);
    try {
      const { page, complaints } = await openPage(await browser.newContext());
      await page.goto(`${world.baseUrl}/verify`);
      const check = async (buffer: Buffer, heading: string): Promise<void> => {
        await page.setInputFiles('#file', { name: 'passport.json', mimeType: 'application/json', buffer });
        await page.locator('#out', { hasText: heading }).waitFor();
      };
      await check(good, 'Every link that could be checked holds');
      expect(await page.locator('#out').innerText()).toContain('block ↔ chain: not asked');
      await check(changed, 'This file does not hold');
      await check(good, 'Every link that could be checked holds');
      // A mark before the text is a change too, and so are bytes that a browser would mend in reading.
      await check(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good]), 'This file does not hold');
      await check(noText, 'It cannot be checked');
      await page.locator('#node').fill(world.node.url);
      await check(good, 'block ↔ chain: holds');
      await page.locator('#node').fill('http://127.0.0.1:1/');
      await check(good, 'The node gave no answer');
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

describe('a static export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trace-export-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** Beside the service, which runs in this process and must go on meanwhile. */
  const command = async (...args: string[]): Promise<string> => {
    const cli = fileURLToPath(new URL('../../apps/cli/src/main.js', import.meta.url));
    const run = spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, ...world.environment, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [run.stdout, run.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [status] = (await once(run, 'close')) as [number | null];
    return `${status} ${said}`.trim();
  };

  it('has page, JSON, linkset, label and evidence of every passport, and the command finds the evidence good', async () => {
    const { passportId: id } = await shown(LINK);
    const exported = await command(
      'export-passports',
      'rice',
      folder,
      '--base-url',
      'https://files.example/rice/',
      '--rpc',
      world.node.url,
    );
    expect(exported).toBe(`0 1 passports in ${folder}, 0 withdrawn ones left out.`);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted()).toEqual(
      [
        ...['index.html', 'linkset.json', 'passport.json'].flatMap((name) => [`p/${id}/${name}`, `${LINK.slice(1)}/${name}`]),
        ...[`p/${id}/label.svg`, `p/${id}/bundle.json`, 'verify/index.html'],
      ].toSorted(),
    );
    const page = readFileSync(join(folder, 'p', id as string, 'index.html'), 'utf8');
    expect(page).toContain(`https://files.example/rice${LINK}`);
    expect(page).not.toContain(world.baseUrl);
    const bundle = join(folder, 'p', id as string, 'bundle.json');
    expect(await command('verify', bundle, '--rpc', world.node.url)).toMatch(/^0 [\s\S]*Every link that could be checked holds\.$/);
    writeFileSync(bundle, readFileSync(bundle, 'utf8').replace('RP262641', 'RP262642'));
    expect(await command('verify', bundle)).toMatch(/^1 [\s\S]*BROKEN[\s\S]*The file does not hold\.$/);
    const { linkset } = JSON.parse(readFileSync(join(folder, 'p', id as string, 'linkset.json'), 'utf8')) as { linkset: Json[] };
    const json = (linkset[0]!['https://ref.gs1.org/voc/dpp'] as Json[]).find(({ type }) => type === 'application/json')!['href'] as string;
    expect(readFileSync(join(folder, json.slice('https://files.example/rice/'.length)), 'utf8')).toContain(`"passportId":"${id}"`);
  });
});

describe('what becomes of a lot', () => {
  it('shows: recalled first and kept by no cache, and withdrawn never while it stands recalled', async () => {
    const { passportId: id, version } = await shown(LINK);
    const tokenId = await trade.tokenOf('RP262641');
    await trade.land(
      trade.admin,
      trade.recall(trade.admin, tokenId, { reason: 'Glass <found>', recallClass: 'I', instructions: 'Bring it back.' }),
    );
    const recalled = await eventually('the recall', async () => {
      const passport = await shown(LINK);
      return passport['passportStatus'] === 'recalled' ? passport : undefined;
    });
    expect(recalled['recalls']).toEqual([
      { recallClass: 'I', reason: 'Glass <found>', instructions: 'Bring it back.', date: expect.any(String) },
    ]);
    expect(recalled['version']).toBeGreaterThan(Number(version));
    const page = await ask(LINK, { accept: 'text/html' });
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const text = await page.text();
    expect(text).toContain('Glass &lt;found&gt;');
    expect(text.indexOf('Recalled: do not use')).toBeLessThan(text.indexOf('<h1'));
    expect(text).not.toContain('<script');
    expect(await codeOf(trade.api.post(`/api/v1/passports/${id}/withdraw`, { reason: 'no longer' }))).toBe('409 passport_recalled');
  });

  it('shows: withdrawn and back again', async () => {
    const { passportId: id } = await shown(JACKET);
    await wool.post(`/api/v1/passports/${id}/withdraw`, { reason: 'a wrong photo' });
    await eventually('410', async () => (await statusOf(`/p/${id}`)) === '410 passport_withdrawn');
    expect(await statusOf(JACKET)).toBe('410 passport_withdrawn');
    const page = await ask(JACKET, { accept: 'text/html' });
    expect([page.status, (await page.text()).includes('a wrong photo')]).toEqual([410, false]);
    await wool.post(`/api/v1/passports/${id}/reinstate`);
    await shown(JACKET);
  });

  it('shows: retired, by its reason and month', async () => {
    const { version } = await shown(JACKET);
    const dist = await world.company('wool', 'dist');
    const { tokenId } = await wool.lots.byTlc('JK2630A100');
    const admin = await administrator(world, 'wool');
    const approval = { method: 'setApprovalForAll', metadata: { args: { operator: admin.address, ok: true } } };
    await trade.land(dist, trade.call(dist, approval));
    await trade.land(admin, wool.post<Json>(`/api/v1/nfts/${tokenId}/retire/prepare`, { reason: 'sold' }));
    const retired = await eventually('the end of the jacket', async () => {
      const passport = await shown(JACKET);
      return passport['passportStatus'] === 'retired' ? passport : undefined;
    });
    expect(retired['product'].retired).toEqual({ reason: 'sold', month: expect.stringMatching(/^\d{4}-\d\d$/) });
    expect(retired['version']).toBeGreaterThan(version);
    const page = await (await ask(JACKET, { accept: 'text/html' })).text();
    expect(page).toContain('This lot left the supply chain in');
  });

  it('shows: taken back where its event was voided, and its code with its address goes to the next lot of it', async () => {
    const link = '/01/09520123450014/10/RP262650';
    const pack = async (from: object): Promise<Json> =>
      trade.land(trade.mill, trade.event(trade.mill, trade.packing(from as never, 'RP262650', '2028-03-21')));
    const { lot } = await trade.dried();
    const { outputTlc } = await trade.land(trade.mill, trade.event(trade.mill, trade.milling(lot)));
    const milled = { tlc: outputTlc as string, tokenId: await trade.tokenOf(outputTlc as string) };
    const { eventId } = await pack(milled);
    const { passportId } = await shown(link);

    await trade.land(trade.admin, trade.api.post<Json>(`/api/v1/events/${eventId}/void/prepare`, { reason: 'did_not_occur' }));
    const voided = await eventually('the void', async () => {
      const passport = await shown(`/p/${passportId}`);
      return passport['product'].retired ? passport : undefined;
    });
    expect(voided).toMatchObject({ passportStatus: 'retired', product: { retired: { reason: 'voided' } } });
    const page = await (await ask(`/p/${passportId}`, { accept: 'text/html' })).text();
    expect(page).toContain('This record was taken back');

    await pack(milled);
    const next = await eventually('the next lot of this code', async () => {
      const passport = await shown(link);
      return passport['passportId'] === passportId ? undefined : passport;
    });
    expect(next).toMatchObject({ passportStatus: 'active', product: { lot: 'RP262650', retired: null } });
    expect(await passportAt(`/p/${passportId}`)).toMatchObject({ passportStatus: 'retired' });
  });

  it('shows: other words where they were corrected, and its evidence holds with the correction in it', async () => {
    const link = '/01/09520123450014/10/RP262650';
    const { mintEventId } = await trade.lot(await trade.tokenOf('RP262650'));
    const { metadata } = await trade.api.get<Json>(`/api/v1/events/${mintEventId}`);
    const description = 'Rice of the second harvest';
    const correction = { metadata: { ...(metadata as Json), productDescription: description } };
    await trade.land(trade.admin, trade.api.post<Json>(`/api/v1/events/${mintEventId}/supersede/prepare`, correction));
    const { passportId: id } = await eventually('the corrected words', async () => {
      const passport = await shown(link);
      return passport['product'].description === description ? passport : undefined;
    });
    const { url } = await trade.api.post<{ url: string }>(`/api/v1/passports/${id}/bundle-link`);
    const bundle = await (await ask(url.slice(world.baseUrl.length))).text();
    const { ok, links } = await verifyBundle(bundle);
    expect([ok, links.filter(({ state }) => state === 'broken')]).toEqual([true, []]);
    expect((JSON.parse(bundle) as { events: Json[] }).events.map(({ text }) => String(text)).join()).toContain(description);
  });
});

describe('a page in a browser', () => {
  inBrowser('is for everybody, on a phone and a desk, in both lights, whatever became of the lot', async () => {
    const browser = await openBrowser(chromium!);
    try {
      const { page, complaints } = await openPage(await browser.newContext());
      for (const [path, says] of [
        [LINK, 'Recalled'],
        [JACKET, 'This lot left the supply chain'],
        ['/01/09520123450014/10/RP262650', 'Active'],
        [`/p/${'0'.repeat(32)}`, 'There is no passport here'],
      ] as const) {
        await page.goto(world.baseUrl + path);
        await page.getByText(says).first().waitFor();
        expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
      }
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

interface Leaf {
  readonly path: string;
  readonly value: string | number;
}

const leavesOf = (value: unknown, path = ''): Leaf[] => {
  if (typeof value === 'string' || typeof value === 'number') return [{ path, value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, path === '' ? key : `${path}/${key}`));
};

/** Another value of the same form: as close to the right one as a forger gets. */
function forge(value: string | number): string | number {
  if (typeof value === 'number') return value + 1;
  const place = Math.floor(value.length / 2);
  // One digit more: the next number may be as true as this one.
  if (value.length < 4) return `${value}9`;
  return value.slice(0, place) + (value[place] === '5' ? '6' : '5') + value.slice(place + 1);
}

/** With its digest counted anew, in the one form. */
function signed(file: Json): string {
  const { digest: _, ...content } = file;
  const digest = `0x${createHash('sha256').update(canonicalJson(content)).digest('hex')}`;
  return canonicalJson({ ...content, digest });
}

function put(target: Json, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value;
  else put(target[key!] as Json, rest, value);
}
