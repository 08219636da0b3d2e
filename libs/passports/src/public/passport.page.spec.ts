import { LANGUAGES } from '#kernel';
import { describe, expect, it } from '@jest/globals';
import { buildPassport } from '../composing/passport.rules.js';
import type { PassportFacts, PublicPassport } from '../composing/passport.js';
import { DEFAULT_SETTING } from '../settings/passport-setting.js';
import { RICE, issued } from '../testing/rice.js';
import { linkMatrix } from '../pages/symbols.page.js';
import { passportPage } from './passport.page.js';
import { placesOf } from './places.rules.js';
import { policyOf } from './public-passport.dto.js';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const passportOf = (facts: Partial<PassportFacts>): PublicPassport =>
  buildPassport({
    ...{
      issued: issued({}),
      setting: DEFAULT_SETTING,
      footprint: null,
      claimShare: null,
      origin: 'https://id.example',
      today: '2026-11-30',
    },
    facts: { ...RICE, ...facts },
  });
const withPictures = (picture: unknown, logo: unknown): PublicPassport =>
  passportOf({
    operator: { ...RICE.operator!, publicProfile: { logo } },
    events: RICE.events.map((event) => ({ ...event, values: { ...event.values, '/picture': picture } })),
  });

describe('the page of a passport', () => {
  it('says everything in each language, without a script, and the recall first', () => {
    const recalls = [{ recallClass: 'I', reason: 'Glass', instructions: null, date: '2026-11-30' }];
    const passport = passportOf({ recalls });
    const pages = LANGUAGES.map((language) => passportPage(passport, language));
    expect(new Set(pages.map((page) => page.replace(/<html lang="\w+">/, ''))).size).toBe(LANGUAGES.length);
    for (const [i, page] of pages.entries()) {
      expect(page).toContain(`<html lang="${LANGUAGES[i]}">`);
      expect(page).toMatch(/<main><section class="wide alarm" role="alert">/);
      expect(page).not.toMatch(/<script|\{\d\}|undefined/);
    }
    expect(pages[1]).toContain('Rückruf: Verwenden Sie dieses Produkt nicht');
  });

  it('leads to the passports of what the goods were before and became, and writes no address into the page as it came', () => {
    const here = { id: 'urn:uuid:1', passportId: 'ab'.repeat(16), name: '<Pack>', key: '(01)1(21)2' };
    const away = { id: 'https://a.example/1', passportId: null, name: null, key: null };
    const unknown = { id: 'urn:x-other:1', passportId: null, name: null, key: null };
    const page = passportPage({ ...passportOf({}), previousPassports: [away, unknown], nextPassports: [here] }, 'en');
    expect(page).toMatch(/<main><section class="wide note"><h2>It became another product<\/h2>/);
    expect(page).toContain(`<a href="/p/${'ab'.repeat(16)}"><bdi>&lt;Pack&gt;</bdi></a> <bdi>(01)1(21)2</bdi>`);
    expect(page).toContain('<h2>Earlier passports</h2>');
    expect(page).toContain('<a dir="auto" href="https://a.example/1" rel="nofollow noopener">https://a.example/1</a>');
    expect(page).toContain('<li><bdi>urn:x-other:1</bdi></li>');
  });

  it('shows a picture and a logo, and allows their hosts and no other', () => {
    const page = withPictures('https://pictures.example/a.png', PIXEL);
    expect(passportPage(page)).toContain('<img class="picture" src="https://pictures.example/a.png" alt="Picture of the product">');
    expect(passportPage(page)).toContain(`<img class="logo" src="${PIXEL}" alt="Logo of Example Mill">`);
    expect(policyOf(page)).toContain("img-src data: https://pictures.example; base-uri 'none'");
    expect(page.product.attributes).not.toHaveProperty('picture');
  });

  it.each([
    'http://pictures.example/a.png',
    'javascript:alert(1)',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    'https://a.example/";script-src *',
    "https://a.example/'",
    'https://',
    `https://a.example/${'a'.repeat(600)}`,
    7,
    null,
  ])('shows no picture at %j', (address) => {
    const page = withPictures(address, address);
    expect([page.product.picture, page.operator!.logo]).toEqual([null, null]);
    expect(passportPage(page)).not.toContain('<img');
    expect(policyOf(page)).not.toContain('https:');
  });
});

describe('the places on the page of a passport', () => {
  const step = (label: string, country: string | null, values: object): PassportFacts['events'][number] => ({
    ...RICE.events[0]!,
    ...{ id: label, label, country, values: { ...values } },
  });
  const point = (...coordinates: number[]): object => ({ type: 'Point', coordinates });
  const mapOf = (page: string): string => /<svg class="map".*?<\/svg>/s.exec(page)?.[0] ?? '';

  it('are on a map and in a list, by point where that is public, else by country', () => {
    const events = [
      step('Harvest', 'VN', { '/location/region': 'Mekong Delta', '/plot/geometry': point(105.783412, 10.034518) }),
      step('Dry', 'VN', { '/location': { name: 'Hall', geo: point(105.9, 10.2) } }),
      ...[step('Mill', 'TH', {}), step('Polish', 'TH', {}), step('Ship', null, {}), RICE.events[0]!],
    ];
    const passport = passportOf({ events });
    expect(placesOf(passport).map(({ processes, country, isExact }) => [processes.join(), country, isExact])).toEqual([
      ['Harvest', 'VN', true],
      ['Dry', 'VN', true],
      ['Mill,Polish', 'TH', false],
      ['Pack rice', 'VN', false],
    ]);
    const page = passportPage(passport);
    expect(mapOf(page).match(/<circle/g)).toHaveLength(4);
    expect(page).toContain('<bdi>Mekong Delta, Vietnam</bdi></b> <span class="soft">10.0345°, 105.7834°</span><br><bdi>Harvest</bdi>');
    expect(page).toContain('Where only the country is public');
    expect(page).not.toMatch(/coordinates|NaN|Hall/);
  });

  it('have no map where nobody says a place', () => {
    expect(passportPage(passportOf({ events: [step('Ship', null, {}), step('Sail', 'ZZ', {})] }))).not.toContain('class="map"');
  });

  it.each([
    ['at one place', [point(105, 10), point(105, 10.0001), point(105, 10.0002)]],
    ['around the 180th meridian', [point(179, -17), point(-179, -17)]],
    ['at a pole', [point(0, 90), point(0, -90)]],
  ])('are marked side by side %s', (_, points) => {
    const page = passportPage(passportOf({ events: points.map((geometry, i) => step(`S${i}`, null, { '/plot': geometry })) }));
    const marks = [...mapOf(page).matchAll(/<circle cx="(-?\d+)" cy="(-?\d+)"/g)].map(([, x, y]) => `${x} ${y}`);
    expect(new Set(marks).size).toBe(points.length);
    expect(mapOf(page)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('is small, loads nothing, and has a Data Matrix with the QR code', async () => {
    const events = ['US', 'RU', 'CN', 'BR', 'AU', 'FJ'].map((country) => step(country, country, {}));
    const passport = passportOf({ events });
    const page = passportPage(passport, 'en', { matrix: await linkMatrix(issued({}).link) });
    expect(Buffer.byteLength(page)).toBeLessThan(40_000);
    expect(page).toMatch(/<svg class="qr".*<svg class="dm"[^>]*aria-label="Data Matrix code"/);
    expect(page).not.toMatch(/<(script|link|image|use)\b|url\(|@import/);
    expect(await linkMatrix(null)).toBeNull();
  });
});
