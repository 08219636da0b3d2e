import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { TraceabilityClient } from '#client';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, fillHarvest, isStill, signInAs } from '../harness/portal-visit.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';
import { administrator } from '../journeys/rice-trade.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null) process.stderr.write('!! No Chromium was found: passkeys in the portal are NOT tested. CHROMIUM_PATH names one.\n');

suite('passkeys in the portal', () => {
  let world: World;
  let mailbox: SmtpSink;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let admin: TraceabilityClient;
  let origin: string;

  beforeAll(async () => {
    const port = String(await freePort());
    // Browsers have passkeys for a name, not for an address.
    origin = `http://localhost:${port}`;
    mailbox = await SmtpSink.start();
    const mail = { SMTP_URL: `smtp://localhost:${mailbox.port}`, MAIL_FROM: 'trace@example.org', PUBLIC_URL: origin };
    world = await World.start({ PORT: port, ...mail });
    admin = await world.admin('rice');
    browser = await openBrowser(chromium!);
    context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    ({ page, complaints } = await openPage(context));
    const devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await mailbox?.close();
  });

  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  /** On a phone the pages and the sign-out are behind the same bar. */
  const signedIn = (): Promise<void> => page.getByRole('button', { name: 'Sign out' }).waitFor();

  it('accept an invitation on a phone without a password, and sign in again', async () => {
    const email = 'newcomer@rice.example';
    await admin.post('/api/v2/members', { email, roles: ['OPERATOR'] });
    const { text } = await eventually('the invitation', () => mailbox.mails.find(({ to }) => to === email));
    await page.goto(/http\S+/.exec(text)![0]);
    await page.getByRole('button', { name: 'Create a passkey' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await press('Create a passkey');
    await signedIn();
    await press('Sign out');
    await press('Sign in with a passkey');
    await signedIn();
    const { data } = await admin.get<{ data: { action: string }[] }>('/api/v1/audit?limit=10');
    expect(data.map(({ action }) => action)).toEqual(expect.arrayContaining(['passkey.added', 'invitation.accepted', 'login.succeeded']));
  });

  it('sign a first lot on that phone, which the service sends and pays', async () => {
    const { data } = await admin.get<{ data: { id: string; wallet: string }[] }>('/api/v2/members?search=newcomer');
    const [{ id, wallet }] = data as [(typeof data)[0]];
    const granting = await administrator(world, 'rice');
    const { preparedTxs } = await granting.api.post<{ preparedTxs: { preparedTx: never }[] }>(`/api/v2/members/${id}/grants/prepare`);
    for (const { preparedTx } of preparedTxs) await granting.sender.sendAndWait(preparedTx);
    await page.goto(`${origin}/portal/record?process=RICE_HARVESTING`);
    await fillHarvest(page, 'RH-20260915-PK1');
    await page.getByText('Ready to sign').waitFor();
    await press('Review');
    await page.getByText('Sign with this device.').waitFor();
    await press('Sign and record');
    await page.getByText('Event recorded.').waitFor();
    expect(await admin.get('/api/v1/nfts/by-tlc/RH-20260915-PK1')).toMatchObject({ custodian: wallet, quantity: 8000 });
  });

  it('sign what was recorded without a line, when the line is back', async () => {
    await page.goto(`${origin}/portal/record?process=RICE_HARVESTING`);
    await fillHarvest(page, 'RH-20260915-PK2');
    await page.getByText('Ready to sign').waitFor();
    await page.context().setOffline(true);
    await eventually(
      'it can be kept',
      async () => {
        const review = page.getByRole('button', { name: 'Review', exact: true });
        if (await review.isVisible()) await review.click();
        return page.getByRole('button', { name: 'Keep it and send it later' }).isVisible();
      },
      { everyMs: 500 },
    );
    await press('Keep it and send it later');
    await page.getByRole('heading', { name: 'Waiting to be sent' }).waitFor();
    await page.context().setOffline(false);
    await press('Sign and send');
    await page.getByText('Nothing waits on this device.').waitFor();
    expect(await admin.get('/api/v1/nfts/by-tlc/RH-20260915-PK2')).toMatchObject({ quantity: 8000 });
  });

  it('are shown as what pays and signs; the administrator limits it', async () => {
    await page.goto(`${origin}/portal/passkeys`);
    await page.getByRole('columnheader', { name: 'Signs calls' }).waitFor();
    expect(await page.getByRole('cell', { name: 'Yes', exact: true }).count()).toBe(1);

    await signInAs(page, world.tenant('rice').admin);
    await page.goto(`${origin}/portal/reports/sponsorship`);
    await page.getByText('By passkey, most expensive first').waitFor();
    await page.goto(`${origin}/portal/admin/sponsorship`);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Ether a day').fill('a lot');
    await press('Save');
    await page.getByRole('alert').getByText('Enter an amount of ether').waitFor();
    await page.getByLabel('Ether a day').fill('0.0001');
    await press('Save');
    await eventually(
      'a limit',
      async () => (await admin.get<{ limitWeiPerDay: string | null }>('/api/v1/sponsorship')).limitWeiPerDay === '100000000000000',
    );
    await page.reload();
    expect(await page.getByLabel('Ether a day').inputValue()).toBe('0.0001');
  });

  it('are added after the password, listed, and deleted', async () => {
    await page.goto(`${origin}/portal/passkeys`);
    await signInAs(page, world.tenant('rice').admin);
    await page.goto(`${origin}/portal/passkeys`);
    await page.getByText('No passkeys yet.').waitFor();
    await page.getByLabel('Name').fill('My phone');
    await press('Create a passkey');
    await page.getByRole('alert').getByText('wrong_password').waitFor();
    await page.getByLabel('Your password').fill(world.tenant('rice').admin.password);
    await press('Create a passkey');
    await page.getByRole('cell', { name: 'My phone' }).waitFor();
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
    await press('Delete');
    await page.getByRole('group', { name: 'Delete' }).getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No passkeys yet.').waitFor();
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
