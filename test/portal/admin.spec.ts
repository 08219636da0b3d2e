import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { TraceabilityClient } from '#client';
import type { DemoActor } from '../../apps/cli/src/demo/demo-file.js';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, reviewAndSign, signInAs } from '../harness/portal-visit.js';
import { givePassword } from '../harness/give-password.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null)
  process.stderr.write('!! No Chromium was found: administration in the portal is NOT tested. CHROMIUM_PATH names one.\n');

suite('administration in the portal', () => {
  let world: World;
  let mailbox: SmtpSink;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let api: TraceabilityClient;
  let mill: DemoActor;

  beforeAll(async () => {
    const port = String(await freePort());
    mailbox = await SmtpSink.start();
    const mail = { SMTP_URL: `smtp://localhost:${mailbox.port}`, MAIL_FROM: 'trace@example.org', PUBLIC_URL: `http://localhost:${port}` };
    world = await World.start({ PORT: port, WEBHOOK_PAUSE_AFTER_SECONDS: '1', ...mail });
    browser = await openBrowser(chromium!);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' });
    ({ page, complaints } = await openPage(context));
    api = await world.admin('rice');
    mill = world.tenant('rice').actors['mill']!;
    await page.goto(`${world.baseUrl}/portal`);
    await signInAs(page, world.tenant('rice').admin);
  });
  afterEach(() => context.unrouteAll());
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await mailbox?.close();
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${world.baseUrl}/portal${path}`);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  };
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
  /** Of a button that asks first. */
  const pressSurely = async (name: string): Promise<void> => {
    await press(name);
    await page.getByRole('group', { name, exact: true }).getByRole('button', { name, exact: true }).click();
  };
  const secretShown = async (): Promise<string> => (await page.locator('.secret code').textContent())!;
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
  };

  it('adds a webhook, shows a failed delivery with the answer of the receiver, and sends it again when the receiver works', async () => {
    world.sink.script('/portal-hook', { status: 500, body: 'The receiver has no room left.' });
    await open('/admin/webhooks');
    await page.getByLabel('Address').fill(world.sink.url('/portal-hook'));
    await press('Add the webhook');
    const secret = await page.locator('.secret code').textContent();
    expect(secret).toMatch(/^whsec_/);
    await expectAccessible();
    await page.reload();
    await page.getByRole('link', { name: world.sink.url('/portal-hook') }).click();
    await heading(world.sink.url('/portal-hook')).waitFor();
    expect(await page.content()).not.toContain(secret);

    await press('Send a test');
    const delivery = page.locator('.delivery').first();
    await delivery.locator('.status-failed').waitFor();
    await delivery.locator('summary').first().click();
    await delivery.getByText('The receiver has no room left.').first().waitFor();
    // Nothing came through for longer than the service bears.
    await page.getByText('Deliveries are paused').waitFor();
    await page.locator('.status-paused').waitFor();
    await expectAccessible();

    world.sink.script('/portal-hook', 200);
    await press('Resume');
    await page.locator('.status-active').waitFor();
    await delivery.getByRole('button', { name: 'Resend' }).click();
    await delivery.locator('.status-delivered').waitFor();
    const { id } = (await api.call('GET /api/v1/webhooks'))[0]!;
    const sent = (await api.call('GET /api/v1/webhooks/{id}/deliveries', { path: { id } }))[0]!;
    expect(sent).toMatchObject({ status: 'delivered', success: true, resends: 1 });
    expect(new Set(world.sink.at('/portal-hook').map(({ headers }) => headers['x-webhook-id']))).toEqual(new Set([sent.id]));
  });

  it('sends again all deliveries that failed in an outage', async () => {
    world.sink.script('/portal-hook', 503);
    await press('Send a test');
    const failed = page.locator('.delivery').first();
    await failed.locator('.status-failed').waitFor();
    await press('Resume');
    await page.locator('.status-active').waitFor();
    world.sink.script('/portal-hook', 200);
    await page.getByText('Resend all failed deliveries').click();
    await page.getByLabel('Since').fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16));
    await press('Resend all');
    await page.getByText('1 delivery queued.').waitFor();
    await eventuallyHolds(async () => {
      await press('Refresh');
      expect(await page.locator('.delivery .status-delivered').count()).toBe(2);
    });
  });

  it('rotates the secret of a webhook, switches the webhook off and on, and deletes it', async () => {
    await pressSurely('Create a new secret');
    expect(await secretShown()).toMatch(/^whsec_/);
    await press('I have kept it');
    await pressSurely('Switch off');
    await page.locator('.status-switched_off').waitFor();
    await press('Switch on');
    await page.locator('.status-active').waitFor();
    await pressSurely('Delete');
    await page.getByText('No webhooks yet.').waitFor();
    expect(await api.call('GET /api/v1/webhooks')).toEqual([]);
  });

  it('invites a user by a mailed link; the user sets a password there and signs in', async () => {
    await open('/admin/members');
    await page.getByLabel('E-mail', { exact: true }).fill('newcomer@rice.example');
    await press('Add the member');
    await page.getByText('An invitation is on its way to newcomer@rice.example.').waitFor();
    const mail = await eventually('the invitation', () => mailbox.mails.find(({ to }) => to === 'newcomer@rice.example'));
    const link = /http\S+/.exec(mail.text)![0];

    const own = await browser.newContext();
    try {
      const { page: guest } = await openPage(own);
      await guest.goto(`${world.baseUrl}/portal/invitation`);
      await guest.getByText('This link is incomplete').waitFor();
      // The same page with another fragment: browsers load nothing for it.
      await guest.goto('about:blank');
      await guest.goto(link);
      await guest.getByLabel('New password').fill('A pass phrase of their own');
      await eventually('nothing is on its way', () => isStill(guest));
      expect(await accessibilityFaults(guest)).toEqual([]);
      await guest.getByRole('button', { name: 'Set the password' }).click();
      await guest.getByText('Your password is set.').waitFor();
      await signInAs(guest, { email: 'newcomer@rice.example', password: 'A pass phrase of their own' });
      await guest.goto('about:blank');
      await guest.goto(link);
      await guest.getByLabel('New password').fill('Somebody else’s phrase');
      await guest.getByRole('button', { name: 'Set the password' }).click();
      await guest.getByRole('alert').getByText('invitation_not_found').waitFor();
    } finally {
      await own.close();
    }
  });

  it('grants a process scope in the service and on chain; events outside of it are refused', async () => {
    await open('/admin/members');
    await heading('Members').waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: mill.email, exact: true }).click();
    const scope = page.getByRole('group', { name: 'Processes as operator' });
    await scope.getByLabel('Only these').check();
    await scope.getByLabel('Mill paddy').check();
    await scope.getByLabel('Patterns').fill('RICE_PACK*');
    await press('Save');
    await page.locator('.status-differs').waitFor();
    await expectAccessible();
    await reviewAndSign(page, 'Sign the grants');
    await page.locator('.status-agrees').waitFor();
    const { data } = await api.call('GET /api/v2/members', { query: { limit: 100 } });
    expect(data.find(({ email }) => email === mill.email)).toMatchObject({
      roleScopes: { OPERATOR: ['RICE_MILLING', 'RICE_PACK*'] },
      onChain: { roles: ['OPERATOR'], agrees: true },
    });
    const operator = await TraceabilityClient.login(world.baseUrl, mill.email, mill.password);
    await expect(operator.events.prepare({ processType: 'RICE_HARVESTING', metadata: {} })).rejects.toMatchObject({ status: 403 });
    await expect(operator.events.prepare({ processType: 'RICE_MILLING', metadata: {} })).rejects.toMatchObject({ status: 422 });
  });

  it('shows the secret of an API key once, and not after a reload', async () => {
    await open('/admin/api-keys');
    await page.getByLabel('Purpose').fill('Scales of the mill');
    await press('Create the key');
    const secret = (await page.locator('.secret code').textContent())!;
    const keyed = new TraceabilityClient(world.baseUrl, { apiKey: secret });
    expect((await keyed.call('GET /api/v1/usage')).apiKeys.used).toBeGreaterThan(0);
    expect(await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(secret);
    await expectAccessible();
    await page.reload();
    await page.getByRole('cell', { name: 'Scales of the mill' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    // A new secret: both are valid for a day, so that no program stops working.
    await page.locator('td summary').first().click();
    await press('Create a new secret');
    const next = await secretShown();
    expect(next).not.toBe(secret);
    const renewed = new TraceabilityClient(world.baseUrl, { apiKey: next });
    for (const one of [keyed, renewed]) expect((await one.call('GET /api/v1/usage')).apiKeys.used).toBeGreaterThan(0);
    await press('I have kept it');
    expect(await page.content()).not.toContain(next);
    await pressSurely('Revoke');
    await page.locator('.status-revoked').waitFor();
    for (const one of [keyed, renewed])
      await eventuallyHolds(() => expect(one.call('GET /api/v1/usage')).rejects.toMatchObject({ status: 401 }));
  });

  it('checks a process map, shows its errors or its changes, and then publishes it', async () => {
    const { document } = await api.call('GET /api/v1/process-maps/{name}', { path: { name: 'rice' } });
    const upload = (changed: object): Promise<void> =>
      page
        .getByLabel('File')
        .setInputFiles({ name: 'map.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(changed)) });
    await open('/admin/process-maps');
    await upload({ ...document, version: '0.0.1' });
    await page.getByText('process_map_outdated').waitFor();
    await upload({ ...document, version: '1.9.0', name: 'Rice, told otherwise' });
    await page.getByText('/name', { exact: true }).waitFor();
    await expectAccessible();
    expect((await api.call('GET /api/v1/process-maps/{name}', { path: { name: 'rice' } })).version).toBe(document['version']);
    await press('Publish rice 1.9.0');
    await page.getByRole('group', { name: 'Publish rice 1.9.0' }).getByRole('button').first().click();
    await heading('Rice, told otherwise').waitFor();
    await heading(`Changed since ${String(document['version'])}`).waitFor();
    await expectAccessible();
  });

  it('adds an organisation and a site of it', async () => {
    await open('/admin/organisations');
    await page.getByLabel('Name', { exact: true }).fill('Example Store');
    await press('Add the organisation');
    await heading('Example Store').waitFor();
    await page.getByLabel('Name of the site').fill('Shelf 1');
    await press('Add the site');
    await page.getByRole('cell', { name: 'Shelf 1' }).waitFor();
    await expectAccessible();
  });

  it('shows any name as it is: long, right to left, or with markup in it', async () => {
    const name = `<img src=x onerror="document.title='run'"><script>document.title='run'</script> شركة \u202eevil\u202c ${'x'.repeat(60)}`;
    const { id } = await api.call('POST /api/v1/organisations', { body: { name } });
    await open('/admin/organisations');
    await page.getByRole('link', { name: '<img src=x' }).click();
    await page.getByRole('heading', { name: '<img src=x' }).waitFor();
    expect(page.url()).toContain(id);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toBe('Organisations · Traceability');
    await expectAccessible();
  });

  it('finds an organisation by a part of its name when there are more than one page', async () => {
    const pages = /\blimit=\d+/;
    await context.route(
      (url) => url.pathname === '/api/v1/organisations',
      (route) => route.continue({ url: route.request().url().replace(pages, 'limit=2') }),
    );
    await open('/admin/members');
    await page.getByText('2 of 6. Type a part of the name above.').waitFor();
    await page.getByLabel('Find: Organisation').fill('stor');
    const choice = page.getByLabel(/^Organisation/);
    await choice.selectOption({ label: 'Example Store' });
    // It stays chosen, and named, when the list is another one.
    await page.getByLabel('Find: Organisation').fill('farm');
    await choice.getByText('Example Farm B').waitFor({ state: 'attached' });
    expect(await choice.locator('option:checked').textContent()).toBe('Example Store');
    await page.getByLabel('Find by e-mail or name').fill(mill.email.slice(0, 4));
    await page.getByText('1 in total').waitFor();
  });

  it('lets a user of two tenants choose one and switch to the other: nothing of the first stays', async () => {
    const { admin } = world.tenant('rice');
    await (await world.admin('wool')).call('POST /api/v2/members', { body: { email: admin.email, roles: ['AUDITOR'] } });
    // Before, the invitation changes nothing of what they sign in to.
    await TraceabilityClient.login(world.baseUrl, admin.email, admin.password, 'wool');
    await signInAs(page, admin);
    await heading('Choose a tenant').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: /Demo rice/ }).click();
    await heading('Home').waitFor();
    await open('/admin/organisations');
    await page.getByRole('link', { name: 'Example Mill' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Begun in rice');
    await page.getByLabel('Tenant').selectOption({ label: 'Demo wool' });
    await page.locator('.who', { hasText: 'AUDITOR' }).waitFor();
    await eventuallyHolds(async () => expect(await page.getByRole('link', { name: 'Example Mill' }).count()).toBe(0));
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await page.reload();
    await page.locator('.who', { hasText: 'AUDITOR' }).waitFor();
    await page.getByLabel('Tenant').selectOption({ label: 'Demo rice' });
    await page.getByRole('link', { name: 'Example Mill' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Begun in rice');
  });

  it('shows the audit log with filters, and the usage', async () => {
    await open('/admin/audit?action=api_key.revoked');
    await page.getByText('1 entry').waitFor();
    await expectAccessible();
    await open('/admin/usage');
    await page.getByRole('rowheader', { name: 'Webhooks' }).waitFor();
    await expectAccessible();
  });

  it('leads an administrator of one process to nothing that the service would refuse', async () => {
    const they = { email: 'part@rice.example', password: 'of one process only' };
    const scopes = { TENANT_ADMIN: ['RICE_HARVESTING'] };
    await api.call('POST /api/v2/members', { body: { email: they.email, roles: ['TENANT_ADMIN'], roleScopes: scopes } });
    await givePassword(world, they.email, they.password);
    const own = await browser.newContext();
    try {
      const { page: part } = await openPage(own);
      const refused: string[] = [];
      part.on('response', (answer) => {
        if (answer.status() === 403) refused.push(answer.url());
      });
      await part.goto(`${world.baseUrl}/portal`);
      await signInAs(part, they);
      expect(await part.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
      await part.getByRole('link', { name: 'Organisations' }).click();
      await part.getByRole('link', { name: 'Example Mill' }).click();
      await part.getByRole('heading', { name: 'Example Mill' }).waitFor();
      expect(await part.getByRole('button', { name: 'Save' }).count()).toBe(0);

      await part.getByRole('link', { name: 'Members' }).click();
      await part.getByRole('group', { name: 'Processes as operator' }).getByLabel('Only these').waitFor();
      expect(await part.getByLabel('Every process').count()).toBe(0);
      await part.getByRole('link', { name: world.tenant('rice').admin.email, exact: true }).click();
      await part.getByText('This member may do more than you').waitFor();
      await part.goBack();
      await part.getByLabel('E-mail', { exact: true }).fill('harvester@rice.example');
      await part.getByRole('button', { name: 'Add the member' }).click();
      await part.getByText('An invitation is on its way to harvester@rice.example.').waitFor();
      await part.getByRole('link', { name: 'API keys' }).click();
      await part.getByText('Create an API key').waitFor();
      await part.goto(`${world.baseUrl}/portal/admin/webhooks`);
      await part.getByText('Only an administrator of every process manages them.').waitFor();
      await part.goto(`${world.baseUrl}/portal/reports`);
      await part.getByRole('heading', { name: 'Alerts', exact: true }).first().waitFor();
      expect(await accessibilityFaults(part)).toEqual([]);
      expect(refused).toEqual([]);
    } finally {
      await own.close();
    }
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
