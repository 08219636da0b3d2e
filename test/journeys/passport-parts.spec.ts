import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalJson } from '#kernel';
import { type AskChain, verifyBundle } from '#passports';
import { runCommand } from '../harness/command-line.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

const TLC = 'RP269917';

describe('the evidence of bags that were made from a part of a part of a harvest', () => {
  let world: World;
  let trade: RiceTrade;
  let folder: string;
  let file: Json;
  let text: string;
  let harvest: number;

  const kg = (value: number): object => ({ value, uom: 'KGM' });
  const node: AskChain = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(world.node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.json()) as { result: unknown }).result;
  };
  const brokenIn = async (changed: string, ask?: AskChain): Promise<string[]> =>
    (await verifyBundle(changed, ask)).links.filter(({ state }) => state === 'broken').map(({ of, link }) => `${of}, ${link}`);
  /** The file with a changed part, with its digest computed again, in canonical form. */
  const forged = (change: (copy: Json) => void): string => {
    const { digest: _, ...copy } = JSON.parse(text) as Json;
    change(copy);
    return canonicalJson({ ...copy, digest: `0x${createHash('sha256').update(canonicalJson(copy)).digest('hex')}` });
  };

  beforeAll(async () => {
    world = await World.start();
    trade = await RiceTrade.of(world);
    folder = mkdtempSync(join(tmpdir(), 'bundle-'));
    const { farmA, mill } = trade;
    const lot = await trade.harvest();
    harvest = lot.tokenId;
    const part = harvest + 1;
    await trade.land(farmA, trade.custody(farmA, { lots: [{ tokenId: harvest, quantity: kg(8_000 - 1_000) }], to: mill.address }));
    await trade.land(mill, trade.custody(mill, { action: 'accept', lots: [{ tokenId: part, quantity: kg(3_000) }], reason: 'refused' }));
    // What went back is offered again: it is a part of a part.
    const again = part + 1;
    await trade.land(farmA, trade.custody(farmA, { tokenIds: [again], to: mill.address }));
    await trade.land(mill, trade.custody(mill, { action: 'accept', tokenIds: [again] }));
    await trade.known(again);
    const drying: Json = {
      ...trade.metadataOf('RICE_DRYING'),
      inputs: [{ tokenId: again, quantity: kg(4_000) }],
      quantity: kg(3_600),
      losses: [{ kind: 'moisture', quantity: kg(400) }],
    };
    const dried = await trade.land(
      mill,
      trade.event(mill, { processType: 'RICE_DRYING', inputTokenIds: [again], outputTlc: 'RD-20261102-EV', metadata: drying }),
    );
    const paddy = { tokenId: await trade.tokenOf(dried['outputTlc'] as string), tlc: dried['outputTlc'] as string };
    const milled = await trade.land(mill, trade.event(mill, trade.milling(paddy)));
    const rice = { tokenId: await trade.tokenOf(milled['outputTlc'] as string), tlc: milled['outputTlc'] as string };
    await trade.land(mill, trade.event(mill, trade.packing(rice, TLC, '2027-09-01')));
    await trade.api.request('PATCH', '/api/v1/passport-settings', { enabled: true });
    const { id } = await eventually('the passport', async () => {
      const { data } = await trade.api.get<{ data: Json[] }>('/api/v1/passports');
      return data.find(({ tlc }) => tlc === TLC);
    });
    const { url } = await trade.api.post<{ url: string }>(`/api/v1/passports/${id}/bundle-link`, { expiresInSeconds: 3_600 });
    const answer = await fetch(url);
    text = await answer.text();
    expect([answer.status, text.slice(0, 0)]).toEqual([200, '']);
    file = JSON.parse(text) as Json;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
  });

  it('has the whole lineage, with each split and its receipt', async () => {
    expect(file['format']).toBe('traceability-passport-bundle/3');
    const { complete, edges, splits } = file['lineage'] as Json;
    expect([complete, edges.length]).toEqual([true, 3]);
    expect(splits.map(({ from, to }: Json) => [from, to])).toEqual([
      [String(harvest), String(harvest + 1)],
      [String(harvest + 1), String(harvest + 2)],
    ]);
    const { ok, links } = await verifyBundle(text, node);
    expect([ok, links.filter(({ state }) => state !== 'ok')]).toEqual([true, []]);
    expect(links.filter(({ of }) => of.startsWith('split')).map(({ of, link }) => `${of}, ${link}`)).toEqual([
      ...[1, 2].flatMap((i) =>
        ['header ↔ block', 'block number', 'receipt ↔ header', 'split ↔ receipt'].map((link) => `split ${i}, ${link}`),
      ),
      'split 1, block ↔ chain',
      'split 2, block ↔ chain',
    ]);
  });

  it('says the same in the command line and on the page', async () => {
    const page = await (await fetch(`${world.baseUrl}/verify`, { headers: { accept: 'text/html' } })).text();
    const script = /<script type="module">([\s\S]*)<\/script>/.exec(page)![1]!;
    const document = { getElementById: () => ({ addEventListener: () => {} }) };
    const onPage = runInNewContext(`${script}; verifyBundle`, { TextEncoder, document }) as typeof verifyBundle;
    const wrong = forged(({ lineage }) => (lineage.splits[0].from = '99'));
    for (const [name, content] of [
      ['good', text],
      ['wrong', wrong],
    ] as const) {
      const report = await verifyBundle(content);
      expect(JSON.stringify(await onPage(content))).toBe(JSON.stringify(report));
      const path = join(folder, `${name}.json`);
      writeFileSync(path, content);
      const { code, stdout } = await runCommand(['verify', path], { ...process.env } as Record<string, string>);
      expect(code).toBe(report.ok ? 0 : 1);
      for (const { of, link, detail } of report.links) expect(stdout).toContain(`${of}, ${link}: ${detail}`);
    }
  });

  it('is found broken where a split is left out, changed, repeated or of another block', async () => {
    const splitsOf = (copy: Json): Json[] => copy['lineage'].splits as Json[];
    const cases: [string, (copy: Json) => void, string][] = [
      ['left out', (copy) => splitsOf(copy).splice(0, 1), 'file, lineage ↔ inputs'],
      ['all left out', (copy) => delete copy['lineage'].splits, 'file, readable'],
      [
        'all left out, in the format without them',
        (copy) => {
          delete copy['lineage'].splits;
          for (const event of copy['events'] as Json[]) delete event['disclosures'];
          copy['format'] = 'traceability-passport-bundle/1';
        },
        'file, lineage ↔ inputs',
      ],
      ['from another lot', (copy) => (splitsOf(copy)[0]!['from'] = '77'), 'split 1, split ↔ receipt'],
      ['to another part', (copy) => (splitsOf(copy)[1]!['to'] = '77'), 'split 2, split ↔ receipt'],
      ['repeated', (copy) => splitsOf(copy).push(splitsOf(copy)[0]!), 'file, splits'],
      ['with a changed block number', (copy) => splitsOf(copy)[0]!['blockNumber']++, 'split 1, block number'],
      ['in another place', (copy) => splitsOf(copy)[0]!['transactionIndex']++, 'split 1, receipt ↔ header'],
      ['without its proof', (copy) => (splitsOf(copy)[0]!['proof'] = []), 'split 1, receipt ↔ header'],
      ['with more', (copy) => (splitsOf(copy)[0]!['note'] = 'organic'), 'file, readable'],
      ['in the first format', (copy) => (copy['format'] = 'traceability-passport-bundle/1'), 'file, readable'],
    ];
    for (const [name, change, broken] of cases)
      expect([name, await brokenIn(forged(change))]).toEqual([name, expect.arrayContaining([broken])]);
  });

  it('is found broken with a node whose chain has another block of a split', async () => {
    const { blockNumber } = (file['lineage'].splits as Json[])[1]!;
    const hex = `0x${(blockNumber as number).toString(16)}`;
    const elsewhere: AskChain = (method, params) =>
      method === 'eth_getBlockByNumber' && params[0] === hex ? Promise.resolve(null) : node(method, params);
    expect(await brokenIn(text, elsewhere)).toContain('split 2, block ↔ chain');
  });
});
