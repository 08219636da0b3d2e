import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { TraceabilityClient } from '#client';
import type { DemoActor } from '../../apps/cli/src/demo/demo-file.js';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;

/** As a spreadsheet in German writes it: two rows that can be recorded, and one that cannot. */
const HARVEST = `Charge;Erntedatum;Beginn;Menge;Sorte;Feuchte %
RH-20261030-DE1;30.10.2026;30.10.2026 07:30;1.234,5 kg;Jasmine 85;22,5
RH-20261030-DE2;30.10.2026;30.10.2026 09:00;2,4 t;Jasmine 85;21
RH-20261031-DE3;31.10.2026;31.10.2026 07:30;viel;Jasmine 85;20
`;
const SAME_FOR_ALL: Readonly<Record<string, string>> = {
  'Event time zone offset': '+07:00',
  'Location · Name': 'Example Farm A',
  'Location · Country': 'VN',
  'Plot · ID': 'A1',
  'Plot · Area ha': '1.6',
};
const FURTHER: Readonly<Record<string, string>> = {
  'Location · GLN': '9520000100018',
  'Plot · Geometry · Longitude': '105.783412',
  'Plot · Geometry · Latitude': '10.034518',
};

suite('import and export in the portal', () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let farm: DemoActor;
  let api: TraceabilityClient;

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    farm = world.tenant('rice').actors['farmA']!;
    api = await TraceabilityClient.login(world.baseUrl, farm.email, farm.password);
    browser = await openBrowser(chromium!);
    ({ page, complaints } = await openPage(await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true })));
    await page.goto(`${world.baseUrl}/portal`);
    await signInAs(page, farm);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
  const field = (name: string) => page.getByRole('textbox', { name }).or(page.getByRole('combobox', { name })).first();
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
  };
  const downloaded = async (label: string): Promise<string> => {
    const waiting = page.waitForEvent('download');
    await press(label);
    const file = await waiting;
    return readFileSync(await file.path(), 'utf8');
  };

  it('proposes what the columns of a spreadsheet mean, and asks what it cannot know', async () => {
    await page.getByRole('link', { name: 'Import and export' }).click();
    await page.getByRole('button', { name: 'Upload and read the file' }).waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'Ernte.csv', mimeType: 'text/csv', buffer: Buffer.from(HARVEST) });
    await page.getByRole('combobox', { name: /^Process/ }).selectOption('RICE_HARVESTING');
    await expectAccessible();
    await press('Upload and read the file');
    await page.getByText('What the columns mean').waitFor();
    await page.getByText('Which offset from UTC').waitFor();
    await page.getByRole('button', { name: 'Check all rows' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Means: Menge' }).locator('option:checked').textContent()).toBe(
      'Quantity with its unit',
    );
    await expectAccessible();
  });

  it('checks every row, and shows the problems by row and column and in the file', async () => {
    await field('Offset from UTC').fill('+07:00');
    await press('Add all that are missing');
    for (const [name, value] of Object.entries(SAME_FOR_ALL)) await page.getByRole('textbox', { name: new RegExp(`^${name}`) }).fill(value);
    await page.getByRole('combobox', { name: 'Add a value' }).selectOption({ label: 'Plot · Geometry · Type' });
    await page.getByRole('combobox', { name: 'Plot · Geometry · Type' }).selectOption('Point');
    for (const [name, value] of Object.entries(FURTHER)) {
      await page.getByRole('combobox', { name: 'Add a value' }).selectOption({ label: name });
      await page.getByRole('textbox', { name: new RegExp(`^${name}`) }).fill(value);
    }
    await press('Check all rows');
    await page.getByRole('heading', { name: '1 row with problems' }).waitFor();
    await page.getByRole('row', { name: /4.*Menge.*viel/ }).waitFor();
    await expectAccessible();
    expect(await downloaded('Download the marked file')).toMatch(/viel.*no number/);
  });

  it('prepares the rows without problems, and signs them', async () => {
    await press('Prepare 2 rows without problems');
    await page.getByText('1 row with problems is left out.').waitFor();
    await page.getByRole('group', { name: 'Prepare 2 rows without problems' }).getByRole('button').first().click();
    await page.getByText('You sign 2 events of RICE_HARVESTING:').waitFor();
    await expectAccessible();
    await press('Sign 2 events');
    await page.getByText('Everything of this import is signed.').waitFor();
    for (const code of ['RH-20261030-DE1', 'RH-20261030-DE2']) expect((await api.lots.byTlc(code)).tlc).toBe(code);
    await page.getByRole('link', { name: 'All imports' }).click();
    await page.getByRole('row', { name: /Ernte\.csv.*Prepared/ }).waitFor();
  });

  it('exports every row as a file', async () => {
    await page.getByRole('link', { name: 'Export', exact: true }).click();
    await page.getByRole('combobox', { name: 'What' }).selectOption('lots');
    await page.getByRole('combobox', { name: 'Format' }).selectOption('csv');
    await expectAccessible();
    const table = await downloaded('Download');
    for (const code of ['RH-20261030-DE1', 'RH-20261030-DE2']) expect(table).toContain(code);
    await page.getByText(/^Saved as lots-/).waitFor();
  });

  it('keeps a query to the EPCIS repository, runs it and deletes it', async () => {
    await signInAs(page, world.tenant('rice').admin);
    await page.goto(`${world.baseUrl}/portal/exchange/queries`);
    await page.getByLabel('Name', { exact: false }).first().waitFor();
    await page.getByRole('textbox', { name: /^Name/ }).fill('harvests');
    await page.getByRole('combobox', { name: 'Kind of event' }).selectOption('ObjectEvent');
    await press('Save and run the query');
    await page.getByRole('heading', { name: 'harvests' }).waitFor();
    await eventuallyHolds(async () => {
      await press('Refresh');
      await page.getByText('2 events').waitFor({ timeout: 2_000 });
    });
    await expectAccessible();
  });

  it('subscribes a URL to the query, tests it, shows what was sent, and deletes it', async () => {
    await page.getByLabel('Address').fill(world.sink.url('/query-hook'));
    await page.getByLabel('Sends').selectOption({ label: 'Every Monday' });
    await page.getByLabel('Hour (UTC)').selectOption({ label: '05:00' });
    await press('Subscribe');
    await page.getByText('Signing secret of the subscription.').waitFor();
    expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/);
    await expectAccessible();
    await press('I have kept it');
    await page.getByRole('row', { name: /query-hook.*Mondays, 05:00 UTC/ }).waitFor();
    await page.getByRole('link', { name: world.sink.url('/query-hook') }).click();
    await page.getByRole('heading', { name: world.sink.url('/query-hook') }).waitFor();
    await press('Send a test');
    await eventually('the test is received', () => world.sink.at('/query-hook').length > 0);
    await page.locator('.delivery .status-delivered').first().waitFor();
    await expectAccessible();
    await press('Delete');
    await page.getByRole('group', { name: 'Delete' }).getByRole('button').first().click();
    await page.getByText('No subscriptions yet.').waitFor();
  });

  it('deletes the query', async () => {
    await page.getByRole('link', { name: 'All queries' }).click();
    await page.getByRole('link', { name: 'harvests' }).waitFor();
    await expectAccessible();
    await press('Delete');
    await page.getByRole('group', { name: 'Delete' }).getByRole('button').first().click();
    await page.getByText('No queries yet.').waitFor();
  });

  it('says what an archive of the tenant has, and how to ask for it', async () => {
    await page.getByRole('link', { name: 'Archive', exact: true }).click();
    await page.getByText('“tenant archive rice”').waitFor();
    await page.getByRole('link', { name: 'How a tenant moves (guide)' }).waitFor();
    await expectAccessible();
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
