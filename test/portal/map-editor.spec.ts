import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TraceabilityClient } from '#client';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;

suite('the editor of process maps, the event log and the requests of webhooks', () => {
  let world: World;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let api: TraceabilityClient;

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    await world.play('rice', 1);
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
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
  };

  it('adds a field to a process, tries its form, and publishes the next version', async () => {
    await page.goto(`${world.baseUrl}/portal/admin/process-maps/rice`);
    await page.getByRole('link', { name: 'Edit this map' }).click();
    await page.getByRole('list', { name: 'Processes of the map' }).waitFor();
    await page
      .getByRole('button', { name: 'Dry paddy', exact: true })
      .or(page.getByRole('button', { name: /^Dry/ }))
      .first()
      .click();
    await page
      .getByRole('textbox', { name: /^Name of a new field/ })
      .last()
      .fill('Drum number');
    await page.getByText('Its key in events: drumNumber').waitFor();
    await page.getByRole('button', { name: 'Add the field', exact: true }).last().click();
    const field = page.getByRole('group', { name: 'Drum number' });
    await field.getByRole('combobox', { name: 'Kind of value' }).selectOption('choice');
    await field.getByRole('textbox', { name: 'Values, one a line' }).fill('D1\nD2');
    await field.getByRole('textbox', { name: 'Explanation' }).fill('Painted on the drum');
    await page.getByText('/processes/RICE_DRYING/metadataSchema/properties/drumNumber').first().waitFor();
    await page.getByLabel('Lots, at most').fill('60');
    await page.locator('summary', { hasText: 'Fields of Quantity' }).last().click();
    await page
      .getByText(/^These fields are shared.*Mill paddy/)
      .last()
      .waitFor();
    await page.getByText('Try the form').click();
    await press('Check these values');
    await page.getByText(/fields need attention/).waitFor();
    await expectAccessible();
    // It outlives a reload of the tab.
    await page.reload();
    await page.getByRole('button', { name: /^Dry/ }).first().click();
    await page.getByRole('group', { name: 'Drum number' }).waitFor();
    await press('Check the map');
    await page.getByText('The map is valid.').waitFor();
    const version = await page.getByRole('textbox', { name: /^Version/ }).inputValue();
    await press(`Publish version ${version}`);
    await page
      .getByRole('group', { name: `Publish version ${version}` })
      .getByRole('button')
      .first()
      .click();
    await page.getByRole('heading', { name: /^Changed since/ }).waitFor();
    const published = await api.call('GET /api/v1/process-maps/{name}', { path: { name: 'rice' } });
    expect(published.version).toBe(version);
    expect(published.document).toMatchObject({
      processes: {
        RICE_DRYING: {
          inputs: { max: 60 },
          metadataSchema: { properties: { drumNumber: { enum: ['D1', 'D2'], description: 'Painted on the drum' } } },
        },
      },
    });
  });

  it('shows what happened apart from subscriptions, with its payload', async () => {
    await page.getByRole('link', { name: 'Event log' }).click();
    const entry = page.locator('.delivery', { hasText: 'event.recorded' }).first();
    await entry.waitFor();
    await entry.locator('summary').click();
    await entry.getByText('"eventId"').waitFor();
    await expectAccessible();
    await page.getByRole('combobox', { name: 'Topic' }).selectOption('event.recorded');
    await page.getByText(/^The newest/).waitFor();
  });

  it('shows the secret before the first request, and the headers and the payload of a delivery', async () => {
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const secret = (await page.locator('.own-secret').textContent())!;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await page.getByLabel('Address').fill(world.sink.url('/seen'));
    await press('Add the webhook');
    expect(await page.locator('.secret code').textContent()).toBe(secret);
    await press('I have kept it');
    await page.getByRole('link', { name: world.sink.url('/seen') }).click();
    await press('Send a test');
    const delivery = page.locator('.delivery').first();
    await delivery.locator('.status-delivered').waitFor();
    await delivery.locator('summary').first().click();
    await delivery.getByText('Request: headers and payload').click();
    await delivery.getByText('X-Webhook-Signature').waitFor();
    await delivery.getByText('"webhook.test"').waitFor();
    await expectAccessible();
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
