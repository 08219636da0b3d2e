import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import type { Browser, Page } from 'playwright-core';
import { TraceabilityClient } from '#client';
import { CreateUser } from '#identity';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, reviewAndSign, signInAs } from '../harness/portal-visit.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
const ROOT = { email: 'root@platform.example', password: 'platform of many tenants' };
const FIRST = { email: 'first@cocoa.example', password: 'a bean of many kinds' };

suite('from nothing to a tenant that can record, in the portal', () => {
  let world: World;
  let mailbox: SmtpSink;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let origin: string;
  /** That the platform administrator hands over. */
  let link: string;

  beforeAll(async () => {
    const port = String(await freePort());
    mailbox = await SmtpSink.start();
    origin = `http://localhost:${port}`;
    world = await World.start({
      PORT: port,
      SMTP_URL: `smtp://localhost:${mailbox.port}`,
      MAIL_FROM: 'trace@example.org',
      PUBLIC_URL: origin,
    });
    await world.service.app.get(CreateUser, { strict: false }).create({ ...ROOT, name: 'Root', platformAdmin: true });
    browser = await openBrowser(chromium!);
    ({ page, complaints } = await openPage(await browser.newContext({ viewport: { width: 1280, height: 900 } })));
    await page.goto(`${origin}/portal`);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await mailbox?.close();
  });

  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
  const write = (name: RegExp, value: string): Promise<void> => page.getByRole('textbox', { name }).first().fill(value);
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
  };
  const row = (name: RegExp) => page.getByRole('row', { name });

  it('leads a platform administrator without a tenant to the tenants', async () => {
    await signInAs(page, ROOT);
    await page.getByRole('heading', { name: 'Tenants of the service' }).waitFor();
    await row(/Demo rice/).waitFor();
    await expectAccessible();
  });

  it('creates a tenant, and its contract with the wallet that owns the registry', async () => {
    await write(/^Name(?! of)/, 'Cocoa Chain');
    await write(/^Short name/, 'cocoa');
    await write(/^E-mail of the first/, FIRST.email);
    await write(/^Wallet of the first/, Wallet.createRandom().address);
    await press('Create the tenant');
    await page.getByRole('heading', { name: 'Create the contract of cocoa' }).waitFor();
    link = (await page.locator('.secret code').textContent())!;
    await expectAccessible();
    await reviewAndSign(page, 'Create the contract', 'Send with the operator’s demo wallet');
    // A reload before it is sent would take it back.
    await page.getByRole('heading', { name: 'Create the contract of cocoa' }).waitFor({ state: 'detached' });
    await eventuallyHolds(async () => {
      await page.reload();
      await row(/Cocoa Chain.*0x/).waitFor({ timeout: 3_000 });
    });
  });

  it('suspends a tenant after a question, and resumes it', async () => {
    await row(/Demo wool/)
      .getByRole('button', { name: 'Suspend' })
      .click();
    await page.getByText('All members and API keys of wool are refused at once.').waitFor();
    await page.getByRole('group', { name: 'Suspend' }).getByRole('button').first().click();
    await page.locator('.status-suspended').waitFor();
    await expect(world.admin('wool')).rejects.toMatchObject({ status: 403 });
    await row(/Demo wool/)
      .getByRole('button', { name: 'Resume' })
      .click();
    await eventuallyHolds(async () => expect(await page.locator('.status-suspended').count()).toBe(0));
    await world.admin('wool');
  });

  it('lets the first administrator set the tenant up, and continue after a break', async () => {
    await press('Sign out');
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('New password').fill(FIRST.password);
    await press('Set the password');
    await page.getByText('Your password is set.').waitFor();
    await signInAs(page, FIRST);
    await page.getByRole('link', { name: 'Set up' }).click();
    await page.getByText('0 of 5 done.').waitFor();
    await expectAccessible();
    await write(/^Name of your company/, 'Cocoa Growers');
    await press('Save the name');
    await page.getByText('1 of 5 done.').waitFor();
    await page.getByRole('radio', { name: /^Rice, field to pack/ }).check();
    await page.getByText(/^9 processes: Harvest paddy/).waitFor();
    await expectAccessible();
    await press('Use this template');
    await page.getByText('2 of 5 done.').waitFor();

    await page.reload();
    await page.getByText('2 of 5 done.').waitFor();
    await write(/^E-mail/, 'picker@cocoa.example');
    await press('Send the invitation');
    await page.getByText('3 of 5 done.').waitFor();
    await write(/^Name of the place/, 'Farm 1');
    await write(/^Country/, 'gh');
    await press('Add the place');
    await page.getByText('4 of 5 done.').waitFor();
    await page.getByRole('link', { name: 'Record: Harvest paddy' }).waitFor();
    await expectAccessible();
  });

  it('has made all that in the service', async () => {
    const api = await TraceabilityClient.login(world.baseUrl, FIRST.email, FIRST.password);
    const { orgId } = await api.get<{ orgId: string }>('/api/v2/auth/me');
    expect(await api.call('GET /api/v1/organisations/{id}', { path: { id: orgId } })).toMatchObject({
      ...{ name: 'Cocoa Growers', sites: [{ name: 'Farm 1', location: { country: 'GH' } }] },
    });
    expect((await api.call('GET /api/v1/process-maps/{name}', { path: { name: 'rice' } })).version).toBe('1.0.0');
    await eventually('the invitation', () => mailbox.mails.some(({ to }) => to === 'picker@cocoa.example'));
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
