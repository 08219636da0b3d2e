import { gzipSync } from 'node:zlib';
import type { Page, Route } from 'playwright-core';
import type { GraphEdgeView, GraphNodeView, GraphView, LotView } from '#client';
import { findChromium, openBrowser } from '../test/harness/browser.js';
import { withDemoService } from './demo-service.js';
import type { Measurement, Scenario } from './report.js';

const TURNS = 5;
const ROWS = 100;
const LOTS = 2_000;
const WATCHED_MS = 3_000;

export const scenario: Scenario = {
  name: 'portal',
  about:
    'The page at /portal in a Chromium without a screen, against a service on this machine. The list and the lineage are answered by the bench at once, so that the figures are the page’s own.',
  run: (say) =>
    withDemoService('portal', async ({ service, tenant }) => {
      const chromium = findChromium();
      if (chromium === null) throw new Error('No Chromium was found; CHROMIUM_PATH names one.');
      const browser = await openBrowser(chromium);
      try {
        const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
        const address = `${service.baseUrl}/portal`;
        say('first page');
        const measured = [
          await scriptOf(address),
          await timesOf('sign-in page can be typed in', page, address, 'input[type=email]', 1_000),
        ];
        await signIn(page, address, tenant.admin);
        say('list and graph');
        await page.route(/\/api\/v1\/nfts\?/, (route) =>
          answer(route, { data: lots(ROWS), total: ROWS, page: 1, limit: ROWS, nextCursor: null }),
        );
        measured.push(await timesOf(`${ROWS} lots are shown, after a reload`, page, `${address}/lots`, `tbody tr:nth-child(${ROWS})`));
        return [...measured, await framesOf(page, address)];
      } finally {
        await browser.close();
      }
    }),
};

async function scriptOf(address: string): Promise<Measurement> {
  const html = await (await fetch(address)).text();
  const files = [...html.matchAll(/src="([^"]+\.js)"/g)].map(([, file]) => new URL(file!, address));
  const sizes = await Promise.all(files.map(async (file) => gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer())).length));
  return { what: 'script of the first page', value: sizes.reduce((sum, size) => sum + size, 0) / 1_000, unit: 'kB gzip', limit: '< 100' };
}

/** From the navigation to when `selector` stands on the page, by the page's own clock; the median. */
async function timesOf(what: string, page: Page, address: string, selector: string, limit?: number): Promise<Measurement> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    await page.goto(address);
    await page.waitForSelector(selector, { state: 'visible' });
    times.push(await page.evaluate<number>('performance.now()'));
  }
  return { what, value: times.toSorted((a, b) => a - b)[TURNS >> 1]!, unit: 'ms', ...(limit && { limit: `< ${limit}` }) };
}

async function signIn(
  page: Page,
  address: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.goto(address);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

/** Frames while the graph is moved in each of them, all of it on the screen. */
async function framesOf(page: Page, address: string): Promise<Measurement> {
  await page.route(/\/api\/v1\/nfts\/1$/, (route) => answer(route, lots(1)[0]));
  await page.route(/\/api\/v1\/nfts\/1\/ancestry/, (route) => answer(route, graph('ancestors', 1)));
  await page.route(/\/api\/v1\/nfts\/1\/descendants/, (route) => answer(route, graph('descendants', LOTS)));
  await page.goto(`${address}/lots/1`);
  await page.getByText(/^2,000 lots/).waitFor();
  await page.getByRole('button', { name: 'Fit' }).click();
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
  return { what: `lineage of ${LOTS} lots, moved in each frame`, value: frames, unit: 'frames/s', limit: '> 30' };
}

const answer = (route: Route, body: unknown): Promise<void> =>
  route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });

function lots(count: number): Partial<LotView>[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(index),
    tokenId: index + 1,
    tlc: `LOT-${index}`,
    assetTypeName: 'Milled rice, bulk',
    status: 'active',
    custodian: '0x0000000000000000000000000000000000000001',
    custodianLabel: 'Example Mill',
    remainingQuantity: 12_000.5,
    uom: 'KGM',
    createdAt: '2026-11-01T08:00:00.000Z',
    metadataCid: 'bafkrei',
    txHash: '0x00',
    confirmed: true,
    pendingCustodian: null,
  }));
}

/** Each lot is made into up to three others. */
function graph(direction: GraphView['direction'], count: number): Partial<GraphView> {
  const depthOf = (index: number): number => (index === 0 ? 0 : 1 + depthOf(Math.floor((index - 1) / 3)));
  const nodes = Array.from(
    { length: count },
    (_, index): Partial<GraphNodeView> => ({
      tokenId: index + 1,
      tlc: `LOT-${index}`,
      assetTypeName: 'Milled rice, bulk',
      status: 'active',
      depth: depthOf(index),
      recalled: index === 0,
      recallAffected: index % 7 === 1,
    }),
  );
  const edges = nodes
    .slice(1)
    .map((_, index): Partial<GraphEdgeView> => ({ from: Math.floor(index / 3) + 1, to: index + 2, eventId: String(index) }));
  return { direction, root: 1, nodes: nodes as GraphNodeView[], edges: edges as GraphEdgeView[], truncated: false, nextCursor: null };
}
