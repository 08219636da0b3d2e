import { existsSync, readFileSync } from 'node:fs';
import type { TraceabilityClient } from '#client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { LINK, ask, journey, shown } from './passports-journey.js';
import { type Json, codeOf } from './rice-trade.js';

const VOCABULARY = 'https://ref.gs1.org/voc/';
const PRODUCT = '/01/09520123450014';
const CRITERIA_FILE = '../shared/data/gs1-resolver/Conformance1_2.txt';

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly link: string;
  readonly headers: Headers;
  readonly body: Json | null;
  readonly text: string;
}

let readers = 0;
/** Without following it; each time from another address. */
async function at(path: string, init: { method?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
  const answer = await fetch(journey.world.baseUrl + path, {
    redirect: 'manual',
    ...init,
    headers: { 'x-forwarded-for': `198.19.${(++readers >> 8) & 255}.${readers & 255}`, accept: 'application/json', ...init.headers },
  });
  const text = await answer.text();
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  const { status, headers } = answer;
  return {
    status,
    location: headers.get('location'),
    link: headers.get('link') ?? '',
    headers,
    body: isJson ? JSON.parse(text) : null,
    text,
  };
}

/** Written as the standard says: two digits of the identifier, its value in as few bits as its length needs, six bits a character. */
function compressedLot(gtin: string, lot: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const bits = (value: number | bigint, width: number): string => value.toString(2).padStart(width, '0');
  const text = lot
    .split('')
    .map((character) => bits(alphabet.indexOf(character), 6))
    .join('');
  const all = `${bits(0x01, 8)}${bits(BigInt(gtin), 47)}${bits(0x10, 8)}${bits(3, 3)}${bits(lot.length, 5)}${text}`;
  return (all.padEnd(Math.ceil(all.length / 6) * 6, '0').match(/.{6}/g) ?? []).map((six) => alphabet[Number.parseInt(six, 2)]).join('');
}

/** docs/reference/resolver-conformance.md; after the passports are issued. */
export function resolverSuite(): void {
  describe('the resolver of GS1 Digital Links', () => {
    let api: TraceabilityClient;
    let passport: string;
    const made: string[] = [];
    const add = async (anchor: string, words: object = {}): Promise<Json> => {
      const link = { anchor, linkType: 'gs1:instructions', href: `https://brand.example${anchor}`, title: 'How to use it', ...words };
      const created = await api.post<Json>('/api/v1/links', link);
      made.push(created['id'] as string);
      return created;
    };
    const base = (): string => journey.world.baseUrl;

    beforeAll(async () => {
      api = journey.trade.api;
      passport = `${base()}/p/${(await shown(LINK))['passportId']}`;
      await add(PRODUCT, {
        href: 'https://brand.example/rice',
        title: 'Our rice',
        linkType: 'gs1:pip',
        languages: ['en'],
        isDefault: true,
      });
      await add(PRODUCT, { href: 'https://brand.example/reis', title: 'Unser Reis', linkType: 'gs1:pip', languages: ['de'] });
      await add(PRODUCT, { href: 'https://brand.example/cook#rice', mediaType: 'text/html' });
      for (const name of ['one', 'two'])
        await add(PRODUCT, { href: `https://brand.example/${name}.png`, linkType: 'gs1:relatedImage', title: name });
      await eventually(
        'the links',
        async () => (await at(PRODUCT)).status === 307 && (await at(`${LINK}?linkType=gs1:relatedImage`)).status === 300,
      );
    });
    afterAll(async () => {
      for (const id of made) await api.request('DELETE', `/api/v1/links/${id}`);
    });

    /** Beginnings of the criteria of GS1, each with its test. */
    const criteria: readonly (readonly [criterion: string, test: () => Promise<void>])[] = [
      [
        'SHALL support HTTP 1.1 (or higher) GET, HEAD and OPTIONS',
        async () => {
          const [get, head, options] = await Promise.all(['GET', 'HEAD', 'OPTIONS'].map((method) => at(LINK, { method })));
          expect([get!.status, head!.status, options!.status]).toEqual([307, 307, 204]);
          expect([head!.location, head!.text]).toEqual([get!.location, '']);
          expect(options!.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
          expect((await at(LINK, { method: 'POST' })).status).toBe(405);
        },
      ],
      [
        'SHALL support HTTP Over TLS',
        async () => {
          // TLS ends at the proxy in front, which says so.
          const { location, link } = await at(LINK, { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'id.example.com' } });
          expect(location).toBe(passport.replace(base(), 'https://id.example.com'));
          expect(link).toContain('<https://id.example.com/01/');
        },
      ],
      [
        'SHALL support CORS',
        async () => {
          const answers = [
            LINK,
            `${LINK}?linkType=all`,
            '/01/09520123450015',
            '/01/09520123450021',
            `${LINK}/10`,
            '/.well-known/gs1resolver',
            '/01/09520123450014/10/%C3',
          ];
          for (const path of answers) {
            const { headers } = await at(path, { headers: { origin: 'https://any.example' } });
            expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*']);
            expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
            expect(headers.get('access-control-expose-headers')).toMatch(/link, location/);
          }
          const preflight = await at(LINK, {
            method: 'OPTIONS',
            headers: { origin: 'https://any.example', 'access-control-request-method': 'GET' },
          });
          expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
        },
      ],
      [
        'SHALL be able to decompress',
        async () => {
          const compressed = `/${compressedLot('09520123450014', 'RP262641')}`;
          expect((await at(compressed)).location).toBe(passport);
          expect((await at(`${compressed}?linkType=gs1:recallStatus&a=1`)).location).toBe(`${passport}?linkType=gs1:recallStatus&a=1`);
        },
      ],
      [
        'If handling a compressed request URI, it SHALL expose',
        async () => {
          const { link } = await at(`/${compressedLot('09520123450014', 'RP262641')}`);
          expect(link).toContain(`<${base()}${LINK}>; rel="owl:sameAs"`);
          expect((await at(LINK)).link).not.toContain('owl:sameAs');
        },
      ],
      [
        'SHALL extract and syntactically validate',
        async () => {
          for (const path of ['/01/09520123450015', `${LINK}/foo`, '/414/9520000100019', `${PRODUCT}/254/A`, '/8003/1', '/00/1/10/A']) {
            const { status, body } = await at(path);
            expect([path, status, body?.['code']]).toEqual([path, 400, 'digital_link_malformed']);
          }
        },
      ],
      [
        'SHALL NOT use a 200 OK',
        async () => {
          const faults = ['/01/09520123450015', '/01/09520123450021', `${LINK}?linkType=gs1:nothing`];
          expect(await Promise.all(faults.map(async (path) => (await at(path, { headers: { accept: 'text/html' } })).status))).toEqual([
            400, 404, 404,
          ]);
        },
      ],
      [
        'SHALL respond to a query parameter of linkType set to all',
        async () => {
          for (const [path, accept, type] of [
            [`${LINK}?linkType=all`, 'application/json', 'application/json'],
            [`${LINK}?linkType=linkset`, '*/*', 'application/linkset+json'],
            [LINK, 'application/linkset+json', 'application/linkset+json'],
            [`/${compressedLot('09520123450014', 'RP262641')}?linkType=all`, 'application/ld+json', 'application/ld+json'],
          ] as const) {
            const { status, headers, body, link } = await at(path, { headers: { accept } });
            expect([path, status, headers.get('content-type')]).toEqual([path, 200, type]);
            const { linkset, '@context': context } = body as { linkset: Json[]; '@context'?: string };
            expect(linkset.map(({ anchor }) => anchor as string)).toEqual([base() + LINK, base() + PRODUCT]);
            if (type === 'application/ld+json') expect(context).toMatch(/linkset-context$/);
            else expect(link).toMatch(/linkset-context>; rel="http:\/\/www\.w3\.org\/ns\/json-ld#context"/);
            expect(headers.get('vary')).toContain('accept');
          }
          const page = await at(`${LINK}?linkType=all`, { headers: { accept: 'text/html' } });
          expect([page.headers.get('content-type'), page.text.includes('Unser Reis')]).toEqual(['text/html; charset=utf-8', true]);
        },
      ],
      [
        'SHOULD expose link to the linkset',
        async () => {
          const { status, link } = await at(LINK);
          expect([status, link]).toEqual([
            307,
            `<${base()}${LINK}?linkType=linkset>; rel="linkset"; type="application/linkset+json"; title="All links"`,
          ]);
        },
      ],
      [
        'SHALL recognise one available link as the default',
        async () => {
          const { body } = await at(`${LINK}?linkType=all`);
          for (const context of (body as { linkset: Json[] }).linkset) expect(context[`${VOCABULARY}defaultLink`]).toHaveLength(1);
        },
      ],
      [
        'All links exposed SHALL include',
        async () => {
          const { body, link } = await at(`${LINK}?linkType=all`);
          for (const context of (body as { linkset: Json[] }).linkset)
            for (const [relation, targets] of Object.entries(context).filter(([name]) => name !== 'anchor')) {
              expect(relation.startsWith(VOCABULARY)).toBe(true);
              for (const target of targets as Json[])
                expect(target).toMatchObject({ href: expect.stringMatching(/^https?:/), title: expect.stringMatching(/./) });
            }
          for (const one of link.split(', <')) expect(one).toMatch(/^<?https?:[^>]+>; rel="[^"]+".*; title="[^"]+"$/);
        },
      ],
      [
        'SHALL redirect to the default link unless',
        async () => {
          expect((await at(LINK)).location).toBe(passport);
          expect((await at(PRODUCT)).location).toBe('https://brand.example/rice');
          expect((await at(PRODUCT, { headers: { 'accept-language': 'de-AT,de;q=0.9' } })).location).toBe('https://brand.example/reis');
          expect((await at(PRODUCT, { headers: { 'accept-language': 'fr' } })).location).toBe('https://brand.example/rice');
          // Walking up.
          expect((await at(`${PRODUCT}/10/NOT-RECORDED`)).location).toBe('https://brand.example/rice');
          expect((await at(`${PRODUCT}/22/2A/10/RP262641`)).location).toBe(passport);
        },
      ],
      [
        'SHALL redirect to the requested linkType',
        async () => {
          for (const type of ['recallStatus', 'traceability', 'sustainabilityInfo', 'pip', 'dpp'])
            expect((await at(`${LINK}?linkType=gs1:${type}`)).location).toBe(`${passport}?linkType=gs1:${type}`);
          const events = await at(`${LINK}?linkType=gs1:epcis`);
          expect(events.location).toBe(`${passport}/events?linkType=gs1:epcis`);
          expect((await at(events.location!.slice(base().length))).location).toMatch(/^\/api\/v1\/events\?format=epcis&all=true&tlc=/);
          expect((await at(`${LINK}?linkType=gs1:instructions`)).location).toBe(
            'https://brand.example/cook?linkType=gs1:instructions#rice',
          );
          const several = await at(`${LINK}?linkType=gs1:relatedImage`);
          expect([several.status, (several.body as Json)['linkset'][0][`${VOCABULARY}relatedImage`].length]).toEqual([300, 2]);
          expect(await at(`${LINK}?linkType=gs1:nothing`)).toMatchObject({ status: 404, body: { code: 'link_type_unknown' } });
        },
      ],
      [
        'By default, SHALL pass on all key=value pairs',
        async () => {
          expect((await at(`${PRODUCT}?17=261231&foo=b%20r;x&flag`)).location).toBe(
            'https://brand.example/rice?17=261231&foo=b%20r;x&flag',
          );
          expect((await ask(`${LINK}?foo=bar`)).status).toBe(200);
        },
      ],
      [
        'SHALL provide a resolver description file',
        async () => {
          const { status, body } = await at('/.well-known/gs1resolver');
          expect([status, body]).toEqual([
            200,
            expect.objectContaining({ resolverRoot: base(), supportedPrimaryKeys: ['all'], linkTypeDefaultCanBeLinkset: false }),
          ]);
        },
      ],
      [
        'If supporting multiple links per identified item, SHALL recognise the GS1 Web vocabulary',
        async () => {
          for (const type of ['gs1:pip', 'pip', 'https://gs1.org/voc/pip', 'https://ref.gs1.org/voc/pip'])
            expect((await at(`${PRODUCT}?linkType=${encodeURIComponent(type)}`)).status).toBe(307);
          expect((await at('/.well-known/gs1resolver')).body).toMatchObject({
            supportedLinkType: [{ namespace: VOCABULARY, prefix: 'gs1:' }],
          });
          // No link type that duplicates one of GS1.
          expect(await codeOf(add(PRODUCT, { linkType: 'https://schema.org/url' }))).toBe('unknown_link_type');
        },
      ],
      [
        'If supporting redirection based on an MO or Global Company Prefix',
        async () => {
          // No such redirection: nothing is led by a prefix, and no link says so.
          expect((await at('/01/09520000000004')).status).toBe(404);
          expect(await codeOf(add(PRODUCT, { linkType: 'gs1:handledBy' }))).toBe('unknown_link_type');
        },
      ],
      [
        'SHOULD tolerate trailing slashes',
        async () => {
          for (const path of [LINK, PRODUCT, `/${compressedLot('09520123450014', 'RP262641')}`])
            expect((await at(`${path}/`)).location).toBe((await at(path)).location);
        },
      ],
    ];
    it.each(criteria)('%s …', async (_, proves) => {
      await expect(proves()).resolves.toBeUndefined();
    });

    (existsSync(CRITERIA_FILE) ? it : it.skip)('has a test for every SHALL and SHOULD of GS1', () => {
      const lines = readFileSync(CRITERIA_FILE, 'utf8')
        .split('\n')
        .filter((line) => /\b(SHALL|SHOULD)\b/.test(line));
      expect(lines.filter((line) => !criteria.some(([beginning]) => line.startsWith(beginning)))).toEqual([]);
      expect(lines.length).toBe(criteria.length);
    });

    it.each([
      ['/00/095201234567891235', '/00/095201234567891235'],
      ['/01/09520123450021', '/01/09520123450021/22/2A/10/A1/21/S1'],
      ['/01/09520123450038/235/T%261', '/01/09520123450038/235/T&1'],
      ['/414/9520000100018', '/414/9520000100018/254/dock-1'],
      ['/417/9520000100018', '/417/9520000100018/7040/1ABC'],
      ['/8003/09520000100018', '/8003/09520000100018'],
      ['/8004/95200001ABC', '/8004/95200001ABC/7040/1ABC'],
      ['/8006/095201234500140102', '/8006/095201234500140102/10/A1'],
      ['/8010/95200001A', '/8010/95200001A/8011/12'],
      ['/8018/952000010000000018', '/8018/952000010000000018/8019/1'],
    ])('leads %s, and what is part of it, to the link of the tenant', async (anchor, asked) => {
      const { href } = await add(anchor);
      await eventually('the link', async () => (await at(asked)).location === href);
      await eventually('the link', async () => (await at(anchor)).location === href);
    });

    it('keeps links that a tenant adds, changes and deletes, for administrators, with a tag, in the audit log', async () => {
      const anchor = '/417/9520000100025';
      const mill = journey.trade.mill.api;
      expect(await codeOf(mill.post('/api/v1/links', { anchor, linkType: 'pip', href: 'https://mill.example', title: 'x' }))).toBe(
        '403 role_required',
      );
      const { id } = await add(anchor, { linkType: 'https://ref.gs1.org/voc/pip' });
      expect(await mill.get(`/api/v1/links/${id}`)).toMatchObject({
        anchor,
        linkType: 'gs1:pip',
        mediaType: null,
        languages: [],
        isDefault: false,
      });
      expect(await mill.get(`/api/v1/links?anchor=${encodeURIComponent(`https://id.gs1.org${anchor}`)}`)).toMatchObject({ total: 1 });
      for (const [body, code] of [
        [{ anchor: '/01/09520123450015' }, 'not_a_digital_link'],
        [{ href: 'javascript:alert(1)' }, 'not_a_target'],
        [{ linkType: 'gs1:recalStatus' }, 'unknown_link_type'],
        [{ languages: ['English'] }, 'wrong_format'],
        [{ mediaType: 'html' }, 'wrong_format'],
        [{ title: '' }, 'wrong_length'],
      ] as const)
        expect([body, await codeOf(add(anchor, body))]).toEqual([body, code]);
      const key = (await api.post<{ secret: string }>('/api/v1/api-keys', { name: 'links', roles: ['TENANT_ADMIN'] })).secret;
      const call = (method: string, headers: Record<string, string> = {}, body?: object): Promise<Response> =>
        fetch(`${base()}/api/v1/links/${id}`, {
          method,
          headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }), ...headers },
          ...(body && { body: JSON.stringify(body) }),
        });
      const tag = (await call('GET')).headers.get('etag')!;
      const changed = await call('PATCH', { 'if-match': tag }, { title: 'Who we are', isDefault: true });
      expect([changed.status, await changed.json()]).toEqual([200, expect.objectContaining({ title: 'Who we are', isDefault: true })]);
      expect((await call('PATCH', { 'if-match': tag }, { title: 'Late' })).status).toBe(412);
      expect((await call('DELETE', { 'if-match': tag })).status).toBe(412);
      const { id: second } = await add(anchor, { isDefault: true });
      expect(await api.get(`/api/v1/links/${id}`)).toMatchObject({ isDefault: false });
      expect(await codeOf(journey.wool.get(`/api/v1/links/${id}`))).toBe('404 link_not_found');
      expect((await call('DELETE')).status).toBe(204);
      expect(await codeOf(api.get(`/api/v1/links/${id}`))).toBe('404 link_not_found');
      made.splice(made.indexOf(id as string), 1);
      const { data } = await api.get<{ data: Json[] }>('/api/v1/audit?limit=100');
      const own = data.filter(({ subject }) => subject === id || subject === second).map(({ action }) => action as string);
      expect(own.toSorted()).toEqual(['link.changed', 'link.created', 'link.created', 'link.deleted']);
    });

    it('leads nobody elsewhere with a link that another tenant adds to its goods, and says whose they are where both added some', async () => {
      const { id } = await journey.wool.post<Json>('/api/v1/links', {
        anchor: PRODUCT,
        linkType: 'pip',
        href: 'https://wool.example',
        title: 'Wool',
      });
      await eventually('both tenants', async () => (await at(PRODUCT)).status === 300);
      expect((await at(PRODUCT)).text).toContain(`${PRODUCT}?tenant=wool`);
      expect((await at(`${PRODUCT}?tenant=wool`)).location).toBe('https://wool.example?tenant=wool');
      expect((await at(LINK)).location).toBe(passport);
      await journey.wool.request('DELETE', `/api/v1/links/${id}`);
      await eventually('one tenant', async () => (await at(PRODUCT)).status === 307);
    });
  });
}
