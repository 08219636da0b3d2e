import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from '../journeys/rice-trade.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null) process.stderr.write('!! No Chromium was found: notices in the portal are NOT tested. CHROMIUM_PATH names one.\n');

suite('notices in the portal', () => {
  let world: World;
  let rice: RiceTrade;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()), NOTICES_EVERY_MS: '100' });
    rice = await RiceTrade.of(world);
    const { from } = await rice.dried();
    await rice.land(rice.admin, rice.recall(rice.admin, from.tokenId, { reason: 'Glass in the hopper' }));
    await eventually('a notice of the recall', async () => {
      const { data } = await rice.mill.api.get<{ data: Json[] }>('/api/v1/notices');
      return data.some(({ topic }) => topic === 'recall');
    });
    browser = await openBrowser(chromium!);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    ({ page, complaints } = await openPage(context));
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it('are counted at the bell, listed, read, and answered where they lead to', async () => {
    await page.goto(`${world.baseUrl}/portal`);
    await signInAs(page, world.tenant('rice').actors['mill']!);
    await page.getByRole('link', { name: /^Notices, \d+ unread$/ }).click();
    await page.getByRole('heading', { name: 'Notices', exact: true }).waitFor();
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: /^A recall affects 1 lot/ }).click();
    await page.getByRole('heading', { name: /^Recall of / }).waitFor();
    await page.getByLabel(/^Answer for /).selectOption('destroyed');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Destroyed').first().waitFor();
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: /^Notices, \d+ unread$/ }).click();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByRole('banner').getByRole('link', { name: 'Notices', exact: true }).waitFor();
    const { unread } = await rice.mill.api.get<{ unread: number }>('/api/v1/notices');
    expect(unread).toBe(0);
  });

  it('come where the person wants them', async () => {
    // It is another when the service has kept it.
    await page.getByLabel('Finished imports: by mail').click();
    await eventually('the choice is kept', async () => {
      const { data } = await rice.mill.api.notices.choices();
      return data.some(({ topic, byMail, inPortal }) => topic === 'import' && !byMail && inPortal);
    });
    expect(complaints).toEqual([]);
  });
});
