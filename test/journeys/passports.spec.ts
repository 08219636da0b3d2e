import { createHash } from 'node:crypto';
import { UnitOfWork } from '#persistence';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { passportEvidenceSuite } from './passports-evidence.suite.js';
import { passportLifecycleSuite } from './passports-lifecycle.suite.js';
import { JACKET, LIMIT, LINK, ask, journey, passportAt, settings, shown, statusOf } from './passports-journey.js';
import { passportChoicesSuite } from './passports-choices.suite.js';
import { passportsHttp2Suite } from './passports-http2.suite.js';
import { passportSharesSuite } from './passports-shares.suite.js';
import { resolverSuite } from './passports-resolver.suite.js';
import { restrictedValues } from './restricted-values.js';
import { type Json, RiceTrade, codeOf } from './rice-trade.js';

beforeAll(async () => {
  const world = await World.start({ TRUSTED_PROXIES: '1', RATE_PUBLIC_PER_ADDRESS: String(LIMIT) });
  journey.world = world;
  await Promise.all([world.play('rice'), world.play('wool')]);
  journey.trade = await RiceTrade.of(world);
  journey.wool = await world.admin('wool');
});
afterAll(() => journey.world?.close());

const escaped = (text: string): string => text.replaceAll(/[\^$.*+?()[\]{}|\\]/g, '\\$&');

