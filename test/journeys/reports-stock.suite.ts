import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Body, ReportsWorld } from './reports-world.js';

const expected = (slug: string) =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.expected.json`, import.meta.url), 'utf8')) as {
    massBalance: {
      processType: string;
      inputKg: number;
      mainKg: number;
      coProductKg: number;
      lossKg: number;
      gap: number;
      yield: number;
    }[];
  };

/** What was made of the goods, and what is left. */
export function yieldAndInventory(reports: () => ReportsWorld): void {
  describe('yield', () => {
    it.each(['rice', 'wool'])('of %s is the golden one', async (slug) => {
      const report = await reports().read(slug, 'yield');
      const golden = expected(slug).massBalance;
      expect(report['processes'].map((one: Body) => one['processType']).toSorted()).toEqual(
        golden.map(({ processType }) => processType).toSorted(),
      );
      for (const { processType, inputKg, mainKg, coProductKg, lossKg, gap, ...wanted } of golden) {
        const found = report['processes'].find((one: Body) => one['processType'] === processType);
        expect(found).toMatchObject({
          n: 1,
          unmeasured: 0,
          inputKg,
          mainOutputKg: mainKg,
          coProductKg,
          declaredLossKg: lossKg,
          gapRatio: gap,
          yield: wanted.yield,
          distribution: { min: wanted.yield, median: wanted.yield, max: wanted.yield, mean: wanted.yield, sd: null },
          outlierCount: 0,
        });
        expect(found.byMonth).toHaveLength(1);
      }
      expect(report).toMatchObject({ report: 'yield', version: 1, tenantId: slug, orgId: null, truncated: false, nextCursor: null });
    });

    it('multiplies the yields from the first process to the last', async () => {
      // 7000 kg in bags out of 12000 kg of paddy; of what milling made, the bags are 7004 parts in 10560.
      expect(await reports().read('rice', 'yield')).toMatchObject({
        chains: [
          {
            from: 'RICE_DRYING',
            to: 'RICE_PACKING',
            route: ['RICE_DRYING', 'RICE_MILLING', 'RICE_PACKING'],
            rolledYield: 0.583333,
            throughKg: 7004,
          },
        ],
        summary: { finishedPerRaw: 0.879497 },
      });
      const { chains, summary } = await reports().read('wool', 'yield');
      const product = (2880 / 3600) * (1900 / 2880) * (820 / 1000) * (780 / 820) * (650 / 780);
      expect(chains).toMatchObject([
        { from: 'wool_classing', to: 'wool_garment_making', rolledYield: Number(product.toFixed(6)), throughKg: 780 },
      ]);
      // Classing 3600 → 3595, scouring 2880 → 2010, spinning 1000 → 880, weaving 820 → 780, sewing 780 → 650.
      const raw = (((((((3600 / 3595) * 2880) / 2010) * 1000) / 880) * 820) / 780) * 780;
      expect(summary.finishedPerRaw).toBe(Number((650 / raw).toFixed(6)));
    });
  });

  describe('inventory', () => {
    const MILL = 'https://id.gs1.org/414/9520000100032';
    const DIST = 'https://id.gs1.org/414/9520000100049';

    it('of rice: the rest of the milling at the mill, and the bags at the place of unpacking', async () => {
      const report = await reports().read('rice', 'inventory');
      // Paddy and milled rice are used up, the husk is burnt, the pallet is broken up: 377 broken, 1024 bran, 1400 bags of 5 kg.
      expect(report['locations'].map((one: Body) => [one['locationKey'], one['totals'].lots, one['totals'].massKg])).toEqual([
        [MILL, 2, 1401],
        [DIST, 1, 7000],
      ]);
      const [mill, dist] = report['locations'];
      expect(mill).toMatchObject({
        location: { name: 'Example Mill', country: 'VN' },
        custodians: [{ label: 'Example Mill', labelKind: 'organization' }],
      });
      expect(mill.items).toMatchObject([
        { assetType: 'RICE_BRAN', assetTypeName: 'Rice bran', lots: 1, quantity: { KGM: 1024 }, massKg: 1024, byStatus: { active: 1 } },
        { assetType: 'RICE_BROKEN', lots: 1, quantity: { KGM: 377 }, massKg: 377, earliestExpiry: null },
      ]);
      expect(dist.items).toMatchObject([
        {
          assetType: 'RICE_PACKED_5KG',
          lots: 1,
          quantity: { H87: 1400 },
          massKg: 7000,
          unmeasuredLots: 0,
          recalledLots: 0,
          expiredLots: 0,
        },
      ]);
      expect(dist.items[0].earliestExpiry).toMatch(/^2028-03-2/);
      const { createdAt } = await reports().rice.lots.byTlc('RP262641');
      const age = Math.floor((Date.parse(report['generatedAt']) - Date.parse(String(createdAt))) / 1000);
      expect(dist.totals.oldestLotAgeSeconds).toBe(age);
      expect(report['summary']).toMatchObject({
        locations: 2,
        lots: 3,
        quantity: { KGM: 1401, H87: 1400 },
        massKg: 8401,
        massByStatus: { active: 8401 },
        inTransitOutKg: 0,
      });
    });

    it('of wool: the rest of each maker, at its place', async () => {
      const report = await reports().read('wool', 'inventory');
      const kilograms = report['locations'].map((one: Body) => [one['location'].name, one['totals'].massKg]);
      // 3600 − 2880 − 5 pieces; 110 grease; of 1900 scoured 1000 were spun, and are where they were last used; 60 noil; 1000 jackets.
      expect(Object.fromEntries(kilograms)).toEqual({
        'Example Station': 715,
        'Example Scour': 110,
        'Example Spinner': 960,
        'Example Distributor': 650,
      });
      expect(report['summary']).toMatchObject({ lots: 5, quantity: { KGM: 1785, H87: 1000 }, massKg: 2435 });
    });

    it('of one organisation has the lots of its wallets', async () => {
      const report = await reports().read('rice', `inventory?orgId=${await reports().orgIdOf('rice', 'Example Distributor')}`);
      expect(report).toMatchObject({ total: 1, summary: { lots: 1, massKg: 7000 }, locations: [{ locationKey: DIST }] });
    });

    it('is CSV with one line per place and asset type', async () => {
      const { text } = await reports().csv('rice', 'inventory?format=csv');
      const [, bran, broken, bags] = text.trimEnd().split('\r\n');
      expect(bran).toMatch(
        /^https:\/\/id\.gs1\.org\/414\/9520000100032,Example Mill,VN,Example Mill,RICE_BRAN,Rice bran,1,1024 KGM,1024,0,active 1,0,0,,\d+,0,0$/,
      );
      expect(broken).toContain(',RICE_BROKEN,Broken rice,1,377 KGM,377,');
      expect(bags).toContain(',RICE_PACKED_5KG,');
    });

    it('shows offered goods at the sender, and as in transit to the receiver', async () => {
      const [mill, dist] = await Promise.all([reports().world.company('rice', 'mill'), reports().world.company('rice', 'dist')]);
      const { tokenId } = await reports().rice.lots.byTlc('RM-20260920-01B');
      const offer = await mill.api.custody.prepare({ action: 'offer', tokenIds: [tokenId], to: dist.address });
      await mill.land(offer.preparedTx, 'custody');
      const before = await reports().read('rice', 'inventory');
      expect(before['locations'].find((one: Body) => one['locationKey'] === MILL)).toMatchObject({
        totals: {
          lots: 2,
          massKg: 1401,
          inTransitOutKg: 377,
          inTransitInKg: 0,
          byStatus: { active: 1, in_transit: 1 },
          massByStatus: { active: 1024, in_transit: 377 },
        },
      });
      // Nobody has said yet where the distributor is.
      expect(before['locations'].find((one: Body) => one['locationKey'] === 'unknown')).toMatchObject({
        location: null,
        custodians: [],
        items: [{ assetType: 'RICE_BROKEN', lots: 0, massKg: null, inTransitInKg: 377 }],
      });
      const orgId = await reports().orgIdOf('rice', 'Example Distributor');
      await reports().rice.post(`/api/v1/organisations/${orgId}/sites`, { name: 'Example Distributor', gln: '9520000100049' });
      const after = await reports().read('rice', 'inventory');
      expect(after['locations'].find((one: Body) => one['locationKey'] === DIST)).toMatchObject({
        totals: { lots: 1, massKg: 7000, inTransitOutKg: 0, inTransitInKg: 377 },
      });
      expect(after['summary']).toMatchObject({ locations: 2, massKg: 8401, inTransitOutKg: 377, inTransitInKg: 377 });
    });
  });
}
