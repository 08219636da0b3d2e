import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null)
  process.stderr.write('!! No Chromium was found: maps and charts of the portal are NOT tested. CHROMIUM_PATH names one.\n');

suite('maps and charts of the portal', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  const asked: string[] = [];

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    await world.play('rice');
    browser = await openBrowser(chromium!);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
    ({ page, complaints } = await openPage(context));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${world.baseUrl}/portal`);
    await signInAs(page, world.tenant('rice').admin);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${world.baseUrl}/portal${path}`);
    await eventually('nothing is on its way', () => isStill(page));
  };
  const lotOf = async (tlc: string): Promise<number> => Number((await (await world.admin('rice')).lots.byTlc(tlc)).tokenId);
  const map = () => page.getByRole('application', { name: /Arrow keys move the map/ });
  /** Where the world is drawn. */
  const drawnAt = (where: Page = page): Promise<string | null> => where.locator('.world svg > g').first().getAttribute('transform');
  const changed = (before: string | null, where: Page = page): Promise<unknown> =>
    eventually('the map moved', async () => (await drawnAt(where)) !== before);
  const rowsOf = async (name: string): Promise<string[]> => {
    const table = page.getByRole('table', { name });
    await table.waitFor();
    return table.getByRole('row').allTextContents();
  };

  it('shows sites and plots of the tenant, with a list that says the same', async () => {
    await open('/reports/map');
    await map().waitFor();
    await page.locator('.world .land').waitFor({ state: 'attached' });
    const rows = await rowsOf('Places');
    expect(rows.find((row) => row.includes('A1'))).toMatch(/Plot of land.*Example Farm A.*10\.0345, 105\.7834/);
    expect(rows.find((row) => row.includes('Example Mill'))).toContain('Vietnam, exact position not known');
    expect(await page.locator('.plot-area').count()).toBe(2);
  });

  it('moves by keyboard, by the mouse, and to a place of the list', async () => {
    const first = await drawnAt();
    await map().focus();
    await page.keyboard.press('ArrowRight');
    await changed(first);
    const second = await drawnAt();
    await page.keyboard.press('+');
    await changed(second);
    await page.keyboard.press('0');
    await eventually('all is shown again', async () => (await drawnAt()) === first);
    const { x, y } = (await map().boundingBox())!;
    await page.mouse.move(x + 100, y + 100);
    await page.mouse.down();
    for (const by of [30, 60, 90, 120]) await page.mouse.move(x + 100 + by, y + 100 + by / 3);
    await page.mouse.up();
    await changed(first);
    const dragged = await drawnAt();
    await page.getByRole('button', { name: /^Show \d+ A1 on the map$/ }).press('Enter');
    await changed(dragged);
    await page.getByRole('button', { name: 'Whole map' }).click();
    await eventually('all is shown again', async () => (await drawnAt()) === first);
  });

  it('moves under a finger of a phone, where the buttons zoom', async () => {
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'en-GB' });
    try {
      const { page: small } = await openPage(phone);
      await small.goto(`${world.baseUrl}/portal`);
      await small.getByLabel('E-mail').fill(world.tenant('rice').admin.email);
      await small.getByLabel('Password').fill(world.tenant('rice').admin.password);
      await small.getByRole('button', { name: 'Sign in', exact: true }).tap();
      await small.getByRole('button', { name: 'Menu' }).waitFor();
      await small.goto(`${world.baseUrl}/portal/reports/map`);
      await small.locator('.world .land').waitFor({ state: 'attached' });
      const first = await drawnAt(small);
      await small.getByRole('button', { name: 'Zoom in on the map' }).tap();
      await changed(first, small);
      const zoomed = await drawnAt(small);
      const { x, y } = (await small.locator('.world svg').boundingBox())!;
      const touch = await phone.newCDPSession(small);
      const finger = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: readonly (readonly [number, number])[]): Promise<unknown> =>
        touch.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: points.map(([right, down], id) => ({ x: x + right, y: y + down, id })),
        });
      await finger('touchStart', [[100, 100]]);
      await finger('touchMove', [[150, 120]]);
      await finger('touchMove', [[200, 140]]);
      await finger('touchEnd', []);
      await changed(zoomed, small);
      const scaleOf = async (): Promise<number> => Number(/scale\(([\d.]+)\)/.exec((await drawnAt(small))!)![1]);
      const before = await scaleOf();
      await finger('touchStart', [
        [100, 100],
        [160, 100],
      ]);
      await finger('touchMove', [
        [80, 100],
        [200, 100],
      ]);
      await finger('touchMove', [
        [60, 100],
        [240, 100],
      ]);
      await finger('touchEnd', []);
      await eventually('two fingers zoom', async () => (await scaleOf()) > before * 1.5);
    } finally {
      await phone.close();
    }
  });

  it('shows where a lot came from and where it went', async () => {
    await open(`/lots/${await lotOf('RP262641')}`);
    await map().waitFor();
    const rows = await rowsOf('Places of this lot');
    expect(rows.slice(1).map((row) => /Example (Farm A|Farm B|Mill|Distributor)/.exec(row)?.[0])).toEqual([
      'Example Farm A',
      'Example Farm B',
      'Example Mill',
      'Example Distributor',
    ]);
    await page.locator('summary', { hasText: 'Ways of the goods' }).click();
    const ways = await rowsOf('Ways of the goods');
    expect(ways.find((way) => way.startsWith('3 Example Mill'))).toContain('4 Example Distributor');
    expect(await page.locator('.moves line').count()).toBe(3);
  });

  it('previews a recall with who holds how much, on the map and in the list', async () => {
    await open(`/lots/${await lotOf('RH-20260915-A1')}/recall`);
    await map().waitFor();
    const held = await eventually('holders', async () => {
      const rows = await rowsOf('Places of this lot');
      return rows.some((row) => row.includes('Holds goods now')) ? rows : null;
    });
    expect(held.find((row) => row.includes('Example Distributor'))).toContain('1,400 pieces');
    expect(held.find((row) => row.includes('Example Mill'))).toContain('1,401 kg');
    expect(await page.locator('.mark-holder, .mark-many').count()).toBeGreaterThan(0);
  });

  it('draws the mass flow, and says it as a table', async () => {
    await open('/reports/yield');
    const chart = page.getByRole('img', { name: 'Mass flow' });
    await chart.waitFor();
    expect(await chart.locator('title').allTextContents()).toContain('Harvest paddy → Dry paddy: 12,000 kg');
    await page.getByText('Mass flow as a table').press('Enter');
    const rows = await rowsOf('Mass flow');
    for (const row of ['Harvest paddyDry paddy12,000 kg', 'Dry paddyDeclared loss1,225 kg', 'Mill paddyIn stock or delivered3,556 kg'])
      expect(rows).toContain(row);
  });

  it('draws what was recorded over time, and stock by place and state', async () => {
    await open('/reports/trends');
    await page.getByRole('img', { name: /^Quantity recorded: September 2026/ }).waitFor();
    expect(await rowsOf('Figures of each interval')).toContainEqual(expect.stringMatching(/^September 2026\d+840,335 kg83\.2%/));
    await page.getByRole('combobox', { name: 'Interval' }).selectOption('day');
    await page.getByText('15 Sept 2026', { exact: true }).first().waitFor();
    await open('/reports/inventory');
    const states = await rowsOf('Mass in stock at the places below, by state');
    expect(states).toContainEqual(expect.stringContaining('Active 1,401 kg'));
  });

  it.each(['/reports/map', '/reports/trends', '/reports/yield', '/reports/inventory', '/lots/1', '/lots/1/recall'])(
    '%s is accessible',
    async (path) => {
      await open(path);
      expect(await accessibilityFaults(page)).toEqual([]);
    },
  );

  it('asks nobody but the service, and the page never complains', () => {
    expect(asked.filter((url) => /^https?:/.test(url) && !url.startsWith(world.baseUrl))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
