import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { TraceabilityClient } from '#client';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, signInAs } from '../harness/portal-visit.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
const NEW = 'a harvest of pass phrases';

suite('the account of a person in the portal', () => {
  let world: World;
  let mailbox: SmtpSink;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  /** As the link of the mail names it. */
  let origin: string;
  let person: { readonly email: string; readonly password: string };

  beforeAll(async () => {
    const port = String(await freePort());
    mailbox = await SmtpSink.start();
    origin = `http://localhost:${port}`;
    const mail = { SMTP_URL: `smtp://localhost:${mailbox.port}`, MAIL_FROM: 'trace@example.org', PUBLIC_URL: origin };
    world = await World.start({ PORT: port, ...mail });
    person = world.tenant('rice').actors['mill']!;
    browser = await openBrowser(chromium!);
    ({ page, complaints } = await openPage(await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })));
    await page.goto(`${origin}/portal`);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    await mailbox?.close();
  });

  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
  };
  const linkTo = (to: string): Promise<string> =>
    eventually('the mail', () => /http\S+\/portal\/password#\S+/.exec(mailbox.mails.find((mail) => mail.to === to)?.text ?? '')?.[0]);

  it('sets a new password by a mailed link, and says the same to those who have no account', async () => {
    await page.getByRole('link', { name: 'Forgot your password?' }).tap();
    for (const email of ['nobody@rice.example', person.email]) {
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Send me a link' }).tap();
      await page.getByText(`If ${email} has an account here, a mail with a link is on its way.`).waitFor();
      await page.getByRole('button', { name: 'Use another address' }).tap();
    }
    await expectAccessible();
    const link = await linkTo(person.email);
    expect(mailbox.mails.some(({ to }) => to === 'nobody@rice.example')).toBe(false);

    await page.goto(link);
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set the password' }).tap();
    expect(await page.evaluate<boolean>('document.activeElement.validity.tooShort')).toBe(true);
    await page.getByLabel('New password').fill(NEW);
    await page.getByLabel('Show the password').check();
    expect(await page.getByLabel('New password').getAttribute('type')).toBe('text');
    await expectAccessible();
    await page.getByRole('button', { name: 'Set the password' }).tap();
    await page.getByText('Your new password is set').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('New password').fill('somebody else’s phrase');
    await page.getByRole('button', { name: 'Set the password' }).tap();
    await page.getByText('invalid_reset_token').waitFor();
    await page.getByRole('link', { name: 'Back to sign-in' }).tap();
    await signInAs(page, { email: person.email, password: NEW });
  });

  it('shows where the person is signed in, and ends one session or all others', async () => {
    const login = () => TraceabilityClient.login(world.baseUrl, person.email, NEW);
    const [lost, elsewhere, third] = [await login(), await login(), await login()];
    await page.goto(`${origin}/portal/account`);
    await page.getByText('(this session)').waitFor();
    await page.getByRole('cell', { name: /Chrome on Linux.*\(this session\)/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(5);
    await expectAccessible();
    // By keyboard: the question gets the focus, and Enter answers it.
    await page.getByRole('button', { name: 'End', exact: true }).last().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await eventuallyHolds(async () => expect(await page.getByRole('row').count()).toBe(4));
    await page.getByRole('button', { name: 'End all other sessions' }).tap();
    await page.getByRole('group', { name: 'End all other sessions' }).getByRole('button').first().tap();
    await eventuallyHolds(async () => expect(await page.getByRole('row').count()).toBe(2));
    for (const one of [lost, elsewhere, third])
      await eventuallyHolds(() => expect(one.get('/api/v2/auth/me')).rejects.toMatchObject({ status: 401 }));
  });

  it('changes the password; the language and the zone of times are kept by the browser', async () => {
    await page.getByLabel('Current password').fill('not this');
    await page.getByLabel('New password').fill(person.password);
    await page.getByRole('button', { name: 'Change the password' }).tap();
    await page.getByText('wrong_password').waitFor();
    await page.getByLabel('Current password').fill(NEW);
    await page.getByRole('button', { name: 'Change the password' }).tap();
    await page.getByText('Your password is changed.').waitFor();
    await TraceabilityClient.login(world.baseUrl, person.email, person.password);

    await page.getByRole('combobox', { name: /^Time zone/ }).selectOption('Asia/Tokyo');
    await page.getByText('GMT+9').first().waitFor();
    await page.reload();
    await page.getByText('GMT+9').first().waitFor();
    expect(await page.getByRole('combobox', { name: /^Time zone/ }).inputValue()).toBe('Asia/Tokyo');
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
