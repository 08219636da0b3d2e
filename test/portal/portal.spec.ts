import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type GraphView, type LotView, type RecallImpactView, Sender, Session, listAll, signAndConfirm } from '#client';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import type { DemoActor } from '../../apps/cli/src/demo/demo-file.js';
import { freePort } from '../harness/free-port.js';
import { reviewAndSign } from '../harness/portal-visit.js';
import { World } from '../harness/world.js';

/** Up to the packing of the bags, so that there is a lineage to look at. */
const STAGES = 8;
const chromium = findChromium();
const inBrowser = chromium === null ? it.skip : it;
if (chromium === null) process.stderr.write('!! No Chromium was found: the portal is NOT tested in a browser. CHROMIUM_PATH names one.\n');

let world: World;
beforeAll(async () => {
  // Sign-in by wallet names the address that a browser shows.
  world = await World.start({ PORT: String(await freePort()) });
  await world.play('rice', STAGES);
});
afterAll(() => world?.close());

describe('the client, as its README shows it', () => {
  it('lives on when its access token is taken no more, with one refresh for all who ask', async () => {
    const { admin } = world.tenant('rice');
    const kept: (string | null)[] = [];
    const session = await Session.login(world.baseUrl, admin, (tokens) => kept.push(tokens?.refreshToken ?? null));
    const resumed = await Session.resume(world.baseUrl, kept.at(-1)!);
    expect(resumed.partial).toBe(false);
    (session as unknown as { tokens: { accessToken: string } }).tokens.accessToken = 'no longer taken';
    const answers = await Promise.all([1, 2, 3].map(() => session.client.lots.list({ limit: 1 })));
    expect(answers.every(({ data }) => data.length === 1)).toBe(true);
    expect(kept).toHaveLength(2);
  });

  it('signs in with a wallet, and lands what was prepared in one call', async () => {
    const [actor, other] = ['mill', 'dist'].map((key) => world.tenant('rice').actors[key]!) as [DemoActor, DemoActor];
    const wallet = new Wallet(actor.privateKey);
    const { host, origin } = new URL(world.baseUrl);
    const session = await Session.signInWithEthereum(world.baseUrl, wallet, { host, origin, chainId: world.demo.chainId });
    const {
      data: [lot],
    } = await session.client.lots.list({ custodian: actor.address, status: 'active', limit: 1 });
    const offer = await session.client.custody.prepare({ action: 'offer', tokenIds: [lot!.tokenId], to: other.address });
    const sender = new Sender(world.demo.rpcUrl, wallet);
    const stages: string[] = [];
    const landed = await signAndConfirm(session.client, sender, offer.preparedTx, {
      type: 'offer',
      onStage: ({ stage }) => stages.push(stage),
    });
    expect(landed).toMatchObject({ status: 'confirmed', type: 'offer' });
    expect(stages.slice(0, 3)).toEqual(['signing', 'sent', 'tracked']);
    const cancel = await session.client.custody.prepare({ action: 'cancel', tokenIds: [lot!.tokenId] });
    await signAndConfirm(session.client, sender, cancel.preparedTx);
  });

  it('walks a list to its end, whatever the size of its pages', async () => {
    const { client } = await Session.login(world.baseUrl, world.tenant('rice').admin);
    const [byTwos, atOnce] = [[] as number[], [] as number[]];
    for await (const { tokenId } of listAll<LotView>(client, '/api/v1/nfts?limit=2')) byTwos.push(tokenId);
    for await (const { tokenId } of listAll<LotView>(client, '/api/v1/nfts?limit=100')) atOnce.push(tokenId);
    expect(byTwos).toEqual(atOnce);
    expect(new Set(byTwos).size).toBeGreaterThan(2);
  });
});

