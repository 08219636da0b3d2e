import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TraceabilityClient } from '#client';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

/** Up to the packing of the bags, which have passports. */
const STAGES = 8;
const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;

suite('passports, holds and documents in the portal', () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let api: TraceabilityClient;

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    await world.play('rice', STAGES);
    api = await world.admin('rice');
    browser = await openBrowser(chromium!);
    ({ page, complaints } = await openPage(await browser.newContext({ viewport: { width: 1280, height: 900 } })));
    await page.goto(`${world.baseUrl}/portal`);
    await signInAs(page, world.tenant('rice').admin);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
  /** Of a button that asks first. */
  const pressSurely = async (name: string): Promise<void> => {
    await press(name);
    await page.getByRole('group', { name, exact: true }).getByRole('button').first().click();
  };
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
  };
  const statusOf = async (path: string): Promise<number> => (await fetch(world.baseUrl + path)).status;

  it('switches passports on, and lists those of the lots that exist', async () => {
    await page.getByRole('link', { name: 'Passports', exact: true }).click();
    await page.getByText('Passports are switched off.').waitFor();
    await page.getByLabel('Show passports').check();
    await page.getByLabel('Show the evidence').check();
    await press('Save the settings');
    // A reload before it is saved would take it back.
    await page.getByText('Passports are switched off.').waitFor({ state: 'detached' });
    await eventuallyHolds(async () => {
      await page.reload();
      await page.getByRole('row').nth(1).waitFor({ timeout: 3_000 });
    });
    await expectAccessible();
  });

  it('shows a passport with its label, and opens its page in the language of choice', async () => {
    await page.locator('td a[href*="/passports/"]').first().click();
    await page.getByRole('heading', { name: 'Label' }).waitFor();
    const isDrawn = (): Promise<boolean> => page.evaluate<boolean>(`document.querySelector('.label-preview').naturalWidth > 0`);
    await eventually('the label', isDrawn);
    await page.getByRole('combobox', { name: 'Code', exact: true }).selectOption('gs1-datamatrix');
    await eventually('the other label', isDrawn);
    await page.getByRole('combobox', { name: 'Language of the page' }).selectOption('de');
    const link = (await page.getByRole('link', { name: 'Open the public page' }).getAttribute('href'))!;
    const publicPage = await fetch(world.baseUrl + link, { headers: { accept: 'text/html', 'accept-language': 'fr' } });
    expect(publicPage.headers.get('content-language')).toBe('de');
    const pdf = (await page.getByRole('link', { name: 'Print an A4 sheet (PDF)' }).getAttribute('href'))!;
    expect(await statusOf(pdf)).toBe(200);
    await expectAccessible();
  });

  it('lets an authority read more, and withdraws that', async () => {
    await page.getByText('Let somebody read more').click();
    await page.getByRole('textbox', { name: 'Person or organisation' }).fill('Market surveillance');
    await page.getByRole('textbox', { name: 'Purpose' }).fill('Inspection');
    await press('Create the link');
    const url = (await page.locator('.secret code').textContent())!;
    expect(url).toMatch(/^http.*granted/);
    await expectAccessible();
    await press('I have kept it');
    expect(await page.content()).not.toContain(url);
    await page
      .getByRole('row', { name: /Market surveillance/ })
      .getByRole('button', { name: 'Withdraw' })
      .click();
    await page.getByRole('group', { name: 'Withdraw' }).getByRole('button').first().click();
    await page.locator('.status-withdrawn').waitFor();
  });

  it('withdraws a passport after a question, and shows it again', async () => {
    const path = `/p/${page.url().split('/').at(-1)}`;
    await page.getByRole('textbox', { name: 'Reason' }).fill('Wrong picture');
    await press('Withdraw the passport');
    expect(await statusOf(path)).toBe(200);
    await page.getByRole('button', { name: /^Yes, withdraw the passport of / }).click();
    await page.getByText('Reason: Wrong picture').waitFor();
    await eventuallyHolds(async () => expect(await statusOf(path)).toBe(410));
    await expectAccessible();
    await press('Show the passport again');
    await eventuallyHolds(async () => expect(await statusOf(path)).toBe(200));
  });

  it('puts a lot on hold by its code, and releases it', async () => {
    const lot = (await api.lots.list({ status: 'active', limit: 1 })).data[0]!;
    await page.goto(`${world.baseUrl}/portal/passports/holds`);
    await page.getByText('No lot is on hold.').waitFor();
    await page.getByRole('textbox', { name: 'Code of the lot' }).fill(lot.tlc);
    await page.getByRole('textbox', { name: 'Reason' }).fill('Smells of diesel');
    await pressSurely('Hold this lot');
    await page.getByRole('link', { name: lot.tlc, exact: true }).waitFor();
    expect((await api.lots.get(lot.tokenId)).status).toBe('on_hold');
    await expectAccessible();
    await pressSurely('Release');
    await page.getByText('No lot is on hold.').waitFor();
    expect((await api.lots.get(lot.tokenId)).status).toBe('active');
  });

  it('stores a document, gives it back, and erases it', async () => {
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await page.locator('input[type=file]').setInputFiles({ name: 'organic.txt', mimeType: 'text/plain', buffer: Buffer.from('organic') });
    await page.getByRole('textbox', { name: 'Type (optional)' }).fill('certificate');
    await press('Upload');
    await page.getByRole('row', { name: /organic\.txt.*certificate/ }).waitFor();
    await expectAccessible();
    const waiting = page.waitForEvent('download');
    await press('Download');
    expect(readFileSync(await (await waiting).path(), 'utf8')).toBe('organic');
    await pressSurely('Erase');
    await page.getByText('No documents yet.').waitFor();
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
