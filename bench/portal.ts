import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { eventually } from '../test/harness/eventually.js';
import { findChromium, openBrowser } from '../test/harness/browser.js';
import { firstView, interactions } from './portal-interactions.js';
import { type Measurement, type Scenario, median } from './report.js';
import { sizeOf } from './seed-fill.js';
import { type SeededFolder, openSeeded } from './seed-tenant.js';

const DATA = process.env['BENCH_DATA'] ?? '.data-bench';
const LOTS = Number(process.env['BENCH_LOTS'] ?? 1_000_000);
const REPEATS = 5;
const ROWS = 100;
const WATCHED_LOTS = 2_000;
const WATCHED_MS = 3_000;

export const scenario: Scenario = {
  name: 'portal',
  about: `The page at /portal in a Chromium without a screen, and the service that answers it, on this machine; a tenant of ${LOTS.toLocaleString('en')} lots, filled by npm run bench:seed. Medians of ${REPEATS}.`,
  async run(say) {
    const chromium = findChromium();
    if (chromium === null) throw new Error('No Chromium was found; CHROMIUM_PATH names one.');
    const { service, seeded } = await openSeeded(DATA, sizeOf(LOTS), say);
    const browser = await openBrowser(chromium);
    try {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
      page.setDefaultTimeout(120_000);
      const address = `${service.baseUrl}/portal`;
      say('first page');
      const first = [await scriptOf(address), await firstPage(page, address), ...(await firstView(page, address))];
      await signIn(page, address, seeded.login);
      say('list');
      const list = await listOf(page, address);
      say('graph');
      const graph = await graphOf(page, address, seeded);
      say('maps and charts');
      return [...first, ...list, ...graph, ...(await interactions(page, address, seeded.landmarks.tree))];
    } finally {
      await browser.close();
      await service.close();
    }
  },
};

async function scriptOf(address: string): Promise<Measurement> {
  const html = await (await fetch(address)).text();
  const files = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, file]) => new URL(file!, address));
  const sizes = await Promise.all(files.map(async (file) => gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer())).length));
  return { what: 'script of the first page', value: sizes.reduce((sum, size) => sum + size, 0) / 1_000, unit: 'kB gzip', limit: '< 100' };
}

async function firstPage(page: Page, address: string): Promise<Measurement> {
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    await page.goto(address);
    await page.waitForSelector('input[type=email]', { state: 'visible' });
    times.push(await page.evaluate<number>('performance.now()'));
  }
  return { what: 'sign-in page can be typed in', value: median(times), unit: 'ms', limit: '< 1000' };
}

async function signIn(page: Page, address: string, { email, password }: SeededFolder['login']): Promise<void> {
  await page.goto(address);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Records in the page the frame in which the last row is shown. */
const WATCH_ROWS = `(() => {
  window.shownAt = null;
  const look = () => {
    if (document.querySelector('tbody tr:nth-child(${ROWS})')) window.shownAt = performance.now();
    else requestAnimationFrame(look);
  };
  look();
})()`;

/** From the last byte of the answer to the frame that shows the rows; both by the clock of the page. */
async function listOf(page: Page, address: string): Promise<readonly Measurement[]> {
  const [answers, drawn] = [[] as number[], [] as number[]];
  await page.addInitScript(WATCH_ROWS);
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    await page.goto(`${address}/lots`);
    await eventually('the rows are shown', () => page.evaluate<boolean>('window.shownAt !== null'));
    const [asked, answered, shown] = await page.evaluate<[number, number, number]>(`(() => {
      const [{ startTime, responseEnd }] = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/nfts?limit=${ROWS}'));
      return [startTime, responseEnd, window.shownAt];
    })()`);
    answers.push(answered - asked);
    drawn.push(shown - answered);
  }
  return [
    { what: `API answers the list of ${ROWS} lots`, value: median(answers), unit: 'ms' },
    { what: `${ROWS} rows are shown, after the answer`, value: median(drawn), unit: 'ms', limit: 'less than the eye sees: 100' },
  ];
}

/** All descendants of one lot, opened one by one, and then moved in each frame with all of them on the screen. */
async function graphOf(page: Page, address: string, { landmarks }: SeededFolder): Promise<readonly Measurement[]> {
  await page.goto(`${address}/lots/${landmarks.tree}`);
  const count = page.locator('section', { hasText: 'Lineage' }).locator('.count');
  const lots = async (): Promise<number> =>
    Number((/^([\d,]+) lots/.exec((await count.textContent()) ?? '')?.[1] ?? '0').replaceAll(',', ''));
  let shown = await eventually('the first lots', lots);
  await page.getByText('As a table').click();
  // Chain after chain, as a user would follow them.
  for (let row = 1; shown < WATCHED_LOTS; row++) {
    await page
      .getByRole('button', { name: /^Choose .* in the graph$/ })
      .nth(row)
      .click();
    await page.getByRole('button', { name: 'Downstream lots' }).click();
    const before = shown;
    shown = await eventually('more lots', async () => {
      const now = await lots();
      return now > before ? now : null;
    });
  }
  await page.getByText('As a table').click();
  await page.getByRole('button', { name: 'Fit' }).click();
  // All other requests of the page, for example the footprint, are finished.
  await eventually('nothing is loading', async () => (await page.getByText('Loading …').count()) === 0);
  const frames = await page.evaluate<number>(`new Promise((done) => {
    const canvas = document.querySelector('canvas');
    const begun = performance.now();
    let frames = 0;
    const next = () => {
      frames++;
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: frames % 2 ? 'ArrowLeft' : 'ArrowRight', bubbles: true }));
      if (performance.now() - begun < ${WATCHED_MS}) requestAnimationFrame(next);
      else done(frames / ((performance.now() - begun) / 1000));
    };
    requestAnimationFrame(next);
  })`);
  return [
    { what: `lineage of ${shown.toLocaleString('en')} lots, moved in each frame`, value: frames, unit: 'frames/s', limit: '> 30 at 2,000' },
  ];
}