describe('the types of the client', () => {
  it('match the service; `node tools/openapi-types.mjs` regenerates them', async () => {
    const { typesOf } = (await import(pathToFileURL(resolve('tools/openapi-types.mjs')).href)) as {
      typesOf: (document: unknown) => Promise<string>;
    };
    const live = await typesOf(await (await fetch(`${world.baseUrl}/openapi.json`)).json());
    const kept = readFileSync('libs/client/src/generated/api.ts', 'utf8');
    const membersOf = (text: string, shape: string): (readonly [name: string, types: readonly string[]])[] =>
      (new RegExp(`\\n( +)(?:readonly )?${shape}: \\{\\n(.*?)\\n\\1\\};`, 's').exec(text)?.[2] ?? '')
        .replaceAll(/\/\*\*.*?\*\//gs, '')
        .replaceAll('"', "'")
        .replaceAll(/\s+/g, '')
        .replaceAll(/([:=(])\|/g, '$1')
        .split(';')
        .filter((member) => member !== '')
        .map((member) => [member.split(':', 1)[0]!, member.slice(member.indexOf(':') + 1).split('|')]);
    const shapes = /export type \{(.*?)\} from '.\/generated/s
      .exec(readFileSync('libs/client/src/index.ts', 'utf8'))![1]!
      .match(/\w+View/g)!;
    expect(shapes.length).toBeGreaterThan(10);
    // A new field of the service does no harm; a field that is missing or different does.
    expect(membersOf(kept, 'LotView').length).toBeGreaterThan(10);
    const untrue = shapes.flatMap((shape) => {
      const said = new Map(membersOf(live, shape));
      const wrong = membersOf(kept, shape).filter(([name, types]) => !types.every((type) => said.get(name)?.includes(type)));
      return wrong.map(([name]) => `${shape}.${name}`);
    });
    expect(untrue).toEqual([]);
  });
});

describe('the portal in a browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    if (chromium === null) return;
    browser = await openBrowser(chromium);
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    ({ page, complaints } = await openPage(context));
  });
  afterAll(() => browser?.close());

  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const axe = createRequire(resolve('package.json')).resolve('axe-core/axe.min.js');
  /** In both themes and at both widths: contrast and labels differ. */
  const expectAccessible = async (): Promise<void> => {
    await page.evaluate(readFileSync(axe, 'utf8'));
    const violations = (): Promise<string[]> =>
      page.evaluate<string[]>('axe.run().then((found) => found.violations.map(({ id, nodes }) => `${id} ${nodes[0].target}`))');
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        expect(await violations()).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    await page.setViewportSize({ width: 1280, height: 900 });
  };

  inBrowser('lets nobody in with a wrong password, and says why with the code', async () => {
    await page.goto(`${world.baseUrl}/portal`);
    await page.getByLabel('E-mail').fill(world.tenant('rice').admin.email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('invalid_credentials').waitFor();
    await expectAccessible();
  });

  inBrowser('lets an administrator in, keeps no token for other pages and later visitors, and outlives a reload', async () => {
    await page.getByLabel('Password').fill(world.tenant('rice').admin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading('Home').waitFor();
    await heading('Alerts').waitFor();
    await expectAccessible();
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toMatch(/eyJ|refresh/i);
    await page.reload();
    await heading('Home').waitFor();
  });

  inBrowser('lists lots, filters them, and keeps the filter on reload', async () => {
    await page.getByRole('link', { name: 'Lots', exact: true }).click();
    await page.getByRole('row').nth(2).waitFor();
    await page.getByLabel('Lot code begins with').fill('RM-');
    await eventuallyHolds(async () => {
      const codes = await page.getByRole('row').getByRole('link').allTextContents();
      expect(codes.length).toBeGreaterThan(0);
      expect(codes.filter((code) => !code.startsWith('RM-'))).toEqual([]);
    });
    expect(page.url()).toContain('tlc=RM-');
    await expectAccessible();
    // As people have it: in small letters, or as a label says it.
    for (const typed of ['rp', '(01)09520123450014(10)RP', 'https://shop.example/01/09520123450014/10/RP']) {
      await page.getByLabel('Lot code begins with').fill('nobody has this');
      await page.getByText('No lots match these filters').waitFor();
      await page.getByLabel('Lot code begins with').fill(typed);
      await page.getByRole('row').getByRole('link', { name: /^RP/ }).first().waitFor();
    }
    await page.getByRole('button', { name: 'Scan a lot' }).waitFor();
    await page.getByRole('link', { name: 'Search by anything' }).click();
    await page.getByText('read as a GS1 Digital Link').waitFor();
    await page.getByRole('button', { name: 'Scan a lot' }).waitFor();
    await page.goBack();
    await page.getByLabel('Lot code begins with').fill('nobody has this');
    await page.getByText('No lots match these filters').waitFor();
    await page.goto(`${world.baseUrl}/portal/lots?tlc=RM-`);
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByLabel('Lot code begins with').inputValue()).toBe('RM-');
  });

  inBrowser('shows a lot with its lineage, its footprint and who held it, as the API tells it', async () => {
    const { client } = await Session.login(world.baseUrl, world.tenant('rice').admin);
    const lots = await client.lots.list({ assetType: 'RICE_PACKED_5KG', limit: 1 });
    const lot = lots.data[0]!;
    await page.goto(`${world.baseUrl}/portal/lots/${lot.tokenId}`);
    await heading(lot.tlc).waitFor();
    const ancestry = await client.get<GraphView>(`/api/v1/nfts/${lot.tokenId}/ancestry`);
    const descendants = await client.get<GraphView>(`/api/v1/nfts/${lot.tokenId}/descendants`);
    await page.getByText(`${ancestry.nodes.length + descendants.nodes.length - 1} lots, `).waitFor();
    await page.getByText('As a table').click();
    for (const { tlc } of ancestry.nodes) await page.getByRole('link', { name: tlc, exact: true }).first().waitFor();
    await page.getByText(/^Carbon: /).waitFor();
    await eventually('no part is loading any more', async () => (await page.getByText('Loading …').count()) === 0);
    await expectAccessible();
    await page
      .getByRole('link', { name: ancestry.nodes.at(-1)!.tlc, exact: true })
      .first()
      .click();
    await heading(ancestry.nodes.at(-1)!.tlc).waitFor();
  });

  inBrowser('answers a lot of nobody with the words and the code of the service', async () => {
    await page.goto(`${world.baseUrl}/portal/lots/987654`);
    await page.getByText('lot_not_found').waitFor();
  });

  inBrowser('signs out, and in with the demo wallet, which signs in the page', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Account').selectOption('1');
    await page.getByRole('button', { name: 'Sign in with the demo wallet' }).click();
    await page.getByText('Tenant admin').waitFor();
  });

  const signInAs = async ({ email, password }: { readonly email: string; readonly password: string }): Promise<void> => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading('Home').waitFor();
  };

  inBrowser('hands a lot on: one offers it and signs, the other accepts it and signs', async () => {
    const [mill, dist] = ['mill', 'dist'].map((key) => world.tenant('rice').actors[key]!) as [DemoActor, DemoActor];
    const { client } = await Session.login(world.baseUrl, mill);
    const lot = (await client.lots.list({ custodian: mill.address, status: 'active', limit: 1 })).data[0]!;
    await signInAs(mill);
    await page.goto(`${world.baseUrl}/portal/lots/${lot.tokenId}`);
    await page.getByLabel('Transfer to').fill(dist.address);
    await reviewAndSign(page, 'Transfer this lot');
    await page.getByText('This lot is in transfer.').waitFor();
    await signInAs(dist);
    await page.getByRole('link', { name: 'Transfers', exact: true }).click();
    await page.getByRole('article', { name: `Transfer of ${lot.tlc}` }).waitFor();
    await expectAccessible();
    await reviewAndSign(page.getByRole('article', { name: `Transfer of ${lot.tlc}` }), 'Accept', 'Accept this lot');
    await page.getByText('No incoming transfers').waitFor();
    expect((await client.lots.get(lot.tokenId)).custodian).toBe(dist.address);
    await page.getByRole('link', { name: 'Transactions', exact: true }).click();
    await page.getByRole('cell', { name: 'Custody accept' }).waitFor();
    await expectAccessible();
  });

  inBrowser('shows what a recall would hit, and recalls', async () => {
    const { client } = await Session.login(world.baseUrl, world.tenant('rice').admin);
    const lot = (await client.lots.list({ assetType: 'RICE_PADDY_DRY', limit: 1 })).data[0]!;
    const { descendants } = await client.get<RecallImpactView>(`/api/v1/nfts/${lot.tokenId}/recall-impact`);
    expect(descendants.length).toBeGreaterThan(0);
    await signInAs(world.tenant('rice').admin);
    await page.goto(`${world.baseUrl}/portal/lots/${lot.tokenId}/recall`);
    await page.getByText('Affected lots').first().waitFor();
    await page.getByRole('link', { name: descendants[0]!.tlc, exact: true }).waitFor();
    await expectAccessible();
    await page.getByLabel('Reason').fill('Contaminated');
    await page.reload();
    expect(await page.getByLabel('Reason').inputValue()).toBe('Contaminated');
    await page.getByRole('button', { name: 'Recall this lot …' }).click();
    await page.getByRole('button', { name: 'Yes, recall it now' }).click();
    await page.getByRole('heading', { name: /^Recall of / }).waitFor();
    await eventually('the lot is recalled', async () => (await client.lots.get(lot.tokenId)).recalled === true);
  });

  inBrowser('did all that without a fault of its script, and within its policy', () => {
    expect(complaints).toEqual([]);
  });
});
