import { createHash } from 'node:crypto';
import { addressOf } from '#content-storage';
import { canonicalJson } from '#kernel';
import { type AskChain, verifyBundle } from '#passports';
import { describe, expect, it } from '@jest/globals';
import { openBrowser, openPage } from '../harness/browser.js';
import { accessibilityFaults } from '../harness/portal-visit.js';
import { JACKET, LINK, ask, chromium, inBrowser, journey, shown, statusOf } from './passports-journey.js';
import { type Json } from './rice-trade.js';

export function passportEvidenceSuite(): void {
  describe('the evidence of a passport', () => {
    const bundleOf = async (path: string): Promise<string> => {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.text();
    };
    const brokenIn = async (text: string, node?: AskChain): Promise<string[]> =>
      (await verifyBundle(text, node)).links.filter(({ state }) => state === 'broken').map(({ of, link }) => `${of}, ${link}`);
    const node: AskChain = async (method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const answer = await fetch(journey.world.node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return ((await answer.json()) as { result: unknown }).result;
    };
    let open: string;
    let whole: string;

    it('is verified by anybody without bytes, and with a signed link with all bytes and the whole lineage', async () => {
      const { passportId: id, links } = await shown(LINK);
      expect(links.bundle).toBe(`${journey.world.baseUrl}/p/${id}/bundle`);
      open = await bundleOf(`/p/${id}/bundle`);
      const report = await verifyBundle(open, node);
      expect([
        report.ok,
        report.links.filter(({ state }) => state !== 'ok').map(({ of, link, state }) => `${of}, ${link}: ${state}`),
      ]).toEqual([true, ['event 1, bytes ↔ CID: left_out', 'passport, words ↔ bytes: left_out']]);
      const { url } = await journey.trade.api.post<{ url: string }>(`/api/v1/passports/${id}/bundle-link`, { expiresInSeconds: 3_600 });
      whole = await bundleOf(url.slice(journey.world.baseUrl.length));
      const all = await verifyBundle(whole, node);
      expect([all.ok, all.links.filter(({ state }) => state !== 'ok')]).toEqual([true, []]);
      const { events, lineage } = JSON.parse(whole) as { events: Json[]; lineage: { edges: Json[]; complete: boolean } };
      expect([events.length, lineage.edges.length, lineage.complete]).toEqual([5, 4, true]);
    });

    it('is not opened by a link that expired, was changed, or is of another passport', async () => {
      const [{ passportId: rice }, { passportId: jacket }] = [await shown(LINK), await shown(JACKET)];
      const { url } = await journey.trade.api.post<{ url: string }>(`/api/v1/passports/${rice}/bundle-link`);
      const { pathname, searchParams } = new URL(url);
      const [until, key] = [searchParams.get('until')!, searchParams.get('key')!];
      for (const path of [
        `${pathname}?until=${Number(until) + 1}&key=${key}`,
        `${pathname}?until=1&key=${key}`,
        `${pathname}?until=${until}`,
        `${pathname}?until=${until}&key=${key.slice(0, -1)}`,
        `${pathname}?until=${until}&key=${key}&key=${key}`,
        `/p/${jacket}/bundle?until=${until}&key=${key}`,
      ])
        expect([path, await statusOf(path)]).toEqual([path, '403 link_expired']);
    });

    it('is found broken by a changed byte, wherever it is', async () => {
      for (const text of [open, whole]) {
        const places = Array.from({ length: 25 }, (_, i) => Math.floor(((i + 0.5) * text.length) / 25));
        for (const place of places) {
          const changed = text.slice(0, place) + (text[place] === '7' ? '8' : '7') + text.slice(place + 1);
          expect([place, (await verifyBundle(changed)).ok]).toEqual([place, false]);
        }
        for (const changed of [` ${text}`, `${text}\n`, text.replace('{', '{"more":1,'), text.slice(0, -1)])
          expect((await verifyBundle(changed)).ok).toBe(false);
      }
    });

    it('is found broken although the forger computed the digest again', async () => {
      const leaves = ofEachKind(leavesOf(JSON.parse(whole)).filter(({ path }) => !['digest', 'tier', 'lineage/complete'].includes(path)));
      expect(leaves.length).toBeGreaterThan(60);
      for (const { path, value } of leaves) {
        const forged = JSON.parse(whole) as Json;
        put(forged, path.split('/'), forge(value));
        expect([path, (await verifyBundle(signed(forged))).ok]).toEqual([path, false]);
      }
    });

    it('is found broken where product, origin or certificates differ from the bytes', async () => {
      const forgeries: [string, (passport: Json) => void][] = [
        ['words', ({ product }) => (product.description = 'Organic rice')],
        ['words', ({ product }) => (product.producedOn = '2026-11-21')],
        ['words', ({ product }) => (product.bestBefore = '2029-03-21')],
        ['words', ({ product }) => (product.attributes.packaging.recycledContent = 1)],
        ['words', ({ product }) => (product.attributes.organic = true)],
        ['origin', ({ origin }) => (origin.steps[0].country = 'FR')],
        ['origin', ({ origin }) => (origin.steps[0].region = 'Camargue')],
        ['origin', ({ origin }) => (origin.steps[1].month = '2026-10')],
        ['origin', ({ origin }) => (origin.steps[0].attributes.variety = ['Basmati'])],
        ['origin', ({ certificates }) => certificates.push({ type: 'ORGANIC', issuer: 'Example Lab', validTo: null, valid: null })],
      ];
      for (const [part, change] of forgeries) {
        const file = JSON.parse(whole) as Json;
        const passport = JSON.parse(file['passport'].text as string) as Json;
        change(passport);
        const text = canonicalJson(passport);
        const forged = signed({ ...file, passport: { text, cid: addressOf(Buffer.from(text)).cid } });
        expect([String(change), await brokenIn(forged)]).toEqual([String(change), [`passport, ${part} ↔ bytes`]]);
      }
    });

    it('is found broken where an event was removed or repeated, or something was added', async () => {
      const { events, ...file } = JSON.parse(whole) as Json & { events: Json[] };
      const { edges, splits } = file['lineage'] as { edges: Json[]; splits: Json[] };
      const blocks = file['blocks'] as Json;
      const last = events.at(-1)!;
      const { [last['blockHash'] as string]: _, ...otherBlocks } = blocks;
      const less = {
        events: events.slice(0, -1),
        lineage: { complete: true, edges: edges.filter(({ eventId }) => eventId !== last['eventId']), splits },
        blocks: otherBlocks,
      };
      for (const [changed, broken] of [
        [less, 'file, lineage ↔ inputs'],
        [{ events: [...events, last] }, 'file, events'],
        [{ events: events.map((event) => ({ ...event, note: 'organic' })) }, 'file, readable'],
        [{ note: 'organic' }, 'file, readable'],
        [{ events: events.map((event) => ({ ...event, transactionIndex: Number(event['transactionIndex']) + 0.5 })) }, 'file, readable'],
        [{ lineage: { complete: true, splits, edges: edges.map((edge) => ({ ...edge, from: ` ${edge['from']}` })) } }, 'file, readable'],
      ] as const)
        expect(await brokenIn(signed({ events, ...file, ...changed }))).toContain(broken);
    });

    it('is neither broken nor good when the node does not answer', async () => {
      const silent: AskChain = (method, params) => (method === 'eth_call' ? Promise.reject(new Error('too busy')) : node(method, params));
      const { ok, links } = await verifyBundle(open, silent);
      expect([ok, links.filter(({ state }) => state === 'broken' || state === 'unanswered')]).toEqual([
        false,
        [{ link: 'block ↔ chain', of: 'file', state: 'unanswered', detail: expect.stringContaining('too busy') }],
      ]);
    });

    it('of another chain, or of a block that was undone, is found broken with a node', async () => {
      const elsewhere: AskChain = (method, params) => (method === 'eth_getBlockByNumber' ? Promise.resolve(null) : node(method, params));
      expect(await brokenIn(open, elsewhere)).toEqual(['event 1, block ↔ chain']);
      expect(await brokenIn(open, (method, params) => (method === 'eth_chainId' ? Promise.resolve('0x1') : node(method, params)))).toEqual([
        'file, chain',
      ]);
    });

    it('has a page of its own that runs no script but its own', async () => {
      const page = await ask('/verify', { accept: 'text/html' });
      const text = await page.text();
      const script = /<script type="module">([\s\S]*)<\/script>/.exec(text)![1]!;
      expect(page.headers.get('content-security-policy')).toContain(`sha256-${createHash('sha256').update(script).digest('base64')}`);
      expect(script).not.toMatch(/^(import|export) /m);
    });
  });

  describe('the page that checks evidence', () => {
    inBrowser('says the same as the command, of whole files, changed bytes, what is no text, and with a node', async () => {
      const { passportId: id } = await shown(LINK);
      const good = Buffer.from(await (await ask(`/p/${id}/bundle`)).arrayBuffer());
      const changed = Buffer.from(good.toString().replace('RP262641', 'RP262642'));
      const noText = Buffer.concat([good.subarray(0, 50), Buffer.from([0xff]), good.subarray(51)]);
      const browser = await openBrowser(chromium!);
      try {
        const { page, complaints } = await openPage(await browser.newContext());
        await page.goto(`${journey.world.baseUrl}/verify`);
        const check = async (buffer: Buffer, heading: string): Promise<void> => {
          await page.setInputFiles('#file', { name: 'passport.json', mimeType: 'application/json', buffer });
          await page.locator('#out', { hasText: heading }).waitFor();
        };
        await check(good, 'Every link that could be checked is valid');
        expect(await page.locator('#out').innerText()).toContain('block ↔ chain: not asked');
        await check(changed, 'The file is not valid');
        await check(good, 'Every link that could be checked is valid');
        // A mark before the text is a change too, and so are bytes that a browser would mend in reading.
        await check(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good]), 'The file is not valid');
        await check(noText, 'It cannot be checked');
        await page.locator('#node').fill(journey.world.node.url);
        await check(good, 'block ↔ chain: valid');
        await page.locator('#node').fill('http://127.0.0.1:1/');
        await check(good, 'The node did not answer');
        expect(await accessibilityFaults(page)).toEqual([]);
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    });
  });
}

