import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();

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
});
