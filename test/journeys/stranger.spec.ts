import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import { TraceabilityClient } from '#client';
import { canonicalJson, keccakOf, type Json as JsonValue } from '#kernel';
import { processMapTemplate } from '#traceability';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { restrictedValues } from './restricted-values.js';
import type { Json } from './rice-trade.js';

const PLAYED = ['rice', 'wool'] as const;
const GUESSES = 1_000_000;
/** In the code of every contract. */
const DIGITS = '0123456789abcdef';
/** Digests in hexadecimal and in base64url: 32 bytes each. */
const DIGEST = /(?:0x)?([0-9a-f]{64})(?![0-9a-f])|(?<![\w-])([\w-]{43})(?![\w-])/gi;

/** Somebody with the chain, the content folder and everything that the API shows without credentials. */
describe('a stranger', () => {
  let world: World;
  let chain: string;
  let store: string;
  let api: string;
  let events: readonly Json[];
  let lots: readonly Json[];
  let passports: readonly string[];
  const answered: string[] = [];

  beforeAll(async () => {
    world = await World.start({ CHAIN_CONFIRMATIONS: '1' });
    for (const slug of PLAYED) await world.play(slug);
    const admins = await Promise.all(PLAYED.map((slug) => world.admin(slug)));
    for (const admin of admins) await admin.request('PATCH', '/api/v1/passport-settings', { enabled: true });
    passports = await eventually('passports of both', async () => {
      const lists = await Promise.all(admins.map((admin) => admin.get<{ data: Json[] }>('/api/v1/passports?limit=100')));
      return (
        lists.every(({ data }) => data.length > 0) &&
        lists.flatMap(({ data }) => data.map((one) => (one['passportId'] ?? one['id']) as string))
      );
    });
    events = (await Promise.all(admins.map((admin) => admin.get<{ data: Json[] }>('/api/v1/events?limit=100')))).flatMap(
      ({ data }) => data,
    );
    lots = (await Promise.all(admins.map((admin) => admin.get<{ data: Json[] }>('/api/v1/nfts?limit=100')))).flatMap(({ data }) => data);
    chain = await wholeChain();
    store = wholeStore();
    api = await wholeApi();
  });
  afterAll(() => world?.close());

  /** Every block with its transactions, and every log, in hexadecimal. */
  async function wholeChain(): Promise<string> {
    const provider = new JsonRpcProvider(world.node.url);
    try {
      const head = await provider.getBlockNumber();
      const blocks: unknown[] = [];
      for (let i = 0; i <= head; i++) blocks.push(await provider.send('eth_getBlockByNumber', [`0x${i.toString(16)}`, true]));
      const logs = (await provider.send('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])) as unknown;
      return JSON.stringify([blocks, logs]);
    } finally {
      provider.destroy();
    }
  }

  const wholeStore = (): string =>
    readdirSync(join(world.environment.DATA_DIR!, 'content'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString())
      .join('\n');

  /** Every GET route of the document with everything that is known from chain and store, and what those pages link to. */
  async function wholeApi(): Promise<string> {
    const document = (await (await fetch(`${world.baseUrl}/openapi.json`)).json()) as { paths: Json };
    const known = [...events.map(({ id }) => id as string), ...lots.map(({ tlc }) => tlc as string), ...passports, '1', ...PLAYED];
    const paths = Object.entries(document.paths).flatMap(([path, methods]) => ('get' in (methods as Json) ? [path] : []));
    const urls = paths.map((path) => new Set(path.includes('{') ? known.map((id) => fill(path, id)) : [path]));
    urls.push(new Set(lots.flatMap(({ gtin, tlc }) => (gtin ? [`/01/${gtin as string}/10/${tlc as string}`] : []))));
    const texts: string[] = [];
    const asked = new Set<string>();
    for (const ofRoute of urls)
      for (const url of ofRoute) {
        const text = await shown(url);
        // Without credentials it is refused before anybody reads what it names.
        if (text === null) break;
        texts.push(text);
        for (const [, id] of text.matchAll(/\/p\/([\w-]{8,})/g))
          for (const part of ['', '/bundle', '/events', '/label.svg', '/granted']) asked.add(`/p/${id!}${part}`);
      }
    for (const url of asked) texts.push((await shown(url)) ?? '');
    return texts.join('\n');
  }

  const fill = (path: string, id: string): string =>
    path.replace(/\{tenant(?:Slug)?\}/, 'rice').replaceAll(/\{\w+\}/g, encodeURIComponent(id));
  let readers = 0;
  /** Null: it asks for credentials. */
  async function shown(url: string): Promise<string | null> {
    const from = `198.18.${(++readers >> 8) & 255}.${readers & 255}`;
    const answer = await fetch(world.baseUrl + url, {
      headers: { 'x-forwarded-for': from },
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
    }).catch(() => null);
    if (answer?.status === 401) return null;
    if (!answer?.ok) return '';
    answered.push(url);
    return answer.text();
  }

  it.each(PLAYED)('finds in chain, store and API no value of the events of %s that its process map does not call public', (slug) => {
    // Words of a process map, published as it is, are no values of events; codes are in the clear, since the chain has their hashes.
    const maps = PLAYED.map((name) => JSON.stringify(processMapTemplate(name))).join('');
    const codes = new Set(lots.map(({ tlc }) => tlc as string));
    // The operator of a passport is named on it.
    const open = [...api.matchAll(/"operator":\{[^}]*"name":"([^"]+)"/g)].map(([, name]) => name!);
    expect(open.length).toBeGreaterThan(0);
    const values = restrictedValues(slug, readScenario(slug), open).filter(
      (value) => Buffer.byteLength(value) >= 6 && !maps.includes(value) && !codes.has(value) && !DIGITS.includes(value),
    );
    expect(values.length).toBeGreaterThan(20);
    expect(chain.length).toBeGreaterThan(100_000);
    expect(answered.filter((url) => url.startsWith('/p/')).length).toBeGreaterThan(0);
    const hexOf = (value: string): string => Buffer.from(value).toString('hex');
    expect(values.filter((value) => chain.includes(hexOf(value)))).toEqual([]);
    for (const [place, text] of Object.entries({ store, api }))
      expect([place, values.filter((value) => text.includes(value))]).toEqual([place, []]);
  });

  it(`confirms none of ${GUESSES} guesses of a plot or a phone, the right ones among them; a code it confirms at once`, async () => {
    const digests = new Set<string>();
    for (const text of [chain, store, api])
      for (const [, hex, base64] of text.matchAll(DIGEST))
        digests.add(hex?.toLowerCase() ?? Buffer.from(base64!, 'base64url').toString('hex'));
    const has = (hash: string): boolean => digests.has(hash.replace(/^0x/, ''));
    const sha = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
    const { harvest, rows } = await aHarvest();
    // The chain shows what its docs say that it shows: this is how a confirmed guess looks.
    expect(has(keccakOf(harvest['outputTlc'] as string))).toBe(true);
    const { plot, harvester } = harvest['metadata'] as { plot: { id: string }; harvester: { phone: string } };
    expect(rows).toBeGreaterThan(0);
    const phone = harvester.phone;
    let tried = 0;
    const confirmed: string[] = [];
    const guess = (path: readonly string[], value: string): void => {
      tried++;
      const json = canonicalJson([path, value]);
      const forms = [sha(value), sha(JSON.stringify(value)), sha(`\0${json}`), sha(`\0${canonicalJson(['', path, value])}`)];
      if (forms.some(has)) confirmed.push(value);
    };
    for (let i = 0; i < GUESSES / 2 - 1; i++)
      guess(['metadata', 'plot', 'id'], `${String.fromCodePoint(65 + (i % 26))}${Math.floor(i / 26)}`);
    for (let i = 0; i < GUESSES / 2 - 1; i++) guess(['metadata', 'harvester', 'phone'], phone.slice(0, -6) + String(i).padStart(6, '0'));
    guess(['metadata', 'plot', 'id'], plot.id);
    guess(['metadata', 'harvester', 'phone'], phone);
    expect([tried, confirmed]).toEqual([GUESSES, []]);
  });

  /** One that names a person, as its farm reads it. */
  async function aHarvest(): Promise<{ harvest: Json; rows: number }> {
    const farm: TraceabilityClient = (await world.company('rice', 'farmA')).api;
    const { data } = await farm.get<{ data: Json[] }>('/api/v1/events?processType=RICE_HARVESTING&limit=100');
    const full = await Promise.all(data.map(({ id }) => farm.get<Json>(`/api/v1/events/${id as string}`)));
    const [harvest] = full.filter(({ metadata }) => metadata?.harvester?.phone && metadata.plot?.id);
    const code = (harvest!['outputs'] as Json[])[0]!['tlc'] as string;
    return { harvest: { ...harvest!, outputTlc: code }, rows: full.length };
  }

  it('sees stored bytes that are at most five times those of the same contents in the clear', async () => {
    const admin = await world.admin('rice');
    const sizes = await Promise.all(
      events
        .filter(({ tenant, processType }) => tenant === undefined && String(processType).startsWith('RICE'))
        .map(async ({ id }) => {
          const { block, content } = await admin.get<{ block: string; content: JsonValue }>(
            `/api/v1/events/${id as string}/content/opened`,
          );
          return { sealed: Buffer.byteLength(block), clear: Buffer.byteLength(canonicalJson(content)) };
        }),
    );
    const sum = (name: 'sealed' | 'clear'): number => sizes.reduce((all, size) => all + size[name], 0);
    expect(sizes.length).toBeGreaterThan(5);
    expect(sum('sealed') / sum('clear')).toBeLessThan(5);
  });
});
