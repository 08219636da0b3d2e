import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type LotView, Sender, Session, TraceabilityClient } from '#client';
import { UnitOfWork } from '#persistence';
import { processMapTemplate } from '#traceability';
import { walletOf } from '#traceability/testing';
import type { DemoActor } from '../../apps/cli/src/demo/demo-file.js';
import { documentOf } from '../../bench/epcis.js';
import { fillTenant, sizeOf } from '../../bench/seed-fill.js';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { accessibilityFaults, fillHarvest, isStill, reviewAndSign, signInAs } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null) process.stderr.write('!! No Chromium was found: the work in the portal is NOT tested. CHROMIUM_PATH names one.\n');

suite('people at work in the portal', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let farm: DemoActor;
  let mill: DemoActor;
  let api: TraceabilityClient;

  beforeAll(async () => {
    world = await World.start({ PORT: String(await freePort()) });
    browser = await openBrowser(chromium!);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    ({ page, complaints } = await openPage(context));
    [farm, mill] = ['farmA', 'mill'].map((key) => world.tenant('rice').actors[key]!) as [DemoActor, DemoActor];
    api = await world.admin('rice');
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${world.baseUrl}/portal${path}`);
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const expectAccessible = async (): Promise<void> => {
    await eventually('nothing is on its way', () => isStill(page));
    expect(await accessibilityFaults(page)).toEqual([]);
  };
  const isIn = (tab: Page): Promise<void> => tab.getByRole('button', { name: 'Sign out' }).waitFor();
  const codeOf = (n: number): string => `RH-20260915-${n}${n}${n}`;
  const lotOf = (tlc: string): Promise<LotView | null> => api.get<LotView>(`/api/v1/nfts/by-tlc/${tlc}`).catch(() => null);

  const openHarvest = async (): Promise<void> => {
    await open('/record?process=RICE_HARVESTING');
    await page.getByRole('button', { name: 'Review' }).waitFor();
  };

  it('records a harvest with a form made from the process map: errors at their fields, signed in the page, confirmed', async () => {
    await open('');
    await signInAs(page, farm);
    await page.getByRole('link', { name: 'Record', exact: true }).click();
    await page.getByLabel('Process').selectOption({ label: 'Harvest paddy' });
    await page.getByRole('button', { name: 'Review' }).click();
    const variety = page.locator('label.field', { hasText: 'Variety' });
    await variety.getByText('is required').waitFor();
    await expectAccessible();
    await fillHarvest(page, codeOf(1));
    // Checked while it is typed, at its field.
    await page.getByLabel(/^Moisture percent/).fill('99');
    await page.locator('label.field.wrong', { hasText: 'Moisture percent' }).getByText('35').last().waitFor();
    await page.reload();
    expect(await page.getByLabel(/^Moisture percent/).inputValue()).toBe('99');
    await page.getByLabel(/^Moisture percent/).fill('22');
    await page.getByText('Ready to sign').waitFor();
    await press('Review');
    await page.getByText(`8,000 kg of Paddy, as harvested, lot ${codeOf(1)}.`).waitFor();
    await expectAccessible();
    await press('Sign and record');
    await page.getByText('Event recorded.').waitFor();
    await expectAccessible();
    const lot = (await lotOf(codeOf(1)))!;
    expect(lot).toMatchObject({ quantity: 8000, uom: 'KGM', custodian: farm.address, status: 'active' });
    expect(lot.metadata).toMatchObject({
      variety: 'Jasmine 85',
      plot: { id: 'A1', areaHa: 1.6, geometry: { type: 'Point', coordinates: [105.783412, 10.034518] } },
    });
    await page.getByRole('link', { name: `Open lot ${lot.tokenId}` }).click();
    await heading(codeOf(1)).waitFor();
  });

  it('offers a lot from its page, and the receiver accepts it', async () => {
    await page.getByLabel('Transfer to').fill('EXAMPLE mill');
    await page.getByLabel('Transfer to').blur();
    await reviewAndSign(page, 'Transfer this lot');
    await reviewAndSign(page, 'Cancel the transfer');
    await page.getByLabel('Transfer to').fill(mill.address);
    await reviewAndSign(page, 'Transfer this lot');
    await page.getByRole('button', { name: 'Cancel the transfer …' }).waitFor();
    await page.locator('dd', { hasText: 'Example Mill' }).first().waitFor();
    const { tokenId } = (await lotOf(codeOf(1)))!;
    await signInAs(page, mill);
    await open(`/lots/${tokenId}`);
    await reviewAndSign(page, 'Accept this lot');
    await page.getByRole('link', { name: 'Record an event with this lot' }).waitFor();
    expect((await lotOf(codeOf(1)))!.custodian).toBe(mill.address);
  });

  it('records a drying: the input lot is chosen by its code, with a quantity', async () => {
    await page.getByRole('link', { name: 'Record an event with this lot' }).click();
    await heading(`Next for ${codeOf(1)}`).waitFor();
    const next = page.locator('section', { has: heading(`Next for ${codeOf(1)}`) });
    expect(await next.getByRole('button', { name: 'Harvest paddy' }).count()).toBe(0);
    await next.getByRole('button', { name: 'Dry paddy' }).click();
    expect(await page.getByLabel(`Quantity used of ${codeOf(1)}`).inputValue()).toBe('8000');
    await page.getByRole('button', { name: `Remove ${codeOf(1)}` }).click();
    await page.getByLabel('Find a lot by its code').fill('RH-2026');
    await press(`Use ${codeOf(1)}`);
    await page.getByLabel(`Quantity used of ${codeOf(1)}`).fill('9000');
    await page
      .locator('.row', { hasText: codeOf(1) })
      .locator('p.error')
      .waitFor();
    await page.getByLabel(`Quantity used of ${codeOf(1)}`).fill('6000');
    const place = page.getByRole('group', { name: 'Drying location' });
    await place.getByLabel('Name').fill('Example Mill');
    await place.getByLabel('Country').fill('VN');
    await place.getByLabel('GLN').first().fill('9520000100032');
    await page.getByRole('group', { name: 'Quantity and unit' }).getByLabel('Value').fill('5400');
    await page.getByLabel(/^Moisture in percent/).fill('22');
    await page.getByLabel(/^Final moisture/).fill('14');
    await page.getByLabel(/^Method/).selectOption('sun');
    await page.getByText('Ready to sign').waitFor();
    await press('Review');
    await press('Sign and record');
    await page.getByText('Event recorded.').waitFor();
    expect(await lotOf(codeOf(1))).toMatchObject({ remainingQuantity: 2000 });
  });

  it('ships the dried lot: event and offer need one signature, and so do receipt and acceptance', async () => {
    const dist = world.tenant('rice').actors['dist']!;
    const { data } = await api.lots.list({ assetType: 'RICE_PADDY_DRY' });
    const { tlc, tokenId } = data[0]! as unknown as LotView;
    const eventsOf = async (): Promise<readonly (string | null)[]> =>
      (await api.call('GET /api/v1/nfts/{tokenId}/events', { path: { tokenId } })).data.map(({ processType }) => processType);
    const fillPlaces = async (from: string, date: RegExp): Promise<void> => {
      for (const [name, gln, place] of [
        [from, '9520000100032', 'Example Mill'],
        [from === 'Shipped from' ? 'Immediate subsequent recipient' : 'Received at', '9520000100049', 'Example Distributor'],
      ] as const) {
        const group = page.getByRole('group', { name });
        await group.getByLabel('Name').fill(place);
        await group.getByLabel('Country').fill('VN');
        await group.getByLabel('GLN').first().fill(gln);
      }
      await page.getByLabel(date).fill('2026-09-22');
      await page.getByRole('button', { name: 'Add a document' }).click();
      const document = page.getByRole('group', { name: 'Document 1' });
      await document.getByLabel('Type', { exact: true }).fill('BILL_OF_LADING');
      await document.getByLabel(/^(Number|Reference document)/).fill('BOL-7');
      await page.getByText('Ready to sign').waitFor();
    };
    await open('/record?process=RICE_SHIPPING');
    await press(`Use ${tlc}`);
    expect(await page.getByText('You hold no usable lot').count()).toBe(0);
    // The next holder by a part of the name, as the field's list shows it.
    const holder = page.getByLabel(/^Next holder/);
    const holders = page.locator('#holders-next-holder option');
    await holder.fill('Distrib');
    await eventuallyHolds(async () => expect(await holders.count()).toBe(1));
    // A part is no company; the whole name, typed in any case, is.
    await holder.blur();
    await page.getByText('Choose a company from the list.').waitFor();
    await holder.fill('example distributor ');
    await holder.blur();
    await eventuallyHolds(async () => expect(await holder.inputValue()).toBe(dist.address));
    await page.locator('.hint').getByText('Example Distributor', { exact: true }).waitFor();
    await fillPlaces('Shipped from', /^Ship date/);
    await press('Review');
    await press('Transfer and record');
    await page.getByText('Event recorded.').waitFor();
    expect((await lotOf(tlc))!).toMatchObject({ status: 'in_transit', custodian: mill.address, pendingCustodian: dist.address });
    expect(await eventsOf()).toContain('RICE_SHIPPING');

    await signInAs(page, dist);
    await open('/record?process=RICE_RECEIVING');
    await press(`Use ${tlc}`);
    await fillPlaces('Immediate previous source', /^Receipt date/);
    await press('Review');
    await press('Accept and record');
    await page.getByText('Event recorded.').waitFor();
    expect((await lotOf(tlc))!).toMatchObject({ status: 'active', custodian: dist.address });
    expect(await eventsOf()).toContain('RICE_RECEIVING');
  });

  it('signs with a browser wallet, and says what to do when the wallet declines, shows no account or never answers', async () => {
    let mood: 'works' | 'declines' | 'is locked' | 'never answers' = 'works';
    const signer = new Wallet(mill.privateKey);
    const sender = new Sender(world.demo.rpcUrl, signer);
    const asked: string[] = [];
    const own = await browser.newContext();
    try {
      await own.exposeFunction('askWallet', async (method: string, params: readonly unknown[]) => {
        asked.push(method);
        if (method === 'eth_requestAccounts') return { is: mood === 'is locked' ? [] : [mill.address.toLowerCase()] };
        if (method === 'personal_sign') return { is: await signer.signMessage(Buffer.from(String(params[0]).slice(2), 'hex').toString()) };
        if (method !== 'eth_sendTransaction') return { is: null };
        if (mood === 'declines') return { code: 4001 };
        if (mood === 'never answers') return await new Promise<never>(() => undefined);
        const { to, data, gas } = params[0] as { to: string; data: string; gas: string };
        return {
          is: await sender.send({ to, data, chainId: world.demo.chainId, gasEstimate: Number(gas) }),
        };
      });
      await own.addInitScript(`window.ethereum = { request: async ({ method, params = [] }) => {
        const answer = await window.askWallet(method, params);
        if (answer.code) throw Object.assign(new Error('User rejected the request.'), answer);
        return answer.is;
      } };`);
      const { page: tab, complaints: said } = await openPage(own);
      await tab.goto(`${world.baseUrl}/portal`);
      await tab.getByRole('button', { name: 'Sign in with my wallet' }).click();
      await isIn(tab);
      const { tokenId } = (await lotOf(codeOf(1)))!;
      await tab.goto(`${world.baseUrl}/portal/lots/${tokenId}`);
      await tab.getByLabel('Transfer to').fill(farm.address);
      const reviewWithWallet = async (name: string): Promise<void> => {
        await tab.getByRole('button', { name: `${name} …` }).click();
        await tab.getByLabel('Sign with').selectOption({ label: 'My wallet' });
      };
      await reviewWithWallet('Transfer this lot');
      const offer = (): Promise<void> => tab.getByRole('button', { name: 'Transfer this lot', exact: true }).click();
      mood = 'declines';
      await offer();
      await tab.getByText('You rejected the request in the wallet. Nothing was sent.').waitFor();
      mood = 'is locked';
      await offer();
      await tab.getByText('does not show the account').waitFor();
      mood = 'never answers';
      await offer();
      await tab.getByText('Waiting for your signature …').waitFor();
      await eventually('the wallet is asked', () => asked.filter((method) => method === 'eth_sendTransaction').length === 2);
      await tab.reload();
      // Nothing was sent: the form is open again, with what was filled in.
      mood = 'works';
      expect(await tab.getByLabel('Transfer to').inputValue()).toBe(farm.address);
      await reviewWithWallet('Transfer this lot');
      await offer();
      await tab.getByText('This lot is in transfer.').waitFor();
      expect((await lotOf(codeOf(1)))!).toMatchObject({ pendingCustodian: farm.address });
      await reviewWithWallet('Cancel the transfer');
      await tab.getByRole('button', { name: 'Cancel the transfer', exact: true }).click();
      await tab.getByRole('button', { name: 'Transfer this lot …' }).waitFor();
      expect(said).toEqual([]);
    } finally {
      await own.close();
    }
  });

  it('previews a recall, recalls, and runs a drill whose report can be downloaded', async () => {
    await signInAs(page, world.tenant('rice').admin);
    const { tokenId } = (await lotOf(codeOf(1)))!;
    await open(`/lots/${tokenId}/recall`);
    await page.getByText('Would be affected').waitFor();
    await page.getByText('2 lots, 1 links').waitFor();
    await expectAccessible();
    await page.getByLabel('Reason').fill('Contaminated');
    await press('Recall this lot …');
    await page.getByText(`You recall lot ${codeOf(1)}`).waitFor();
    await expectAccessible();
    await press('Yes, recall it now');
    await page.getByRole('heading', { name: /^Recall of / }).waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: 'Recalls', exact: true }).click();
    await page.getByRole('cell', { name: 'Contaminated' }).waitFor();
    await page.getByLabel('Lot code').fill(codeOf(1));
    await press('Run a drill');
    await heading(`Drill on ${codeOf(1)}`).waitFor();
    await expectAccessible();
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download as CSV')]);
    expect(download.suggestedFilename()).toMatch(/^recall-drill-.*\.csv$/);
  });

  const tokenOf = (tab: Page): Promise<string> =>
    tab.evaluate<string>("JSON.parse(sessionStorage.getItem('portal.refresh') ?? '{}').refreshToken ?? ''");
  type StorageEntries = readonly [string, string][];
  const storageOf = (tab: Page): Promise<StorageEntries> => tab.evaluate<StorageEntries>('Object.entries({ ...sessionStorage })');
  /** A tab that begins with what another kept: duplicated, or brought back by the browser. */
  const tabWith = async (kept: StorageEntries): Promise<Page> => {
    const tab = (await openPage(context)).page;
    await tab.goto(`${world.baseUrl}/portal/about.json`);
    await tab.evaluate<void>(`for (const [key, value] of ${JSON.stringify(kept)}) sessionStorage.setItem(key, value)`);
    await tab.goto(`${world.baseUrl}/portal`);
    return tab;
  };

  it('keeps two tabs of one session signed in when one of them refreshes the token', async () => {
    const first = await tokenOf(page);
    const other = await tabWith(await storageOf(page));
    await isIn(other);
    await eventuallyHolds(async () => expect(await tokenOf(page)).toBe(await tokenOf(other)));
    expect(await tokenOf(page)).not.toBe(first);
    await page.reload();
    await isIn(page);
    await eventuallyHolds(async () => expect(await tokenOf(other)).toBe(await tokenOf(page)));
    for (const tab of [page, other]) {
      await tab.getByRole('link', { name: 'Lots', exact: true }).click();
      await tab.getByRole('link', { name: codeOf(1), exact: true }).waitFor();
    }
    await other.close();
  });

  it('keeps the session when a restored tab has an old token: the tab asks the other tabs, or waits for them', async () => {
    const old = await storageOf(page);
    for (let reload = 0; reload < 2; reload++) {
      await page.reload();
      await isIn(page);
    }
    const back = await tabWith(old);
    await isIn(back);
    expect(await tokenOf(back)).toBe(await tokenOf(page));
    await back.close();
    // Nobody is there to be asked.
    await page.goto('about:blank');
    const alone = await tabWith(old);
    await alone.getByText('which does not respond').waitFor();
    await page.goto(`${world.baseUrl}/portal`);
    await isIn(page);
    await isIn(alone);
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain(await tokenOf(page));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await alone.getByText('You signed out in another tab.').waitFor();
    expect(await storageOf(alone)).toEqual([]);
    await alone.close();
  });

  it('asks to sign in again when the session has ended, and returns to the same page with the draft', async () => {
    await signInAs(page, farm);
    await openHarvest();
    await page.getByLabel(/^Variety/).fill('StorageEntries over a new sign-in');
    // Somebody else used its refresh tokens: the service ends the session.
    const stolen = await tokenOf(page);
    const refresh = (refreshToken: string): Promise<{ refreshToken: string }> =>
      new TraceabilityClient(world.baseUrl).post('/api/v2/auth/refresh', { refreshToken });
    const next = await refresh(stolen);
    await refresh(next.refreshToken);
    await expect(refresh(stolen)).rejects.toMatchObject({ status: 401 });
    // Whatever is asked next is refused, as soon as the service has heard that the session is over.
    const sign = page.getByRole('button', { name: 'Review' });
    await eventually(
      'the page asks to sign in again',
      async () => {
        if (await sign.isEnabled({ timeout: 1_000 }).catch(() => false)) await sign.click({ timeout: 5_000 }).catch(() => undefined);
        return page.getByText('Your session has ended.').isVisible();
      },
      { everyMs: 250 },
    );
    await signInAs(page, farm);
    expect(page.url()).toContain('/record?process=RICE_HARVESTING');
    expect(await page.getByLabel(/^Variety/).inputValue()).toBe('StorageEntries over a new sign-in');
    // Nobody else sees it, in the same tab neither.
    await signInAs(page, mill);
    expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).not.toContain('StorageEntries over');
  });

  it('says that the service does not answer, keeps the form, and sends it once when the service answers again', async () => {
    await signInAs(page, farm);
    await openHarvest();
    await fillHarvest(page, codeOf(2));
    await page.getByText('Ready to sign').waitFor();
    await context.route(`${world.baseUrl}/api/**`, (route) => route.abort('connectionrefused'));
    await press('Review');
    await page.getByText('unreachable').waitFor();
    await press('Change something');
    expect(await page.getByLabel(/^Lot code/).inputValue()).toBe(codeOf(2));
    await context.unroute(`${world.baseUrl}/api/**`);
    // Now it goes away after the signature.
    await press('Review');
    await eventually('it can be signed', () => page.getByRole('button', { name: 'Sign and record' }).isEnabled());
    await context.route(`${world.baseUrl}/api/v1/tx/**`, (route) => route.abort('connectionrefused'));
    await press('Sign and record');
    await page.getByText('The service does not respond; retrying …').waitFor();
    await page.reload();
    await page.getByText('The service does not respond; retrying …').waitFor();
    await context.unroute(`${world.baseUrl}/api/v1/tx/**`);
    await page.getByText('Event recorded.').waitFor();
    expect(await lotOf(codeOf(2))).toMatchObject({ quantity: 8000 });
    const { total } = await (
      await Session.login(world.baseUrl, farm)
    ).client.get<{ total: number }>('/api/v1/events?status=all&tlc=' + codeOf(2));
    expect(total).toBe(1);
  });

  it('lists captured documents, and signs what waits in one of them', async () => {
    const { client } = await Session.login(world.baseUrl, farm);
    let serial = 0;
    const document = JSON.parse(documentOf(world.baseUrl, 2, () => ++serial)) as object;
    const { captureID } = await client.post<{ captureID: string }>('/epcis/rice/capture', document);
    await eventually('the capture has finished', async () => {
      const { running } = await client.get<{ running: boolean }>(`/epcis/rice/capture/${captureID}`);
      return !running;
    });
    await signInAs(page, farm);
    await open('/captures');
    await page.locator(`a[href$="/captures/${captureID}"]`).click();
    await page.getByText('2 events wait for your signature.').waitFor();
    await expectAccessible();
    await press('Sign 2 events');
    await page.getByText('Nothing waits for your signature.').waitFor();
    const states = page.locator('td[data-name="Status"]');
    await eventuallyHolds(async () => {
      await press('Refresh');
      expect(await states.allTextContents()).toEqual(['Recorded', 'Recorded']);
    });
  });

  it('loads a lineage of five thousand lots in parts, and says what it leaves out', async () => {
    const { admin } = world.tenant('wool');
    const wool = await world.admin('wool');
    await wool.post('/api/v1/process-maps', processMapTemplate('rice'));
    const { tenantUuid } = await wool.get<{ tenantUuid: string }>('/api/v2/auth/me');
    const hubChildren = 5_000;
    const tenant = {
      id: tenantUuid,
      slug: 'wool',
      contract: walletOf('filled'),
      chainId: world.demo.chainId,
      organisations: { [walletOf('a')]: tenantUuid },
    };
    const size = { ...sizeOf(6_000, 6_300), landmarks: { chains: 2, levels: 2, rungs: 4, hubChildren } };
    const { hub } = await fillTenant(world.service.app.get(UnitOfWork), tenant, size, () => Promise.resolve());
    await signInAs(page, admin);
    await open(`/lots/${hub}`);
    // The first answers of both directions; then as much again as is asked for.
    const lots = page.locator('section', { hasText: 'Lineage' }).locator('.count');
    await eventuallyHolds(async () => expect(await lots.textContent()).toMatch(/^\d{3} lots, /));
    await page.getByText('There are more downstream lots.').waitFor();
    for (let shown = Number.parseInt((await lots.textContent())!, 10); shown < hubChildren;) {
      await page.getByRole('button', { name: 'Show 2,500 more' }).click();
      const before = shown;
      shown = await eventually('more lots', async () => {
        const said = /^([\d,]+) lots, /.exec((await lots.textContent()) ?? '');
        const count = said ? Number(said[1]!.replaceAll(',', '')) : 0;
        return count > before ? count : null;
      });
    }
    await eventuallyHolds(async () => expect(await page.getByText('There are more').count()).toBe(0));
    // It still answers to hands.
    await press('Fit');
    await page.getByText('As a table').click();
    await page
      .getByRole('button', { name: /^Choose .* in the graph$/ })
      .nth(1)
      .click();
    await press('Downstream lots');
    await eventuallyHolds(async () => expect(await lots.textContent()).toMatch(/^5,0\d\d lots, /));
  });

  it('had no script error and no violation of the content security policy in all of this', () => {
    expect(complaints).toEqual([]);
  });
});