interface Leaf {
  readonly path: string;
  readonly value: string | number;
}

const leavesOf = (value: unknown, path = ''): Leaf[] => {
  if (typeof value === 'string' || typeof value === 'number') return [{ path, value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, path === '' ? key : `${path}/${key}`));
};

const MOST_OF_A_KIND = 12;

/** Of places that differ by their position in lists alone, some from the first to the last: a file has two thousand. */
function ofEachKind(leaves: readonly Leaf[]): Leaf[] {
  const kinds = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const kind = leaf.path.replaceAll(/\/\d+(?=\/|$)/g, '/#');
    kinds.set(kind, [...(kinds.get(kind) ?? []), leaf]);
  }
  return [...kinds.values()].flatMap((kind) => {
    const apart = Math.max(1, (kind.length - 1) / (MOST_OF_A_KIND - 1));
    return kind.filter((_, i) => Math.floor(i / apart) !== Math.floor((i - 1) / apart));
  });
}

/** Another value of the same form: as close to the right one as a forger gets. */
function forge(value: string | number): string | number {
  if (typeof value === 'number') return value + 1;
  const place = Math.floor(value.length / 2);
  // One digit more: the next number may be as true as this one.
  if (value.length < 4) return `${value}9`;
  return value.slice(0, place) + (value[place] === '5' ? '6' : '5') + value.slice(place + 1);
}

/** The file with its digest computed again, in canonical form. */
function signed(file: Json): string {
  const { digest: _, ...content } = file;
  const digest = `0x${createHash('sha256').update(canonicalJson(content)).digest('hex')}`;
  return canonicalJson({ ...content, digest });
}

function put(target: Json, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value;
  else put(target[key!] as Json, rest, value);
}
