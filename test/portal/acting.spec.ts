import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { LotView, TraceabilityClient } from '#client';
import type { DemoActor } from '../../apps/cli/src/demo/demo-file.js';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, isStill, reviewAndSign, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null)
  process.stderr.write('!! No Chromium was found: acting on lots in the portal is NOT tested. CHROMIUM_PATH names one.\n');

/** An event whose lots nothing else has used. */
async function voidable(api: TraceabilityClient): Promise<string> {
  const { data } = await api.get<{ data: readonly { id: string }[] }>('/api/v1/events?limit=100');
  for (const { id } of data)
    if (await api.post(`/api/v1/events/${id}/void/prepare`, { reason: 'did_not_occur' }).catch(() => null)) return id;
  throw new Error('No event can be voided.');
}

const BAGS = 'RP262641';
const PHONE = { width: 390, height: 844 };

suite('people who act on lots in the portal', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let dist: DemoActor;
  let mill: DemoActor;
  let bags: LotView;

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    await world.play('rice');
    browser = await openBrowser(chromium!);
    context = await browser.newContext({ viewport: PHONE, hasTouch: true });
    ({ page, complaints } = await openPage(context));
    [dist, mill] = ['dist', 'mill'].map((key) => world.tenant('rice').actors[key]!) as [DemoActor, DemoActor];
    bags = await lotOf(BAGS);
    await page.goto(`${world.baseUrl}/portal`);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const lotOf = async (tlc: string): Promise<LotView> => (await world.admin('rice')).get<LotView>(`/api/v1/nfts/by-tlc/${tlc}`);
  const open = (path: string): Promise<unknown> => page.goto(`${world.baseUrl}/portal${path}`);
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: typeof name === 'string' });
  const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: typeof name === 'string' }).click();
  const unfold = (name: string): Promise<void> => page.locator('summary', { hasText: name }).first().click();
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize(PHONE);
  };

  it('puts a lot on hold and releases it on the same page', async () => {
    const { admin } = world.tenant('rice');
    await signInAs(page, admin);
    await open(`/lots/${bags.tokenId}`);
    await unfold('Put on hold');
    await page.getByLabel('Why').fill('Sample is in the laboratory');
    await page.getByRole('button', { name: 'Put on hold' }).click();
    await page.getByText(`Lot ${BAGS} cannot be used or moved`).waitFor();
    await page.getByRole('button', { name: 'Put on hold' }).click();
    await page.getByText('This lot is on hold').waitFor();
    expect((await lotOf(BAGS)).onHold).toBe(true);
    await expectAccessible();
    await press('Release from hold');
    await page.getByText('All its holds end.').waitFor();
    await press('Release from hold');
    await page.locator('summary', { hasText: 'Put on hold' }).waitFor();
    expect((await lotOf(BAGS)).onHold).toBe(false);
  });

  it('reads the lineage from top to bottom on a phone, with product, quantity, holder and date, and by keyboard', async () => {
    await heading('Made from').waitFor();
    const levels = page.locator('.levels > li');
    await eventuallyHolds(async () => expect(await levels.count()).toBeGreaterThanOrEqual(4));
    const titles = await levels.locator('h3').allTextContents();
    expect(titles.indexOf('Made from')).toBeLessThan(titles.indexOf('This lot'));
    const first = await levels.first().locator('li').first().innerText();
    expect(first).toMatch(/Paddy, as harvested[^]*RH-2026[^]*kg, [^]*2026[^]*Example/);
    await levels.locator('a').first().focus();
    await page.keyboard.press('Enter');
    await heading(/^RH-2026/).waitFor();
  });

  it('opens an event, verifies it, and corrects what it says', async () => {
    await open(`/lots/${bags.tokenId}`);
    const made = page.locator('tr', { hasText: 'Pack rice' }).getByRole('link').first();
    await made.click();
    await heading('Pack rice').waitFor();
    await page.getByText('1,400 pieces of RP262641 from').waitFor();
    await press('Verify now');
    await page.getByText('Everything agrees.').waitFor();
    await expectAccessible();
    await unfold('Correct what it says');
    await press('Add or remove fields (JSON)');
    const json = page.getByLabel('Content as JSON');
    const content = JSON.parse(await json.inputValue()) as Record<string, unknown>;
    await json.fill(JSON.stringify({ ...content, remark: 'Counted twice' }));
    await press('Record the correction …');
    await page.getByText('stays in the record as superseded').waitFor();
    await expectAccessible();
    await press('No, leave it');
    await press('Back to the fields');
  });

  it('answers a transfer that names who, what and how much: a part with a reason', async () => {
    await signInAs(page, dist);
    await open(`/lots/${bags.tokenId}`);
    await page.getByLabel('Transfer to').fill(mill.address);
    await page.getByLabel(/^Quantity \(pieces\)/).fill('1,200');
    await page.getByText('Do you mean 1,200 or 1.2?').waitFor();
    await page.getByLabel(/^Quantity \(pieces\)/).fill('200');
    await press('Transfer this lot …');
    await page.getByText('Until it is accepted you can cancel the transfer.').waitFor();
    expect(await page.locator('.says').innerText()).toContain(
      'You transfer 200 pieces of Milled rice, 5 kg bag, lot RP262641, to Example Mill',
    );
    await expectAccessible();
    await press('Transfer this lot');
    await page.getByText('Landed.').waitFor();
    await signInAs(page, mill);
    await open('/offers');
    const offer = page.getByRole('article').first();
    await offer.getByText('200 pieces of Milled rice, 5 kg bag').waitFor();
    await offer.getByText('Example Distributor').waitFor();
    await expectAccessible();
    await offer.locator('summary', { hasText: 'Accept only a part' }).click();
    await offer.getByLabel(/^Accepted quantity/).fill('150');
    await offer.getByLabel('Reason for less').selectOption({ label: 'Damaged' });
    await offer.getByRole('button', { name: 'Reject …' }).click();
    await offer.getByText('You refuse').waitFor();
    await offer.getByRole('button', { name: 'No, leave it' }).click();
    await offer.getByRole('button', { name: 'Accept 150 pieces …' }).click();
    await offer.getByText('The rest goes back to the sender: Damaged.').waitFor();
    await offer.getByRole('button', { name: 'Accept 150 pieces', exact: true }).click();
    await page.getByText('No incoming transfers').waitFor();
    await page.getByText('You took over 150 pieces of lot RP262641.').waitFor();
    await page
      .getByRole('row', { name: /Accepted/ })
      .getByText('150 pieces')
      .first()
      .waitFor();
    await page
      .getByRole('row', { name: /Rejected/ })
      .getByText('50 pieces back')
      .first()
      .waitFor();
    await expectAccessible();
    const { data } = await (await world.admin('rice')).lots.list({ custodian: mill.address, tlc: BAGS });
    expect(data.map((lot) => (lot as unknown as LotView).remainingQuantity)).toContain(150);
  });

  it('goes from a customer’s label to confirmed holders, at two in the morning', async () => {
    const { admin } = world.tenant('rice');
    await signInAs(page, admin);
    const begun = Date.now();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Recalls', exact: true }).click();
    await page.getByLabel('Code, link, product, company or document').fill(`https://shop.example/01/09520123450014/10/${BAGS}?17=280321`);
    await page.keyboard.press('Enter');
    await page.getByText('read as a GS1 Digital Link').waitFor();
    await expectAccessible();
    await page
      .getByRole('link', { name: `Recall ${BAGS}` })
      .first()
      .click();
    await page.getByText('Companies to notify').waitFor();
    await page.getByLabel('Reason').fill('Glass in a bag');
    await page.getByLabel('Class').selectOption('I');
    await page.getByLabel('Instructions for holders').fill('Stop sales. Keep the bags apart. Call +00 000.');
    await press('Recall this lot …');
    await page.getByText(`You recall lot ${BAGS}`).waitFor();
    await page.getByText(/^Class: I: serious harm or death is likely\. To take back: .*pieces/).waitFor();
    await press('Yes, recall it now');
    await page.getByRole('heading', { name: /^Recall of / }).waitFor();
    const room = page.url();
    // Holders see it on Home and on the lot, and answer; the page of the recall follows by itself.
    const theirs = await browser.newContext({ viewport: PHONE });
    for (const holder of [dist, mill]) {
      const { page: tab } = await openPage(theirs);
      await tab.goto(`${world.baseUrl}/portal`);
      await signInAs(tab, holder);
      await tab.getByRole('heading', { name: 'Recalled: lots that you hold' }).waitFor();
      await tab.getByText('Stop sales. Keep the bags apart.').first().waitFor();
      expect(await accessibilityFaults(tab)).toEqual([]);
      await tab.getByRole('link', { name: /^Answer for \d+ of your/ }).click();
      for (;;) {
        await tab
          .getByLabel(/^Answer for /)
          .or(tab.getByText('All holders have confirmed.'))
          .or(tab.getByRole('button', { name: 'Change', exact: true }))
          .first()
          .waitFor();
        if ((await tab.getByLabel(/^Answer for /).count()) === 0) break;
        const left = await tab.getByLabel(/^Answer for /).count();
        await tab.getByRole('button', { name: 'Answer', exact: true }).first().click();
        await eventuallyHolds(async () => expect(await tab.getByLabel(/^Answer for /).count()).toBeLessThan(left));
      }
      await tab.close();
    }
    await theirs.close();
    expect(page.url()).toBe(room);
    const asked = (await (await world.admin('rice')).get<{ states: object }>(`/api/v1/recalls/${room.split('/').at(-1)}/acknowledgements`))
      .states;
    expect(asked).toMatchObject({ missing: 0 });
    await page.getByText('All holders have confirmed.').waitFor();
    process.stderr.write(`From a label to confirmed holders: ${((Date.now() - begun) / 1000).toFixed(0)} s\n`);
    await heading('Timeline').waitFor();
    await expectAccessible();
    const [download] = await Promise.all([page.waitForEvent('download'), press('Report for the auditor (PDF)')]);
    expect(download.suggestedFilename()).toMatch(/^recall-.*\.pdf$/);
  });

  it('lifts the recall on its page, after it says what that means', async () => {
    await page.getByLabel('Why it is lifted').fill('The glass was in one bag only');
    await press('Lift the recall …');
    await page.getByText('You lift the recall of').waitFor();
    await press('Lift the recall');
    await page.getByText('This recall was lifted').waitFor();
    // Who answered what stays, and why it was lifted; nobody is asked to stop sales any more.
    await page.getByText('answered for before the recall was lifted').waitFor();
    await page.locator('.notice', { hasText: 'The glass was in one bag only' }).waitFor();
    expect(await heading('Notice to holders').count()).toBe(0);
    expect(await page.getByText('Affected lots now').count()).toBe(0);
    await expectAccessible();
    const admin = await world.admin('rice');
    await eventually('the lot is free', async () => !(await admin.get<LotView>(`/api/v1/nfts/${bags.tokenId}`)).recalled);
  });

  it('voids an event, after it says what that does to its lots', async () => {
    const { admin } = world.tenant('rice');
    await signInAs(page, admin);
    const api = await world.admin('rice');
    const unused = await voidable(api);
    await open(`/events/${unused}`);
    await unfold('Void it');
    await page.getByLabel('Note (optional)').fill('Entered twice');
    await press('Void this event …');
    await page.getByText('You declare this event wrong.').waitFor();
    await page.getByText('This cannot be undone.').waitFor();
    await expectAccessible();
    await press('No, leave it');
    await reviewAndSign(page, 'Void this event');
    await eventuallyHolds(async () => expect((await api.get<{ status: string }>(`/api/v1/events/${unused}`)).status).toBe('voided'));
    await page.locator('.status-voided').first().waitFor();
  });

  it('times people in a drill', async () => {
    await open('/recalls');
    await page.getByLabel('Lot code').fill('RM-20260920-01B');
    await page.getByLabel('Ask the holders').check();
    await press('Run a drill');
    await heading('Drill on RM-20260920-01B').waitFor();
    await page.getByText('0 of 1 holders have answered').waitFor();
    await expectAccessible();
  });

  it('did all that without a fault of its script, and within its policy', () => {
    expect(complaints).toEqual([]);
  });
});
