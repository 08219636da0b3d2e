import { describe, expect, it } from '@jest/globals';
import { buildPassport } from '../composing/passport.rules.js';
import type { PassportFacts, PublicPassport } from '../composing/passport.js';
import { LANGUAGES } from '../pages/texts.page.js';
import { DEFAULT_SETTING } from '../settings/passport-setting.js';
import { RICE, issued } from '../testing/rice.js';
import { passportPage } from './passport.page.js';
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
