import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null) process.stderr.write('!! No Chromium was found: reports in the portal are NOT tested. CHROMIUM_PATH names one.\n');

interface Golden {
  readonly massBalance: readonly {
    readonly processType: string;
    readonly inputKg: number;
    readonly mainKg: number;
    readonly yield: number;
  }[];
}
const golden = JSON.parse(readFileSync(new URL('../harness/expected/rice.expected.json', import.meta.url), 'utf8')) as Golden;

suite('reports in the portal', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()), ALERTS_EVERY_MS: '500' });
    await world.play('rice');
    browser = await openBrowser(chromium!);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
    ({ page, complaints } = await openPage(context));
    await page.goto(`${world.baseUrl}/portal`);
    await signInAs(page, world.tenant('rice').admin);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${world.baseUrl}/portal${path}`);
  const still = (): Promise<boolean> => eventually('nothing is on its way', () => isStill(page));
  const number = (value: number): string => new Intl.NumberFormat('en-GB', { maximumFractionDigits: 3 }).format(value);
  const share = (value: number): string => new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 }).format(value);

  it('show the golden yields of the demo, in the units of the locale', async () => {
    await open('/reports/yield');
    await page.getByRole('heading', { name: 'By process' }).waitFor();
    const rows = await page.getByRole('table', { name: 'Yield by process' }).getByRole('row').allTextContents();
    expect(rows).toHaveLength(golden.massBalance.length + 1);
    for (const { inputKg, mainKg, yield: wanted } of golden.massBalance)
      expect(rows.some((row) => [`${number(inputKg)} kg`, `${number(mainKg)} kg`, share(wanted)].every((text) => row.includes(text)))).toBe(
        true,
      );
  });

  it('can be downloaded as the CSV of the service', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
    expect(download.suggestedFilename()).toMatch(/^yield-\d{4}-\d\d-\d\d\.csv$/);
    const client = await world.admin('rice');
    const table = await client.download('/api/v1/reports/yield?format=csv');
    expect(readFileSync(await download.path())).toEqual(Buffer.from(await table.arrayBuffer()));
  });

  it('keep their period in the address, and say what to do when it has no rows', async () => {
    await page.getByLabel('From', { exact: true }).fill('2031-01-01');
    await page.getByText('No transformations in this period.').waitFor();
    expect(page.url()).toContain('from=2031-01-01');
    await page.reload();
    await page.getByText('No transformations in this period.').waitFor();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2031-01-01');
  });

  it('acknowledge an alert with a note, and undo that', async () => {
    const client = await world.admin('rice');
    await eventually('there are alerts', async () => (await client.call('GET /api/v1/reports/alerts')).alerts.length > 0, { everyMs: 200 });
    await open('/reports/alerts');
    await page.locator('td summary').first().click();
    await page.getByLabel('Note').first().fill('It is known.');
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).first().click();
    await page.getByText(/: It is known\./).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/: It is known\./).waitFor({ state: 'detached' });
  });

  it('mute an alert for a week, and show it with the filter for muted alerts', async () => {
    const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
    await open('/reports/alerts');
    await rows.first().waitFor();
    const before = await rows.count();
    const title = (await rows.first().locator('strong').textContent())!;
    await rows.first().locator('summary').click();
    await rows.first().getByLabel(/^Mute/).selectOption({ label: 'Mute for a week' });
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).first().click();
    await eventuallyHolds(async () => expect(await rows.count()).toBe(before - 1));
    await page.getByLabel('Muted alerts').selectOption({ label: 'Show' });
    await page
      .getByText(/; muted until/)
      .first()
      .waitFor();
    expect(await page.getByRole('row', { name: title }).count()).toBeGreaterThan(0);
  });

  it('show the records of one organisation, page by page', async () => {
    await open('/reports/fsma204');
    const rows = page.getByRole('table', { name: 'Rows of the spreadsheet' }).locator('tbody tr');
    await rows.first().waitFor();
    const all = await rows.allTextContents();
    await page.getByLabel('Organisation').selectOption({ label: 'Example Farm A' });
    await eventuallyHolds(async () => expect(await rows.count()).toBeLessThan(all.length));
    expect(page.url()).toMatch(/orgId=[\w-]{36}/);
    const ofFarm = await rows.allTextContents();
    expect(ofFarm.length).toBeGreaterThan(0);
    expect(ofFarm.filter((row) => !all.includes(row))).toEqual([]);
    await page.reload();
    await eventuallyHolds(async () => expect(await rows.allTextContents()).toEqual(ofFarm));

    // Small pages, by the service's own cursor.
    await context.route(
      (url) => url.pathname === '/api/v1/reports/fsma204',
      (route) =>
        route.continue({
          url: route
            .request()
            .url()
            .replace(/limit=\d+/, 'limit=4'),
        }),
    );
    await page.getByLabel('Organisation').selectOption({ label: 'All' });
    await eventuallyHolds(async () => expect(await rows.allTextContents()).toEqual(all.slice(0, 4)));
    await page.getByRole('button', { name: /^Next/ }).click();
    await eventuallyHolds(async () => expect(await rows.allTextContents()).toEqual(all.slice(4, 8)));
    await page.reload();
    await eventuallyHolds(async () => expect(await rows.allTextContents()).toEqual(all.slice(4, 8)));
    await page.getByRole('button', { name: 'Back' }).click();
    await eventuallyHolds(async () => expect(await rows.allTextContents()).toEqual(all.slice(0, 4)));
    await context.unrouteAll();
  });

  it.each(['alerts', 'yield', 'inventory', 'suppliers', 'documents', 'data-reference', 'fsma204'])('%s is accessible', async (name) => {
    await open(`/reports/${name}`);
    await page.getByText(/^As of block/).waitFor();
    await still();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
