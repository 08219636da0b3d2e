import { describe, expect, it } from '@jest/globals';
import { type FoundLink, type ResolverLevel, offersOf, passportLinks } from './resolver-links.js';
import { resolverLinkset, withQuery } from './resolver-linkset.js';
import { targetOf } from './targets.rules.js';

const LOT = '/01/09520123450014/10/A1';
const PRODUCT = '/01/09520123450014';

let rows = 0;
const own = (anchor: string, words: Partial<NonNullable<FoundLink['link']>> = {}, other: Partial<FoundLink> = {}): FoundLink => ({
  tenantId: 'rice',
  tenantSlug: 'rice',
  tenantName: 'Rice',
  resolver: null,
  anchor,
  passportId: null,
  isShown: true,
  link: {
    linkType: 'pip',
    href: `https://example.com/${++rows}`,
    title: 'Page',
    mediaType: null,
    languages: [],
    isDefault: false,
    ...words,
  },
  ...other,
});
const passport = (anchor: string, other: Partial<FoundLink> = {}): FoundLink => own(anchor, {}, { passportId: 'ab', link: null, ...other });

function levels(found: readonly FoundLink[], paths = [LOT, PRODUCT]): readonly ResolverLevel[] {
  const offers = offersOf(found, paths);
  if (offers.of === 'nobody') throw new Error('nobody');
  return offers.tenants[0]!.levels;
}
const none = { linkType: null, accept: undefined, acceptLanguage: undefined };
const hrefOf = (found: readonly FoundLink[], wish: Partial<Parameters<typeof targetOf>[1]> = {}): unknown => {
  const target = targetOf(levels(found), { ...none, ...wish });
  return target === null ? null : 'href' in target ? target.href : target.map(({ href }) => href);
};

describe('the tenant that answers', () => {
  const tenants = (...found: readonly FoundLink[]): unknown => {
    const offers = offersOf(found, [LOT, PRODUCT]);
    return offers.of === 'nobody' ? offers.wasThere : offers.tenants.map(({ tenantId }) => tenantId);
  };
  const other = { tenantId: 'wool' };

  it.each([
    ['nobody knows it', [], false],
    ['one has a passport of the lot', [passport(LOT)], ['rice']],
    ['one has a link of the product', [own(PRODUCT)], ['rice']],
    ['several have a passport', [passport(LOT), passport(LOT, other)], ['rice', 'wool']],
    ['several have links', [own(PRODUCT), own(LOT, {}, other)], ['rice', 'wool']],
    [
      'another one links the product, or the very lot, of who recorded it',
      [passport(LOT), own(PRODUCT, {}, other), own(LOT, {}, other)],
      ['rice'],
    ],
    ['the passport was withdrawn', [passport(LOT, { isShown: false })], true],
    ['the passport was withdrawn, and its product has a page', [passport(LOT, { isShown: false }), own(PRODUCT)], true],
    ['the passport was withdrawn, and another one links the product', [passport(LOT, { isShown: false }), own(PRODUCT, {}, other)], true],
    ['a tenant without passports links the lot', [passport(LOT, { isShown: false }), own(LOT)], ['rice']],
    ['one withdrew, and another one shows', [passport(LOT, { isShown: false }), passport(LOT, other)], ['wool']],
  ] as const)('when %s', (_, found, expected) => {
    expect(tenants(...found)).toEqual(expected);
  });
});

describe('a request that asks for nothing in particular', () => {
  it('is led to the passport, to the link that is stated as the default, or to the first', () => {
    expect(hrefOf([passport(LOT), own(LOT)])).toBe('/p/ab');
    expect(hrefOf([passport(LOT), own(LOT, { href: 'https://a.example/', isDefault: true })])).toBe('https://a.example/');
    expect(hrefOf([own(PRODUCT, { href: 'https://a.example/1' }), own(PRODUCT)])).toBe('https://a.example/1');
  });

  it('is led to what is known of the finest that it names', () => {
    expect(hrefOf([own(PRODUCT), own(LOT, { href: 'https://a.example/lot' })])).toBe('https://a.example/lot');
    expect(hrefOf([own(PRODUCT, { href: 'https://a.example/product' })])).toBe('https://a.example/product');
  });

  const multilingual = [
    own(LOT, { href: 'https://a.example/en', languages: ['en'], isDefault: true }),
    own(LOT, { href: 'https://a.example/de', languages: ['de'] }),
    own(LOT, { href: 'https://a.example/pt-BR', languages: ['pt-BR'] }),
    own(LOT, { href: 'https://a.example/other', languages: ['fr'], linkType: 'faqs' }),
  ];
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-CH, en;q=0.5', 'de'],
    ['pt', 'pt-BR'],
    ['fr', 'en'],
    ['fr, *;q=0.1', 'en'],
    ['de;q=0.2, en;q=0.8', 'en'],
    ['en;q=0, *', 'de'],
    ['de;q=nonsense, en;q=0.1', 'en'],
  ])('of readers of %s is led to the default, or to one like it in their language: %s', (acceptLanguage, expected) => {
    expect(hrefOf(multilingual, { acceptLanguage })).toBe(`https://a.example/${expected}`);
  });

  it('keeps the default where nothing better is stated, also when it does not say what it is', () => {
    const found = [
      own(LOT, { href: 'https://a.example/any', isDefault: true }),
      own(LOT, { href: 'https://a.example/json', mediaType: 'application/json' }),
    ];
    expect(hrefOf(found, { accept: '*/*' })).toBe('https://a.example/any');
    expect(hrefOf(found, { accept: 'text/html' })).toBe('https://a.example/any');
    expect(hrefOf(found, { accept: 'application/json' })).toBe('https://a.example/json');
    expect(hrefOf(found, { accept: 'application/*;q=0.9, */*;q=0.1' })).toBe('https://a.example/json');
  });
});

