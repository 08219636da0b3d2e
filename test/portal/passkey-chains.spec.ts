import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { ProcessMapDocumentView, TraceabilityClient } from '#client';
import { type Scenario, type ScenarioEvent, type ScenarioHandover, readScenario } from '../../apps/cli/src/demo/scenario.js';
import type { EventDraft } from '../../apps/portal/src/record/draft.js';
import { filledOf } from '../../apps/portal/src/record/filled.js';
import { processOf } from '../../apps/portal/src/record/process.js';
import { findChromium, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { reviewAndSign } from '../harness/portal-visit.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';
import { type Json, administrator } from '../journeys/rice-trade.js';

const chromium = findChromium();
const suite = chromium === null ? describe.skip : describe;
if (chromium === null)
  process.stderr.write('!! No Chromium was found: chains by passkeys in the portal are NOT tested. CHROMIUM_PATH names one.\n');

const PHONE = { width: 390, height: 844 };
/** Begins the phrase of the demo wallets, which the portal has for a local chain. */
const DEMO_PHRASE = 'test test test test';

interface Line {
  readonly tlc: string;
  readonly quantity: { readonly value: number; readonly uom: string };
}

/** A company of a chain: one person with a phone. */
interface Company {
  readonly userId: string;
  readonly wallet: string;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly device: CDPSession;
  readonly authenticatorId: string;
  /** Everything that the page got and sent. */
  readonly traffic: string[];
}

suite('a chain in which nobody has a wallet', () => {
  let world: World;
  let mailbox: SmtpSink;
  let browser: Browser;
  let provider: JsonRpcProvider;
  let origin: string;

  beforeAll(async () => {
    const port = String(await freePort());
    origin = `http://localhost:${port}`;
    mailbox = await SmtpSink.start();
    const mail = { SMTP_URL: `smtp://localhost:${mailbox.port}`, MAIL_FROM: 'trace@example.org', PUBLIC_URL: origin };
    world = await World.start({ PORT: port, ...mail });
    provider = new JsonRpcProvider(world.demo.rpcUrl, undefined, { staticNetwork: true, cacheTimeout: -1 });
    browser = await openBrowser(chromium!);
  });
  afterAll(async () => {
    await browser?.close();
    provider?.destroy();
    await world?.close();
    await mailbox?.close();
  });

  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();

  async function phone(): Promise<Omit<Company, 'userId' | 'wallet'>> {
    const context = await browser.newContext({ viewport: PHONE, isMobile: true, hasTouch: true });
    const { page, complaints } = await openPage(context);
    const device = await context.newCDPSession(page);
    await device.send('WebAuthn.enable');
    const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    const traffic: string[] = [];
    page.on('request', (request) => traffic.push(request.postData() ?? ''));
    page.on(
      'response',
      (response) =>
        void response.text().then(
          (text) => traffic.push(text),
          () => undefined,
        ),
    );
    return { context, page, complaints, device, authenticatorId, traffic };
  }

  /** From the mail to a signed-in member. */
  async function joins(slug: string, key: string, admin: TraceabilityClient): Promise<Company> {
    const email = `${key.toLowerCase()}.phone@${slug}.example`;
    const { orgId } = world.tenant(slug).actors[key]!;
    const { id: userId } = await admin.post<Json>('/api/v2/members', { email, roles: ['OPERATOR'], orgId });
    const { text } = await eventually('the invitation', () => mailbox.mails.find(({ to }) => to === email));
    const own = await phone();
    await own.page.goto(/http\S+/.exec(text)![0]);
    await press(own.page, 'Create a passkey');
    await own.page.getByRole('button', { name: 'Sign out' }).waitFor();
    const { wallet } = await admin.get<Json>(`/api/v2/members/${userId}`);
    return { userId, wallet, ...own };
  }

  async function grant(slug: string, members: readonly string[]): Promise<void> {
    const granting = await administrator(world, slug);
    const { preparedTxs } = await granting.api.post<Json>('/api/v2/members/grants/prepare', { members });
    for (const { preparedTx } of preparedTxs) await granting.sender.sendAndWait(preparedTx);
  }

  interface Chain {
    readonly slug: string;
    readonly admin: TraceabilityClient;
    readonly companies: ReadonlyMap<string, Company>;
    readonly maps: readonly ProcessMapDocumentView[];
  }

  /** What its person would have typed is in the form; the rest is the portal's: it validates, prepares, signs, hands over and watches. */
  async function record(chain: Chain, event: ScenarioEvent): Promise<void> {
    const { page, userId } = chain.companies.get(event.actor)!;
    const process = chain.maps.map((map) => processOf(map, event.processType)).find((found) => found !== null)!;
    const { inputs = [], ...metadata } = event.metadata as Json & { inputs?: readonly Line[] };
    const lots = await Promise.all(
      event.inputTlcs.map(async (tlc) => {
        const { tokenId } = await chain.admin.lots.byTlc(tlc);
        const quantity = inputs.find((line) => line.tlc === tlc)?.quantity;
        return { tokenId, tlc, name: '', left: '', quantity: String(quantity?.value ?? ''), uom: quantity?.uom ?? '' };
      }),
    );
    const handing = event.custody?.action ?? 'none';
    const draft: EventDraft = {
      ...{ lots, filled: filledOf(process.shape, metadata), outputTlc: event.outputTlc ?? '', outputCustodian: '' },
      ...{ handing: handing, to: event.custody?.to ? chain.companies.get(event.custody.to)!.wallet : '' },
    };
    const key = `portal.kept.${userId}.${chain.slug}.draft.record ${event.processType}`;
    await page.evaluate(`localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(JSON.stringify(draft))})`);
    await page.goto(`${origin}/portal/record?process=${event.processType}`);
    await page.getByText('Ready to sign').waitFor();
    await press(page, 'Review');
    await page.getByText('Sign with this device.').waitFor();
    await press(page, { offer: 'Transfer and record', accept: 'Accept and record', none: 'Sign and record' }[handing as string]!);
    await page.getByText('Event recorded.').waitFor();
  }

  async function handOver({ admin, companies }: Chain, { handover }: ScenarioHandover): Promise<void> {
    const [from, to] = [companies.get(handover.from)!, companies.get(handover.to)!];
    for (const tlc of handover.tlcs) {
      const { tokenId } = await admin.lots.byTlc(tlc);
      await from.page.goto(`${origin}/portal/lots/${tokenId}`);
      await from.page.getByLabel('Transfer to').fill(to.wallet);
      await reviewAndSign(from.page, 'Transfer this lot');
      await from.page.getByText('This lot is in transfer.').waitFor();
      await to.page.goto(`${origin}/portal/lots/${tokenId}`);
      await reviewAndSign(to.page, 'Accept this lot');
      await eventually('the lot is handed over', async () => (await admin.lots.byTlc(tlc)).custodian === to.wallet);
    }
  }

  async function play(slug: string): Promise<Chain> {
    const scenario: Scenario = readScenario(slug);
    const admin = await world.admin(slug);
    const companies = new Map<string, Company>();
    for (const key of Object.keys(scenario.actors)) companies.set(key, await joins(slug, key, admin));
    await grant(
      slug,
      [...companies.values()].map(({ userId }) => userId),
    );
    const { data } = await admin.get<Json>('/api/v1/process-maps?limit=100');
    const maps = await Promise.all(data.map(({ name }: Json) => admin.get<ProcessMapDocumentView>(`/api/v1/process-maps/${name}`)));
    const chain = { slug, admin, companies, maps };
    for (const part of scenario.steps) await ('handover' in part ? handOver(chain, part) : record(chain, part));
    return chain;
  }

  async function holdsNoKeyAndNoCoin({ companies }: Chain): Promise<void> {
    for (const { page, wallet, device, authenticatorId, traffic, complaints } of companies.values()) {
      expect([await provider.getBalance(wallet), complaints]).toEqual([0n, []]);
      const { credentials } = (await device.send('WebAuthn.getCredentials', { authenticatorId })) as unknown as {
        credentials: { privateKey: string }[];
      };
      expect(credentials).toHaveLength(1);
      const key = Buffer.from(credentials[0]!.privateKey, 'base64');
      const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
      const seen = [...traffic, stored].join('\n');
      expect([seen.includes(wallet), seen.includes('"assertion"')]).toEqual([true, true]);
      // In the three ways in which a page would write it.
      const scalar = scalarOf(key);
      for (const text of [scalar.toString('hex'), scalar.toString('base64').slice(0, 40), scalar.toString('base64url').slice(0, 40)])
        expect(seen.includes(text)).toBe(false);
      expect(seen.includes(DEMO_PHRASE)).toBe(false);
    }
  }

  it.each(['rice', 'wool'])('is played whole, on phones: %s', async (slug) => {
    const chain = await play(slug);
    await holdsNoKeyAndNoCoin(chain);
    const { companies, admin } = chain;
    const scenario = readScenario(slug);
    const actors = new Set([...companies.values()].map(({ wallet }) => wallet));
    const { data: events } = await admin.get<Json>('/api/v1/events?limit=100');
    const recorded = scenario.steps.filter((part) => !('handover' in part)).length;
    const ours = events.filter(({ actor }: Json) => actors.has(actor.address));
    expect([ours.length, ours.filter(({ status }: Json) => status === 'recorded').length]).toEqual([recorded, recorded]);
    const codes = scenario.steps.flatMap((part) => ('handover' in part ? [] : (part.outputTlc ?? [])));
    const holders = await Promise.all(codes.map(async (tlc) => (await admin.lots.byTlc(tlc)).custodian));
    expect(holders.filter((holder) => !actors.has(String(holder)))).toEqual([]);
    for (const { context } of companies.values()) await context.close();
  });
});

/** Of P-256, in the DER of PKCS#8: the octets after `02 01 01 04 20`. */
function scalarOf(pkcs8: Buffer): Buffer {
  const at = pkcs8.indexOf(Buffer.from('0201010420', 'hex'));
  expect(at).toBeGreaterThan(0);
  return pkcs8.subarray(at + 5, at + 37);
}