describe('a passport', () => {
  it('is a draft of the tenant, and not public, before the tenant switches passports on', async () => {
    expect(await statusOf(LINK)).toBe('404 digital_link_not_found');
    const draft = await journey.trade.api.get<Json>(`/api/v1/nfts/${await journey.trade.tokenOf('RP262641')}/passport`);
    expect(draft).toMatchObject({ passportId: null, passportStatus: 'draft', product: { lot: 'RP262641' } });
    expect(await codeOf(journey.trade.api.post(`/api/v1/nfts/${await journey.trade.tokenOf('RP262641')}/passport`))).toBe(
      '409 passports_off',
    );
    expect(await codeOf(settings(journey.trade.mill.api, { enabled: true }))).toBe('403 role_required');
  });

  it('is issued for every lot of an asset type with passports after the tenant switched them on, and for no other', async () => {
    for (const api of [journey.trade.api, journey.wool]) await settings(api, { enabled: true });
    await Promise.all([shown(LINK), shown(JACKET)]);
    const { data } = await journey.trade.api.get<{ data: Json[] }>('/api/v1/passports');
    expect(data.map(({ tlc }) => tlc as string)).toEqual(['RP262641']);
    expect(data[0]).toMatchObject({ gtin: '09520123450014', digitalLink: `${journey.world.baseUrl}${LINK}`, withdrawnAt: null });
    expect(data[0]!['id']).toMatch(/^[0-9a-f]{32}$/);
    expect(await codeOf(journey.trade.api.post(`/api/v1/nfts/${await journey.trade.tokenOf('RM-20260920-01')}/passport`))).toBe(
      '409 not_for_passports',
    );
    const again = await journey.trade.api.post<Json>(`/api/v1/nfts/${await journey.trade.tokenOf('RP262641')}/passport`);
    expect(again['id']).toBe(data[0]!['id']);
  });

  it('has product, origin by month, footprint and certificates, the same under both addresses', async () => {
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
      links: { digitalLink: `${journey.world.baseUrl}${LINK}` },
    });
    const originSteps = [
      { country: 'VN', region: 'Mekong Delta', month: '2026-09', verifiedRatio: 1, attributes: { variety: ['Jasmine 85'] } },
      { country: 'VN', region: null, month: '2026-09' },
      { country: 'VN', region: null, month: '2026-09' },
      { country: 'VN', region: null, month: '2026-09' },
    ];
    expect(passport['origin']).toMatchObject({ complete: true, steps: originSteps });
    const lot = await journey.trade.api.get<Json>(`/api/v1/nfts/${await journey.trade.tokenOf('RP262641')}/footprint`);
    expect(passport['footprint'].indicators.carbon.perKg).toBe(lot['indicators'].carbon.perKg);
    const { integrity: _, ...same } = await passportAt(`/p/${passport['passportId']}`);
    expect(passport).toMatchObject(same);
  });

  it('says that bytes and chain agree after the evidence was checked', async () => {
    const integrity = await eventually('a check of the evidence', async () => {
      const found = (await shown(LINK))['integrity'] as Json;
      return found['result'] === 'ok' ? found : undefined;
    });
    const lot = await journey.trade.lot(await journey.trade.tokenOf('RP262641'));
    expect(integrity).toMatchObject({
      chainId: 31_337,
      contract: journey.trade.contract,
      mintTx: lot['txHash'],
      dataHash: lot['dataHash'],
    });
    await settings(journey.trade.api, { showIntegrity: false });
    await eventually('no evidence', async () => (await shown(LINK))['integrity'] === null);
    await settings(journey.trade.api, { showIntegrity: true });
    await eventually('the evidence again', async () => (await shown(LINK))['integrity'] !== null);
  });

  it('is checked even when many others wait: passports whose lot a deep reorganisation removed do not block the others', async () => {
    const work = journey.world.service.app.get(UnitOfWork, { strict: false });
    const [{ tenantId }] = (await work.asSystem((tx) =>
      tx.sql(`select tenant_id as "tenantId" from passports.passport where tlc = 'RP262641'`),
    )) as [{ tenantId: string }];
    const yesterday = new Date(Date.now() - 2 * 86_400_000);
    // More than one run checks.
    const gone = Array.from({ length: 25 }, (_, i) => String(i).padStart(32, '0'));
    await work.inTransaction({ tenantId }, async (tx) => {
      await tx.sql(
        `insert into passports.passport (tenant_id, id, token_id, contract, tlc, key, issued_at, updated_at)
         select $1, id, 900000 + n, '0xC0', 'GONE-' || n, 'GONE-' || n, $3, $3 from unnest($2::text[]) with ordinality as t(id, n)`,
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
    await eventually('a check of all of them', async () => (await results()).every(({ check_result: result }) => result !== null));
    expect(await results()).toEqual([{ check_result: 'ok' }, { check_result: 'unreachable' }]);
    await work.asSystem((tx) => tx.sql('delete from passports.passport where tenant_id = $1 and id = any($2::text[])', [tenantId, gone]));
  });

  it('has no value in it that a process map does not call public, in any form', async () => {
    for (const [slug, path, api] of [
      ['rice', LINK, journey.trade.api],
      ['wool', JACKET, journey.wool],
    ] as const) {
      const { passportId, operator } = await shown(path);
      const restricted = restrictedValues(slug, readScenario(slug), [String((operator as Json)['name'])]);
      const lots = (await api.lots.list({ limit: 100 })).data as unknown as Json[];
      const events = (await api.get<{ data: Json[] }>('/api/v1/events?limit=100')).data;
      const own = lots.find(({ tlc }) => path.endsWith(String(tlc)))!;
      restricted.push(
        ...lots.filter((lot) => lot !== own).flatMap(({ tlc, txHash, dataHash, id }) => [tlc, txHash, dataHash, id] as string[]),
        ...events.filter(({ id }) => id !== own['mintEventId']).flatMap(({ id, ipfsCid, orgId }) => [id, ipfsCid, orgId] as string[]),
        ...Object.values(journey.world.tenant(slug).actors).flatMap(({ address, email }) => [address, email]),
        journey.world.tenant(slug).admin.email,
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

describe('the host of labels and links', () => {
  it('has no path, user or character that breaks a header, a link or a code', async () => {
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
      expect([resolver, await codeOf(settings(journey.wool, { resolver }))]).toEqual([resolver, 'wrong_format']);
    expect(await settings(journey.wool, { resolver: 'https://xn--r8jz45g.example:8443' })).toMatchObject({
      resolver: 'https://xn--r8jz45g.example:8443',
    });
    const led = async (): Promise<string | null> => (await ask(JACKET, {}, 'manual')).headers.get('location');
    await eventually('the new host', async () => (await led())?.startsWith('https://xn--r8jz45g.example:8443/p/'));
    const own = (await led())!.slice('https://xn--r8jz45g.example:8443'.length);
    const { links } = await eventually('its links', async () => {
      const passport = await passportAt(own);
      return (passport['links'].self as string).startsWith('https://xn--r8jz45g.example:8443/p/') ? passport : undefined;
    });
    expect(links.digitalLink).toBe(`https://xn--r8jz45g.example:8443${JACKET}`);
    await settings(journey.wool, { resolver: null });
    await eventually('the host of before', async () => (await led())?.startsWith(`${journey.world.baseUrl}/p/`));
  });
});

describe('an address of a passport', () => {
  it('gives the same answer for everything that does not exist', async () => {
    const problems = async (...paths: readonly string[]): Promise<unknown[]> => {
      const found = (await Promise.all(paths.map(passportAt))).map((problem) => {
        const { instance: _, requestId: __, ...same } = problem;
        return JSON.stringify(same);
      });
      return [...new Set(found)].map((text) => JSON.parse(text) as unknown);
    };
    expect(await problems('/01/09520123450014/10/RP000000', '/01/09520123450014/10/RM-20260920-01', '/01/09520123450021')).toMatchObject([
      { status: 404, code: 'digital_link_not_found' },
    ]);
    expect(await problems(`/p/${'0'.repeat(32)}`, '/p/1', '/p/..%2f..%2fetc')).toMatchObject([{ status: 404, code: 'passport_not_found' }]);
  });

  it.each([
    ['a wrong check digit', '/01/09520123450015/10/RP262641', '400 digital_link_malformed'],
    ['letters for a GTIN', '/01/abc/10/RP262641', '400 digital_link_malformed'],
    ['a slash in the lot', '/01/09520123450014/10/RP%2F262641', '404 digital_link_not_found'],
    ['a percent sign in the lot', '/01/09520123450014/10/RP%25262641', '404 digital_link_not_found'],
    ['a lot that is encoded twice', '/01/09520123450014/10/%2552P262641', '404 digital_link_not_found'],
    ['letters beyond ASCII', '/01/09520123450014/10/%E1%BB%93%F0%9F%8C%BE', '400 digital_link_malformed'],
    ['the character U+0000', '/01/09520123450014/10/RP%00', '400 digital_link_malformed'],
    ['half a percent sequence', '/01/09520123450014/10/RP%2', '400 malformed_request'],
    ['a lot of 500 characters', `/01/09520123450014/10/${'9'.repeat(500)}`, '400 digital_link_malformed'],
    ['a link type that there is not', `${LINK}?linkType=gs1:nothing`, '404 link_type_unknown'],
    ['two link types', `${LINK}?linkType=gs1:dpp&linkType=linkset`, '404 link_type_unknown'],
  ])('with %s is refused as such', async (_, path, refusal) => {
    expect(await statusOf(path)).toBe(refusal);
  });

  it('cannot be found by trying: one client address has a limit of requests per minute over all forms, and a Retry-After', async () => {
    const walk = (path: string): Promise<Response> => ask(path, { accept: 'application/json', 'x-forwarded-for': '203.0.113.7' });
    for (let tried = 0; tried < LIMIT; tried++) {
      const { status } = await walk(`/p/${createHash('md5').update(String(tried)).digest('hex')}`);
      // A new minute may have begun meanwhile.
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

  it('is decoded once, and accepts a GTIN of fewer digits', async () => {
    const passport = await shown(LINK);
    for (const path of ['/01/09520123450014/10/%52P%32%36%32641', '/01/9520123450014/10/RP262641'])
      expect((await passportAt(path))['passportId']).toBe(passport['passportId']);
  });

  it('answers with a page, JSON or a linkset, as the client asks', async () => {
    const typeOf = async (accept: string, path = LINK): Promise<string> => {
      const answer = await ask(path, { accept });
      return `${answer.status} ${answer.headers.get('content-type')}`;
    };
    expect(await typeOf('text/html,application/xhtml+xml,*/*;q=0.8')).toBe('200 text/html; charset=utf-8');
    expect(await typeOf('*/*')).toBe('200 text/html; charset=utf-8');
    expect(await typeOf('application/json')).toBe('200 application/json; charset=utf-8');
    expect(await typeOf('text/html;q=0.1, application/json')).toBe('200 application/json; charset=utf-8');
    expect(await typeOf('application/linkset+json')).toBe('200 application/linkset+json');
    expect(await typeOf('text/html', `${LINK}?linkType=linkset`)).toBe('200 text/html; charset=utf-8');
    expect(await typeOf('*/*', `${LINK}?linkType=linkset`)).toBe('200 application/linkset+json');
    expect(await typeOf('image/png')).toBe('406 application/problem+json; charset=utf-8');
    expect(await typeOf('text/html', `/p/${'0'.repeat(32)}`)).toBe('404 text/html; charset=utf-8');
    expect(await typeOf('*/*', `/p/${'0'.repeat(32)}`)).toBe('404 application/problem+json; charset=utf-8');
  });

  it('gives a linkset of RFC 9264 with the link types of GS1', async () => {
    const { linkset } = (await (await ask(`${LINK}?linkType=linkset`)).json()) as { linkset: Json[] };
    expect(linkset).toHaveLength(1);
    expect(linkset[0]!['anchor']).toBe(journey.world.baseUrl + LINK);
    for (const type of ['defaultLink', 'dpp', 'pip', 'traceability', 'recallStatus', 'sustainabilityInfo', 'certificationInfo'])
      for (const target of linkset[0]![`https://ref.gs1.org/voc/${type}`] as Json[])
        expect((await ask(new URL(target['href'] as string).pathname, { accept: (target['type'] as string) ?? '*/*' })).status).toBe(200);
    const answer = await ask(LINK);
    expect(answer.headers.get('link')).toContain('rel="linkset"');
  });

  it('is printed on a label, as SVG and as PDF', async () => {
    const { passportId: id, links } = await shown(LINK);
    expect(links.label).toBe(`${journey.world.baseUrl}/p/${id}/label.svg`);
    const svg = await ask(`/p/${id}/label.svg`);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(await svg.text()).toContain(`${journey.world.baseUrl}${LINK}`);
    const pdf = await ask(`/p/${id}/label.pdf`);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await pdf.arrayBuffer());
    expect([bytes.subarray(0, 5).toString(), bytes.includes('%%EOF')]).toEqual(['%PDF-', true]);
    for (const symbol of ['gs1-datamatrix', 'gs1-128']) {
      const label = await (await ask(`/p/${id}/label.svg?symbol=${symbol}`)).text();
      for (const text of ['(01)09520123450014', '(10)RP262641']) expect(label).toContain(text);
      expect((await ask(`/p/${id}/label.pdf?symbol=${symbol}&sheet=a4`)).status).toBe(200);
    }
    for (const wrong of ['symbol=ean-13', 'symbol=qr&symbol=gs1-128', 'sheet=letter'])
      expect([wrong, await statusOf(`/p/${id}/label.pdf?${wrong}`)]).toEqual([wrong, '400 malformed_request']);
  });

  it('is cached for five minutes and revalidated by its ETag', async () => {
    const first = await ask(LINK);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(first.headers.get('vary')).toBe('accept, accept-language, x-dpp-grant, x-forwarded-host, x-forwarded-proto');
    const tag = first.headers.get('etag')!;
    const second = await ask(LINK, { accept: 'application/json', 'if-none-match': `W/"other", ${tag}` });
    expect([second.status, await second.text(), second.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await ask(LINK, { accept: 'text/html', 'if-none-match': tag })).status).toBe(200);
  });
});

passportSharesSuite();
resolverSuite();
passportChoicesSuite();
passportEvidenceSuite();
passportsHttp2Suite();
passportLifecycleSuite();