describe('a request for a link type', () => {
  const found = [
    passport(LOT),
    own(LOT, { href: 'https://a.example/1', linkType: 'certificationInfo' }),
    own(PRODUCT, { href: 'https://a.example/en', linkType: 'instructions', languages: ['en'] }),
    own(PRODUCT, { href: 'https://a.example/de', linkType: 'instructions', languages: ['de'] }),
    own(PRODUCT, { href: 'https://a.example/x', linkType: 'relatedImage' }),
    own(PRODUCT, { href: 'https://a.example/y', linkType: 'relatedImage' }),
  ];
  it.each([
    ['gs1:recallStatus', '/p/ab'],
    ['recallStatus', '/p/ab'],
    ['https://ref.gs1.org/voc/traceability', '/p/ab'],
    ['https://gs1.org/voc/sustainabilityInfo', '/p/ab'],
    ['gs1:pip', '/p/ab'],
    ['gs1:epcis', '/p/ab/events'],
    ['gs1:defaultLink', '/p/ab'],
    ['gs1:defaultLinkMulti', '/p/ab'],
    ['gs1:nothing', null],
    ['', null],
    ['gs1:relatedImage', ['https://a.example/x', 'https://a.example/y']],
    // The first of its product is the default there.
    ['gs1:instructions', 'https://a.example/en'],
  ])('%s is led to %j', (linkType, expected) => {
    expect(hrefOf(found, { linkType })).toEqual(expected);
  });

  it('is decided by the first names of a header: each link is compared with each of them', () => {
    const two = [own(LOT, { languages: ['en'] }), own(LOT, { languages: ['de'] })];
    const many = Array.from({ length: 60 }, (_, i) => `x-${i}`);
    expect(hrefOf(two, { acceptLanguage: ['de', ...many].join() })).toBe(two[1]!.link!.href);
    expect(hrefOf(two, { acceptLanguage: [...many, 'de'].join() })).toBe(two[0]!.link!.href);
  });

  it('is decided by language and media type', () => {
    expect(hrefOf(found, { linkType: 'gs1:instructions', acceptLanguage: 'de' })).toBe('https://a.example/de');
    expect(hrefOf(found, { linkType: 'gs1:certificationInfo', accept: 'text/html' })).toBe('/p/ab');
  });
});

describe('a linkset', () => {
  const origin = 'https://id.example';
  const { linkset } = resolverLinkset(
    levels([
      passport(LOT),
      own(LOT, { linkType: 'instructions', languages: ['de'] }),
      own(PRODUCT),
      own(PRODUCT, { href: 'https://a.example/2' }),
    ]),
    origin,
  );
  it('has a context for each level, with title and target of each link, and one default link that has nothing else', () => {
    expect(linkset.map((context) => (context as { anchor: string }).anchor)).toEqual([origin + LOT, origin + PRODUCT]);
    for (const context of linkset)
      for (const [relation, targets] of Object.entries(context).filter(([name]) => name !== 'anchor')) {
        expect(relation).toMatch(/^https:\/\/ref\.gs1\.org\/voc\/\w+$/);
        for (const target of targets as object[])
          expect(target).toMatchObject({ href: expect.stringMatching(/^https:/), title: expect.any(String) });
      }
    for (const context of linkset)
      expect((context as Record<string, object[]>)['https://ref.gs1.org/voc/defaultLink']!.map((target) => Object.keys(target))).toEqual([
        ['href', 'title'],
      ]);
    expect(linkset[1]).toMatchObject({ 'https://ref.gs1.org/voc/defaultLinkMulti': [{}, {}] });
  });

  it('has the link types of a passport', () => {
    const types = new Set(passportLinks('ab').map(({ linkType }) => linkType));
    for (const type of ['dpp', 'pip', 'traceability', 'recallStatus', 'sustainabilityInfo', 'certificationInfo', 'epcis'])
      expect(types.has(type)).toBe(true);
  });
});

describe('a query', () => {
  it.each([
    ['https://a.example/x', ['a=1&b'], 'https://a.example/x?a=1&b'],
    ['https://a.example/x?y=2', ['', 'a=1'], 'https://a.example/x?y=2&a=1'],
    ['https://a.example/x#part', ['17=261231', 'a=1;b=2'], 'https://a.example/x?17=261231&a=1;b=2#part'],
    ['https://a.example/x', [''], 'https://a.example/x'],
    ['https://a.example/x', ['a=\u00e9 \r\nx: y'], 'https://a.example/x?a=%C3%A9%20%0D%0Ax:%20y'],
  ])('is passed on to %s with %j', (href, queries, expected) => {
    expect(withQuery(href, ...queries)).toBe(expected);
  });
});
