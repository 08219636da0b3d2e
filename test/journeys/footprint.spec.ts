import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TraceabilityClient } from '#client';
import { World } from '../harness/world.js';

type Figures = Record<string, unknown> & { missing: (string | { processType: string })[] };

const golden = (slug: string) =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.golden.json`, import.meta.url), 'utf8')) as {
    footprints: Record<string, Record<string, Figures>>;
  };

describe('the footprint of a lot', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
    await Promise.all([world.play('rice'), world.play('wool')]);
  });
  afterAll(() => world.close());

  async function footprintOf(admin: TraceabilityClient, tlc: string, query = ''): Promise<Record<string, any>> {
    const { tokenId } = await admin.lots.byTlc(tlc);
    return admin.get(`/api/v1/nfts/${tokenId}/footprint${query}`);
  }

  it.each(['rice', 'wool'])('of %s is the golden one to the last digit', async (slug) => {
    const admin = await world.admin(slug);
    for (const [tlc, indicators] of Object.entries(golden(slug).footprints)) {
      const found = await footprintOf(admin, tlc);
      for (const [indicator, wanted] of Object.entries(indicators)) {
        const figures = found['indicators'][indicator] as Figures;
        const missing = figures.missing.map((event) => (event as { processType: string }).processType);
        expect({ ...figures, missing }).toMatchObject(wanted);
      }
      expect(found).toMatchObject({ tlc, truncated: false, frontier: [], excludedUpstream: [], unallocated: [] });
    }
  });

  it('describes its subject and its method', async () => {
    expect(await footprintOf(await world.admin('rice'), 'RP262641')).toMatchObject({
      basis: { massKg: 7000, remainingKg: 7000, quantity: 1400, remaining: 1400, uom: 'H87' },
      method: { allocation: 'per process', gwp: ['AR6'], standards: ['ISO14067', 'ISO14083'], engine: 'weighted-average/1' },
      nodeCount: 5,
    });
  });

  it('of a pallet is that of its contents, and after it is broken up none of it is on hand', async () => {
    const admin = await world.admin('rice');
    const SSCC = '095200000000000011';
    const bags = await footprintOf(admin, 'RP262641');
    const { tokenId } = await admin.lots.byTlc(SSCC);
    const { data } = await admin.get<{ data: { kind: string; blockNumber: number }[] }>(`/api/v1/nfts/${tokenId}/events`);
    const unpacked = data.find(({ kind }) => kind === 'disaggregation')!.blockNumber;
    expect(await footprintOf(admin, SSCC, `?asOf=${unpacked - 1}`)).toMatchObject({
      tlc: SSCC,
      basis: { massKg: 7000, remainingKg: 7000 },
      indicators: bags['indicators'],
    });
    const indicators = Object.entries(bags['indicators'] as Record<string, Figures>).map(([name, figures]) => [
      name,
      { ...figures, onHand: figures['onHand'] === null ? null : 0 },
    ]);
    expect(await footprintOf(admin, SSCC)).toMatchObject({
      basis: { massKg: 7000, remainingKg: 0, quantity: 1400, remaining: 0 },
      indicators: Object.fromEntries(indicators),
    });
  });

  it('is refused for a truncated tree, with the place where it was cut', async () => {
    const admin = await world.admin('rice');
    await expect(footprintOf(admin, 'RP262641', '?maxNodes=2')).rejects.toMatchObject({ status: 422, code: 'footprint_incomplete' });
    await expect(footprintOf(admin, 'RP262641', '?maxDepth=1')).rejects.toMatchObject({ status: 422, code: 'footprint_incomplete' });
  });

  it.each(['?maxDepth=0', '?maxDepth=1000000000', '?maxNodes=0', '?maxNodes=20001', '?maxDepth=x'])('refuses %s', async (query) => {
    await expect(footprintOf(await world.admin('rice'), 'RP262641', query)).rejects.toMatchObject({ status: 400 });
  });

  it('is 404 for a lot of another tenant and for an unknown lot', async () => {
    const wool = await world.admin('wool');
    const { tokenId } = await (await world.admin('rice')).lots.byTlc('RP262641');
    for (const unknown of [tokenId + 1000, 281474976710655])
      await expect(wool.get(`/api/v1/nfts/${unknown}/footprint`)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
    for (const malformed of ['-1', '0', '1.5', 'abc', '9'.repeat(30)])
      await expect(wool.get(`/api/v1/nfts/${malformed}/footprint`)).rejects.toMatchObject({ status: 400 });
  });
});
