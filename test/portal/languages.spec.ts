import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { freePort } from '../harness/free-port.js';
import { eventually } from '../harness/eventually.js';
import { accessibilityFaults } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const GERMAN = JSON.parse(readFileSync('apps/portal/src/languages/de.json', 'utf8')) as Readonly<Record<string, unknown>>;
/** English texts that are on a page although they have another text in German. Some words are the same, and companies may be called anything. */
const ENGLISH = new Set(
  Object.entries(GERMAN).flatMap(([english, german]) => (typeof german === 'string' && german !== english ? [english] : [])),
);

const PATHS = ['/', '/lots', '/captures', '/transactions', '/notices', '/passkeys', '/reports', '/reports/yield'].concat(
  [
    '/reports/inventory',
    '/reports/suppliers',
    '/reports/documents',
    '/reports/fsma204',
    '/admin/members',
    '/admin/organisations',
    '/admin/api-keys',
  ],
  ['/admin/audit', '/admin/usage', '/admin/webhooks', '/admin/process-maps', '/admin/process-maps/rice', '/account'],
  ['/record', '/record?process=RICE_HARVESTING', '/record?process=RICE_MILLING', '/record?process=RICE_SHIPPING', '/waiting'],
);

(chromium === null ? describe.skip : describe)('the portal in the language of its reader', () => {
  let world: World;
  let browser: Browser;
  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    await world.play('rice', 8);
    browser = await openBrowser(chromium!);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function visit(
    locale: string,
    timezoneId = 'Asia/Ho_Chi_Minh',
  ): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale, timezoneId });
    return { context, ...(await openPage(context)) };
  }
  const languageOf = (page: Page) => page.evaluate<[string, string]>('[document.documentElement.lang, document.documentElement.dir]');

  it.each([
    ['de-AT', 'de', 'Anmelden'],
    ['fr-CA', 'fr', 'Se connecter'],
    ['es-MX', 'es', 'Iniciar sesión'],
    ['vi-VN', 'vi', 'Đăng nhập'],
    ['pt-BR', 'en', 'Sign in'],
  ])('is, for a browser in %s, in %s', async (locale, language, signIn) => {
    const { context, page, complaints } = await visit(locale);
    await page.goto(`${world.baseUrl}/portal`);
    await page.getByRole('button', { name: signIn, exact: true }).waitFor();
    expect(await languageOf(page)).toEqual([language, 'ltr']);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keeps the language that somebody chose, by keyboard, and shows dates and numbers in it with their zone', async () => {
    const { context, page, complaints } = await visit('en-GB');
    await page.goto(`${world.baseUrl}/portal`);
    await page.getByLabel('Language').focus();
    await page.keyboard.type('Deutsch');
    await page.getByRole('button', { name: 'Anmelden', exact: true }).waitFor();
    await page.reload();
    const { email, password } = world.tenant('rice').admin;
    await page.getByLabel('E-Mail').fill(email);
    await page.getByLabel('Passwort').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Abmelden' }).waitFor();
    expect(await languageOf(page)).toEqual(['de', 'ltr']);
    await page.getByRole('button', { name: 'Menü' }).click();
    await page.getByRole('link', { name: 'Chargen', exact: true }).click();
    // A thousand has a point in German, a day comes before its month, and the zone of a time has its name.
    await page
      .getByText(/\d\.\d{3} kg/)
      .first()
      .waitFor();
    await page
      .getByText(/\b\d{1,2}\. \p{L}+\.? \d{4}.*\d\d:\d\d (GMT\+7|ICT)/u)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  async function signedIn(locale: string): Promise<Awaited<ReturnType<typeof visit>>> {
    const opened = await visit(locale);
    const { email, password } = world.tenant('rice').admin;
    await opened.page.goto(`${world.baseUrl}/portal`);
    await opened.page.locator('input[type=email]').fill(email);
    await opened.page.locator('input[type=password]').fill(password);
    await opened.page.keyboard.press('Enter');
    await opened.page.getByRole('heading', { level: 1 }).and(opened.page.locator('.shell h1')).waitFor();
    return opened;
  }
  const hasLoaded = (page: Page): Promise<boolean> =>
    page.evaluate<boolean>("document.querySelector('.shell .waiting, [aria-busy=true]') === null");
  async function open(page: Page, path: string): Promise<void> {
    await page.goto(`${world.baseUrl}/portal${path}`);
    await page.locator('.shell h1').first().waitFor();
    await eventually(`${path} has loaded`, () => hasLoaded(page));
  }

  it('is German on every page of a phone: nothing in English that has a German text, nothing wider than the screen', async () => {
    const { context, page, complaints } = await signedIn('de-DE');
    const faults: string[] = [];
    for (const path of PATHS) {
      await open(page, path);
      const texts = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.shell *')].flatMap((one) => [...one.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()))`,
      );
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      faults.push(...[...new Set(texts)].filter((text) => ENGLISH.has(text)).map((text) => `${path}: ${text}`));
      if (width > 390) faults.push(`${path}: ${width} wide`);
    }
    expect(faults).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is no wider than the screen when it is written from right to left', async () => {
    const { context, page } = await signedIn('en-US');
    const faults: string[] = [];
    for (const path of PATHS) {
      await open(page, path);
      await page.evaluate("document.documentElement.dir = 'rtl'");
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        const [scroll, left] = await page.evaluate<[number, number]>(
          `[document.documentElement.scrollWidth, Math.min(0, ...[...document.querySelectorAll('main h1, main h2, main .card')].map((one) => one.getBoundingClientRect().left))]`,
        );
        if (scroll > width || left < 0) faults.push(`${path} at ${width}: ${scroll} wide, ${left} left`);
      }
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
