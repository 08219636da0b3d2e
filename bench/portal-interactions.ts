import type { CDPSession, Page } from 'playwright-core';
import { eventually } from '../test/harness/eventually.js';
import { type Measurement, median } from './report.js';

/** As much slower than this machine as a phone. */
const SLOWER = 4;
const REPEATS = 5;

/** Everything that the first page loads before it can be used, as it is sent, and how soon that is with a slow processor. */
export async function firstView(page: Page, address: string): Promise<readonly Measurement[]> {
  const processor = await slowDown(page);
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    await page.goto(address);
    await page.waitForSelector('input[type=email]', { state: 'visible' });
    times.push(await page.evaluate<number>('performance.now()'));
  }
  await processor.detach();
  return [
    { what: 'all files of the first page', value: (await sentBytes(page)) / 1_000, unit: 'kB gzip', limit: '< 200' },
    { what: `sign-in page can be typed in, processor ${SLOWER} × slower`, value: median(times), unit: 'ms', limit: '< 1000' },
  ];
}

const sentBytes = (page: Page): Promise<number> =>
  page.evaluate<number>(`performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);

/** From a key or a click to the next picture, by the browser's own clock. */
const WATCH_EVENTS = `(() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration, interactionId } of list.getEntries()) if (interactionId) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
})()`;

/** What people do with maps and charts; the longest interaction of each page with a slow processor. */
export async function interactions(page: Page, address: string, lot: number): Promise<readonly Measurement[]> {
  await page.addInitScript(WATCH_EVENTS);
  const processor = await slowDown(page);
  const rows: Measurement[] = [];
  const measured = async (what: string, path: string, act: () => Promise<void>): Promise<void> => {
    await page.goto(`${address}${path}`);
    await eventually('nothing is loading', async () => (await page.getByText('Loading …').count()) === 0);
    await act();
    await page.waitForTimeout(200);
    const longest = await page.evaluate<number>('window.longest');
    rows.push({ what: `${what}, processor ${SLOWER} × slower`, value: longest, unit: 'ms', limit: '< 100' });
  };
  await measured('map of the tenant: the longest key or click', '/reports/map', () => moveMap(page));
  await measured('map of a lot: the longest key or click', `/lots/${lot}`, () => moveMap(page));
  await measured('trends: another interval', '/reports/trends', () => chooseInterval(page));
  await measured('mass flow: its table', '/reports/yield', () => page.getByText('Mass flow as a table').click());
  await processor.detach();
  return rows;
}

async function slowDown(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  return session;
}

async function moveMap(page: Page): Promise<void> {
  const map = page.getByRole('application', { name: /Arrow keys move the map/ });
  await map.waitFor();
  await map.focus();
  for (const key of ['ArrowRight', '+', '+', 'ArrowDown', '-', '0']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Zoom in on the map' }).click();
  await page.getByRole('button', { name: 'Whole map' }).click();
  await page
    .getByRole('button', { name: /^Show .* on the map$/ })
    .first()
    .click();
}

async function chooseInterval(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Interval' }).press('ArrowDown');
  await page.waitForTimeout(500);
}
