import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toSVG } from '@bwip-js/node';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type EventPageView, Session, type StoredDocumentPageView, type TraceabilityClient } from '#client';
import type { DemoActor } from '../../apps/cli/src/demo/demo-file.js';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, fillHarvest, isStill, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null) process.stderr.write('!! No Chromium was found: recording by hand is NOT tested. CHROMIUM_PATH names one.\n');

const FIRST = 'RH-20260915-H1';

/** A picture of a QR code, as a camera sees it. */
async function photoOf(browser: Browser, text: string): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
  try {
    await page.setContent(
      `<body style="background:#999"><div style="width:260px;margin:90px auto;padding:20px;background:#fff">${toSVG({ bcid: 'qrcode', text })}</div>`,
    );
    return await page.screenshot({ type: 'jpeg', quality: 90 });
  } finally {
    await page.close();
  }
}

suite('an operator with a phone', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let farm: DemoActor;
  let client: TraceabilityClient;
  let folder: string;

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    farm = world.tenant('rice').actors['farmA']!;
    ({ client } = await Session.login(world.baseUrl, farm));
    folder = await mkdtemp(join(tmpdir(), 'hands-'));
    const drawing = await openBrowser(chromium!);
    await writeFile(join(folder, 'camera.mjpeg'), await photoOf(drawing, FIRST));
    await drawing.close();
    browser = await openBrowser(chromium!, [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${join(folder, 'camera.mjpeg')}`,
    ]);
    context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      geolocation: { longitude: 105.7835, latitude: 10.0346 },
      permissions: ['geolocation', 'camera'],
    });
    ({ page, complaints } = await openPage(context));
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (path: string): Promise<unknown> => page.goto(`${world.baseUrl}/portal${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const recordAsLast = () => page.getByRole('button', { name: /^Record without a line as / });
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
  };
  const quantity = () => page.getByRole('group', { name: 'Quantity and unit' }).getByLabel('Value');

  it('is asked about a number that can be read in two ways, and sees in words what is signed', async () => {
    await open('');
    await signInAs(page, farm);
    await open('/record');
    await button('Harvest paddy').first().waitFor();
    await expectAccessible();
    await button('Harvest paddy').first().tap();
    await button('Review').tap();
    // The focus is at the first thing to do, in view.
    await eventuallyHolds(async () =>
      expect(await page.evaluate<boolean>("document.activeElement.getAttribute('aria-invalid') === 'true'")).toBe(true),
    );
    await fillHarvest(page, FIRST);
    await quantity().fill('1,200');
    await button('Review').tap();
    await page.getByText('1,200 can be read in two ways. Choose one.').waitFor();
    await eventuallyHolds(async () => expect(await page.evaluate<string>('document.activeElement.value')).toBe('1,200'));
    await expectAccessible();
    await page.getByRole('button', { name: '1200 thousands' }).tap();
    await page.getByText('Ready to sign').waitFor();
    await button('Review').tap();
    await page.getByText(`1,200 kg of Paddy, as harvested, lot ${FIRST}.`).waitFor();
    await button('Sign and record').tap();
    await page.getByText('Event recorded.').waitFor();
    expect(await page.evaluate<number>('scrollY')).toBe(0);
    expect((await client.lots.byTlc(FIRST)).quantity).toBe(1200);
  });

  /** Two of one minute have no order. */
  const harvests = async (): Promise<EventPageView['data']> =>
    (await client.get<EventPageView>('/api/v1/events?processType=RICE_HARVESTING&limit=20')).data;

  it('records a known harvest in less than 8 taps', async () => {
    await open('');
    await button('Sign out').waitFor();
    await page.evaluate("globalThis.taps = 0; addEventListener('click', ({ isTrusted }) => { if (isTrusted) globalThis.taps++; }, true)");
    const began = Date.now();
    await button('Menu').tap();
    await page.getByRole('link', { name: 'Record', exact: true }).tap();
    await button('Harvest paddy').first().tap();
    await button('Same as last time').tap();
    await quantity().tap();
    await quantity().fill('950');
    await page.getByText('Ready to sign').waitFor();
    await button('Review').tap();
    await page.getByText(/^950 kg of Paddy, as harvested, with a new lot code as RH-/).waitFor();
    await button('Sign and record').tap();
    await page.getByText('Event recorded.').waitFor();
    process.stdout.write(`a known harvest: ${Date.now() - began} ms\n`);
    expect(await page.evaluate<number>('globalThis.taps')).toBeLessThan(8);
    expect((await harvests()).map(({ metadata }) => metadata)).toContainEqual(
      expect.objectContaining({
        quantity: expect.objectContaining({ value: 950 }),
        variety: 'Jasmine 85',
        plot: expect.objectContaining({ id: 'A1' }),
      }),
    );
  });

  it('takes the nearest known place by the position of the phone, or the position itself', async () => {
    await button('Start with an empty form').tap();
    const place = page.getByRole('group', { name: 'Farm location' }).first();
    await place.getByRole('button', { name: 'Use my position' }).first().tap();
    await page
      .getByText(/No known place is near|m from here/)
      .first()
      .waitFor();
    await expectAccessible();
  });

  it('chooses a lot by holding its code into the camera, or by a photo of it', async () => {
    await open('/record?process=RICE_DISPOSAL');
    await button('Scan a lot').tap();
    await button(`Remove ${FIRST}`).waitFor();
    await button(`Remove ${FIRST}`).tap();
    await page.evaluate("navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error('no camera'))");
    await button('Scan a lot').tap();
    await page.getByText('This page has no camera here.').waitFor();
    await page
      .locator('.scan input[type=file]')
      .setInputFiles({ name: 'lot.jpg', mimeType: 'image/jpeg', buffer: await photoOf(browser, FIRST) });
    await button(`Remove ${FIRST}`).waitFor();
    await expectAccessible();
  });

  it('adds a photo, which is stored and named by the event', async () => {
    await open('/record?process=RICE_HARVESTING');
    await button('Same as last time').tap();
    await page
      .locator('.uploads input[type=file]')
      .setInputFiles({ name: 'field.jpg', mimeType: 'image/jpeg', buffer: await photoOf(browser, 'field') });
    await page.getByText('Uploaded', { exact: true }).waitFor();
    await expectAccessible();
    await button('Review').tap();
    await button('Sign and record').tap();
    await page.getByText('Event recorded.').waitFor();
    const { data } = await client.get<StoredDocumentPageView>('/api/v1/documents?limit=100');
    const stored = data.find(({ name }) => name === 'field.jpg');
    expect(stored).toMatchObject({ type: 'FIELD_TAG' });
    const documents = (await harvests()).flatMap((harvest) => harvest.documents as readonly { readonly sha256?: string }[]);
    expect(documents).toContainEqual(expect.objectContaining({ sha256: stored!.sha256 }));
  });

  const keepHarvest = async (code: string, kept = 'Waiting to be sent'): Promise<void> => {
    await page.getByLabel(/^Lot code/).fill(code);
    await quantity().fill('700');
    await eventually(
      'it can be kept',
      async () => {
        if (await button('Review').isVisible()) await button('Review').tap();
        return button('Keep it and send it later').isVisible();
      },
      { everyMs: 500 },
    );
    await button('Keep it and send it later').tap();
    await page.getByRole('heading', { name: kept }).waitFor();
  };

  it('records without a line: what waits outlives the page, and is sent once when the line is back', async () => {
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await open('/record?process=RICE_HARVESTING');
    await button('Same as last time').tap();
    await context.setOffline(true);
    await page
      .locator('.uploads input[type=file]')
      .setInputFiles({ name: 'night.jpg', mimeType: 'image/jpeg', buffer: await photoOf(browser, 'night') });
    await page.getByText('Is uploaded with the event').waitFor();
    await keepHarvest('RH-20261201-OFF1');
    await expectAccessible();
    await page.close();

    // The app opens without a line, and says what waits.
    ({ page, complaints } = await openPage(context));
    await open('/waiting');
    await page.getByText('Records wait on this device to be sent: 1.').waitFor();
    await context.setOffline(false);
    await signInAs(page, farm);
    await page.getByText('Nothing waits on this device.').waitFor();
    expect(await client.lots.byTlc('RH-20261201-OFF1')).toMatchObject({ quantity: 700 });
    const { total, data } = await client.get<EventPageView>('/api/v1/events?status=all&tlc=RH-20261201-OFF1');
    expect(total).toBe(1);
    const [document] = data[0]!.documents as readonly { readonly sha256: string }[];
    expect((await client.get<StoredDocumentPageView>(`/api/v1/documents?sha256=${document!.sha256}`)).data).toMatchObject([
      { name: 'night.jpg' },
    ]);
  });

  it('reads what is refused of what waited, and corrects it; nobody else sees it', async () => {
    await open('/record?process=RICE_HARVESTING');
    await button('Same as last time').tap();
    await context.setOffline(true);
    await keepHarvest('RH-20261201-OFF1');
    await context.setOffline(false);
    await page.locator('p.problem', { hasText: 'is the code of another lot' }).waitFor();
    await expectAccessible();
    await signInAs(page, world.tenant('rice').actors['mill']!);
    await open('/waiting');
    await page.getByText('Nothing waits on this device.').waitFor();
    await signInAs(page, farm);
    await open('/waiting');
    await button('Correct it').tap();
    await page.getByLabel(/^Lot code/).fill('RH-20261201-OFF2');
    await page.getByText('Ready to sign').waitFor();
    await button('Review').tap();
    await button('Sign and record').tap();
    await page.getByText('Event recorded.').waitFor();
    expect(await client.lots.byTlc('RH-20261201-OFF2')).toMatchObject({ quantity: 700 });
    await open('/waiting');
    await page.getByText('Nothing waits on this device.').waitFor();
  });

  it('records without a line for who was signed in last, and its photos outlive the page; nobody else sees or sends it', async () => {
    const reopen = async (): Promise<void> => {
      await page.close();
      ({ page, complaints } = await openPage(context));
      await open('/record');
      await recordAsLast().tap();
      await page.getByRole('combobox', { name: 'Process', exact: true }).selectOption('RICE_HARVESTING');
    };
    await open('/record?process=RICE_HARVESTING');
    await button('Same as last time').waitFor();
    await context.setOffline(true);
    await reopen();
    await button('Same as last time').tap();
    await page
      .locator('.uploads input[type=file]')
      .setInputFiles({ name: 'dusk.jpg', mimeType: 'image/jpeg', buffer: await photoOf(browser, 'dusk') });
    await page.getByText('Is uploaded with the event').waitFor();
    await eventually('the photo is on the device', async () => page.getByText('uploaded with the event: dusk.jpg').isVisible());
    await reopen();
    await page.getByText('uploaded with the event: dusk.jpg').waitFor();
    await expectAccessible();
    await keepHarvest('RH-20261201-OFF3', 'Kept on this device');
    await page.getByText('1 record waits to be sent.').waitFor();
    expect(await page.getByText('RH-20261201-OFF3').count()).toBe(0);
    await expectAccessible();
    await context.setOffline(false);
    await page.getByText('The service answers again').waitFor();
    await button('Sign in').tap();
    await signInAs(page, world.tenant('rice').actors['mill']!);
    await open('/waiting');
    await page.getByText('Nothing waits on this device.').waitFor();
    await signInAs(page, farm);
    await open('/waiting');
    await page.getByText('while nobody was signed in').waitFor();
    await button('Sign and send').tap();
    await page.getByText('Nothing waits on this device.').waitFor();
    expect(await client.lots.byTlc('RH-20261201-OFF3')).toMatchObject({ quantity: 700 });
    // Who signs out is not known to the device any more.
    await button('Sign out').tap();
    await page.getByLabel('E-mail').waitFor();
    await context.setOffline(true);
    expect(await recordAsLast().count()).toBe(0);
    await context.setOffline(false);
  });

  it('met no fault of a script and stayed within the policy of the page', () => {
    expect(complaints).toEqual([]);
  });
});
