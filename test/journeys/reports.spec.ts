import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type PreparedTx, Sender, type TraceabilityClient } from '#client';
import { CreateApiKey, CreateTenant } from '#identity';
import { ChainHead, ChainProfile } from '#chain';
import { UnitOfWork } from '#persistence';
import { followerOf } from '#reports/testing';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';

type Body = Record<string, any>;

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

const process = (label: string, kind: string, type: string, inputs: object) => ({
  label,
  kind,
  containmentMode: 0,
  epcis: { type, ...(kind === 'creation' && { action: 'ADD' }), bizStep: 'commissioning', disposition: 'active' },
  inputs: { consumption: 'full', ...inputs },
  outputs: { min: 1, max: 1, assetType: 'ODD_DRUM' },
  metadataSchema: { type: 'object' },
  documents: [{ type: 'WAYBILL', required: true }],
  requiredRoles: ['OPERATOR'],
});
/** Drums of something: no mass of a litre, no place, and no quantity asked for. */
const ODD_MAP = {
  formatVersion: '1.0',
  key: 'odd',
  name: 'Odd things',
  version: '1.0.0',
  chainOfCustody: 'segregated',
  assetTypes: { ODD_DRUM: { name: 'Drum', category: 'intermediate', uom: 'LTR' } },
  processes: {
    ODD_FILLING: process('Fill', 'creation', 'ObjectEvent', { min: 0, max: 0, assetTypes: [], consumption: 'none' }),
    ODD_BLENDING: process('Blend', 'transformation', 'TransformationEvent', { min: 1, max: 5, assetTypes: ['ODD_DRUM'] }),
  },
};
const WOOL_PROCESSES = ['wool_classing', 'wool_garment_making', 'wool_scouring', 'wool_spinning', 'wool_weaving'];

describe('reports', () => {
  let world: World;
  let rice: TraceabilityClient;
  let wool: TraceabilityClient;
  const keys = new Map<TraceabilityClient, string>();

  beforeAll(async () => {
    world = await World.start();
    await Promise.all([world.play('rice'), world.play('wool')]);
    [rice, wool] = await Promise.all([world.admin('rice'), world.admin('wool')]);
    for (const admin of [rice, wool]) {
      const { secret } = await admin.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads tables', roles: ['COMPLIANCE'] });
      keys.set(admin, secret);
    }
  });
  afterAll(() => world?.close());

  const read = (client: TraceabilityClient, path: string): Promise<Body> => client.get<Body>(`/api/v1/reports/${path}`);
  const csv = async (client: TraceabilityClient, path: string): Promise<{ text: string; headers: Headers }> => {
    const answer = await fetch(`${world.baseUrl}/api/v1/reports/${path}`, { headers: { 'x-api-key': keys.get(client)! } });
    return { text: Buffer.from(await answer.arrayBuffer()).toString(), headers: answer.headers };
  };
  /** As the sweep of data references writes it. */
  const checked = async (
    slug: string,
    orgId: string,
    { id, kind, subject, value, matches }: { id: string; kind: string; subject: string; value: string; matches: boolean },
  ): Promise<void> => {
    const { uuid } = await tenantOf(slug);
    const status = matches ? 'ok' : 'mismatch';
    await world.service.app.get(UnitOfWork).inTransaction({ tenantId: uuid }, async (tx) => {
      await tx.sql(
        `insert into reports.pointer (tenant_id, id, kind, subject_kind, subject_id, value, resolved, matches, status, detail, org_ids, checked_at)
         values ($1, $2, $3, 'event', $4, $5, true, $6, $7, '', array[$8], now())`,
        [uuid, id, kind, subject, value, matches, status, orgId],
      );
      await tx.sql(
        `insert into reports.pointer_tally as t (tenant_id, org_id, day, kind, status, n, matching) values ($1, $2, '-infinity', $3, $4, 1, $5)
         on conflict (tenant_id, org_id, day, kind, status) do update set n = t.n + 1, matching = t.matching + excluded.matching`,
        [uuid, orgId, kind, status, matches ? 1 : 0],
      );
    });
  };
  const tenantOf = async (slug: string): Promise<{ uuid: string }> => {
    const { tenantUuid } = await (slug === 'rice' ? rice : wool).get<{ tenantUuid: string }>('/api/v2/auth/me');
    return { uuid: tenantUuid };
  };
  const orgIdOf = async (client: TraceabilityClient, name: string): Promise<string> =>
    (await client.get<{ data: { id: string; name: string }[] }>('/api/v1/organisations?limit=100')).data.find((one) => one.name === name)!
      .id;

  describe('yield', () => {
    it.each(['rice', 'wool'])('of %s is the golden one', async (slug) => {
      const report = await read(slug === 'rice' ? rice : wool, 'yield');
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

    it('rolls up along the road from the first process to the last', async () => {
      // 7000 kg in bags out of 12000 kg of paddy; of what milling made, the bags are 7004 parts in 10560.
      expect(await read(rice, 'yield')).toMatchObject({
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
      const { chains, summary } = await read(wool, 'yield');
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

    it('of rice: what milling left at the mill, and the bags where they were unpacked', async () => {
      const report = await read(rice, 'inventory');
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
      const { createdAt } = await rice.lots.byTlc('RP262641');
      const age = Math.floor((Date.parse(report['generatedAt']) - Date.parse(String(createdAt))) / 1000);
      expect(dist.totals.oldestLotAgeSeconds).toBe(age);
      expect(report['summary']).toMatchObject({
        locations: 2,
        lots: 3,
        quantity: { KGM: 1401, H87: 1400 },
        massKg: 8401,
        inTransitOutKg: 0,
      });
    });

    it('of wool: what each maker has left, at the maker', async () => {
      const report = await read(wool, 'inventory');
      const kilograms = report['locations'].map((one: Body) => [one['location'].name, one['totals'].massKg]);
      // 3600 − 2880 − 5 pieces; 110 grease; of 1900 scoured 1000 were spun, and lie where they were last used; 60 noil; 1000 jackets.
      expect(Object.fromEntries(kilograms)).toEqual({
        'Example Station': 715,
        'Example Scour': 110,
        'Example Spinner': 960,
        'Example Distributor': 650,
      });
      expect(report['summary']).toMatchObject({ lots: 5, quantity: { KGM: 1785, H87: 1000 }, massKg: 2435 });
    });

    it('of one organisation is what its wallets hold', async () => {
      const report = await read(rice, `inventory?orgId=${await orgIdOf(rice, 'Example Distributor')}`);
      expect(report).toMatchObject({ total: 1, summary: { lots: 1, massKg: 7000 }, locations: [{ locationKey: DIST }] });
    });

    it('is a table of kinds, one line a place and kind', async () => {
      const { text } = await csv(rice, 'inventory?format=csv');
      const [, bran, broken, bags] = text.trimEnd().split('\r\n');
      expect(bran).toMatch(
        /^https:\/\/id\.gs1\.org\/414\/9520000100032,Example Mill,VN,Example Mill,RICE_BRAN,Rice bran,1,1024 KGM,1024,0,active 1,0,0,,\d+,0,0$/,
      );
      expect(broken).toContain(',RICE_BROKEN,Broken rice,1,377 KGM,377,');
      expect(bags).toContain(',RICE_PACKED_5KG,');
    });

    it('has what is offered at the sender, and on its way to the receiver', async () => {
      const [mill, dist] = await Promise.all([world.company('rice', 'mill'), world.company('rice', 'dist')]);
      const { tokenId } = await rice.lots.byTlc('RM-20260920-01B');
      const offer = await mill.api.custody.prepare({ action: 'offer', tokenIds: [tokenId], to: dist.address });
      await mill.land(offer.preparedTx, 'custody');
      const before = await read(rice, 'inventory');
      expect(before['locations'].find((one: Body) => one['locationKey'] === MILL)).toMatchObject({
        totals: { lots: 2, massKg: 1401, inTransitOutKg: 377, inTransitInKg: 0, byStatus: { active: 1, in_transit: 1 } },
      });
      // Nobody has said yet where the distributor is.
      expect(before['locations'].find((one: Body) => one['locationKey'] === 'unknown')).toMatchObject({
        location: null,
        custodians: [],
        items: [{ assetType: 'RICE_BROKEN', lots: 0, massKg: null, inTransitInKg: 377 }],
      });
      const orgId = await orgIdOf(rice, 'Example Distributor');
      await rice.post(`/api/v1/organisations/${orgId}/sites`, { name: 'Example Distributor', gln: '9520000100049' });
      const after = await read(rice, 'inventory');
      expect(after['locations'].find((one: Body) => one['locationKey'] === DIST)).toMatchObject({
        totals: { lots: 1, massKg: 7000, inTransitOutKg: 0, inTransitInKg: 377 },
      });
      expect(after['summary']).toMatchObject({ locations: 2, massKg: 8401, inTransitOutKg: 377, inTransitInKg: 377 });
    });
  });

  describe('documents', () => {
    it('of rice: the batch log, the bill of lading that went with the pallet, and the test report', async () => {
      const report = await read(rice, 'documents');
      expect(report['summary']).toEqual({
        documents: 3,
        byType: { BATCH_LOG: 1, BILL_OF_LADING: 1, TEST_REPORT: 1 },
        byStatus: { undated: 2, valid: 1 },
        conflicts: 0,
        // Packing asks for a batch log, shipping and receiving for a bill of lading.
        required: 3,
        present: 3,
        missing: 0,
        coverage: 1,
        missingTruncated: false,
      });
      const [log, bill, lab] = report['documents'];
      expect(log).toMatchObject({
        type: 'BATCH_LOG',
        number: 'BL-26-264-1',
        issuer: null,
        status: 'undated',
        verification: 'not_checked',
        uses: 1,
      });
      expect(log.documentKey).toBe(createHash('sha256').update('BATCH_LOG|BL-26-264-1|').digest('hex'));
      expect(bill).toMatchObject({ number: 'BOL-44120', uses: 2, conflict: false });
      expect(bill.usedBy).toMatchObject([
        { processType: 'RICE_RECEIVING', tlcs: ['095200000000000011'] },
        { processType: 'RICE_SHIPPING', tlcs: ['095200000000000011'] },
      ]);
      expect(lab).toMatchObject({
        number: 'LAB-9931',
        issuer: 'Example Lab',
        validTo: '2027-09-21',
        status: 'valid',
        visibility: 'public',
      });
      expect(lab.usedBy).toMatchObject([{ processType: 'RICE_PACKING', tlcs: ['RM-20260920-01', 'RP262641'] }]);
      expect(report['missing']).toEqual([]);
    });

    it('of wool, page by page', async () => {
      const first = await read(wool, 'documents?limit=1');
      expect(first).toMatchObject({ total: 3, truncated: true, summary: { byStatus: { undated: 3 }, required: 4, coverage: 1 } });
      const rest = await read(wool, `documents?limit=5&cursor=${first['nextCursor']}`);
      expect([...first['documents'], ...rest['documents']].map(({ number }: Body) => number)).toEqual([
        'CMR-1001',
        'NWD-55-1',
        'AWTA-887123',
      ]);
    });

    it('is a table', async () => {
      const { text } = await csv(rice, 'documents?format=csv');
      expect(text.split('\r\n')[2]).toMatch(
        /^[0-9a-f]{64},BILL_OF_LADING,BOL-44120,,,,undated,,,,,not_checked,false,2,095200000000000011$/,
      );
    });
  });

  describe('the FSMA 204 sheet', () => {
    it('of rice: a row for each lot of each event, and for each input of what was made', async () => {
      const report = await read(rice, 'fsma204');
      const told = report['rows'].map(({ eventDate, tlc, internalLotCode, quantity, unit, inputTlc, inputQuantity }: Body) =>
        [eventDate, tlc ?? internalLotCode, quantity, unit, inputTlc, inputQuantity].filter((value) => value !== null).join(' '),
      );
      expect(told).toEqual([
        '2026-09-15 RH-20260915-A1 8000 KGM',
        '2026-09-16 RH-20260916-B1 4000 KGM',
        // 20:00 UTC is the next day at the mill.
        '2026-09-18 RD-20260917-01 10775 KGM RH-20260915-A1 8000',
        '2026-09-18 RD-20260917-01 10775 KGM RH-20260916-B1 4000',
        '2026-09-20 RM-20260920-01 7004 KGM RD-20260917-01 10775',
        '2026-09-20 RM-20260920-01B 377 KGM RD-20260917-01 10775',
        '2026-09-20 RM-20260920-01N 1024 KGM RD-20260917-01 10775',
        '2026-09-20 RM-20260920-01H 2155 KGM RD-20260917-01 10775',
        '2026-09-21 RP262641 1400 H87 RM-20260920-01 7004',
        '2026-09-21 RP262641 1400 H87',
        '2026-09-22 RP262641 1400 H87',
        '2026-10-01 RM-20260920-01H 2155 KGM',
        '2026-10-24 RP262641 1400 H87',
        '2026-10-25 095200000000000011',
      ]);
      expect(report['rows'][10]).toMatchObject({
        productDescription: 'Example Brand Jasmine rice, 5 kg, woven bag',
        gtin: '09520123450014',
        locationName: 'Example Mill',
        subsequentRecipientName: 'Example Distributor',
        subsequentRecipientCity: 'Rotterdam',
        tlcSourceName: 'Example Mill',
        referenceDocumentType: 'BILL_OF_LADING',
        referenceDocumentNumber: 'BOL-44120',
      });
      expect(report['rows'][12]).toMatchObject({
        previousSourceName: 'Example Mill',
        locationName: 'Example Distributor',
        subsequentRecipientName: null,
      });
    });

    it('is the same in pages of any size, and as one table', async () => {
      const whole = await read(rice, 'fsma204');
      for (const limit of [1, 3]) {
        const rows: Body[] = [];
        let cursor = '';
        do {
          const page = await read(rice, `fsma204?limit=${limit}${cursor}`);
          rows.push(...page['rows']);
          cursor = page['nextCursor'] === null ? '' : `&cursor=${page['nextCursor']}`;
        } while (cursor !== '');
        expect(rows).toEqual(whole['rows']);
      }
      const lines = (await csv(rice, 'fsma204?format=csv')).text.trimEnd().split('\r\n');
      expect(lines[0]).toMatch(
        /^\uFEFFEvent ID,CTE,Event date,Event time zone,TLC,Internal lot code,Product description,GTIN,Quantity,Unit,Location name,/,
      );
      expect(lines).toHaveLength(1 + whole['rows'].length);
      // A phone number begins like a formula.
      expect(lines[1]).toContain(",'+00 000 000 000,");
    });

    it('of one lot is what happened to it, in its container too', async () => {
      const { rows } = await read(rice, 'fsma204?tlc=RP262641');
      expect(rows.map(({ eventDate }: Body) => eventDate)).toEqual(['2026-09-21', '2026-09-21', '2026-09-22', '2026-10-24', '2026-10-25']);
      expect(await read(rice, 'fsma204?tlc=unheard-of')).toMatchObject({ rows: [], truncated: false });
      expect((await read(rice, 'fsma204?tlc=RP262641&from=2026-10-01&to=2026-10-25'))['rows']).toHaveLength(1);
    });
  });

  describe('suppliers', () => {
    it('of rice: what each recorded, handed over and documented', async () => {
      const report = await read(rice, 'suppliers');
      const of = (name: string): Body => report['organizations'].find((one: Body) => one['name'] === name);
      expect(report['summary'].massSuppliedKg).toBe(8000 + 4000 + 7000);
      expect(of('Example Farm A')).toMatchObject({
        n: { events: 1, lots: 1, transfersOut: 1, answered: 1, accepted: 1, kdeEvents: 1, transformations: 0 },
        massSuppliedKg: 8000,
        // Recorded weeks after the harvest; a harvest has no mass balance and asks for no document.
        metrics: {
          acceptanceRate: 1,
          onTimeAcceptance: 1,
          recordingOnTime: 0,
          kdeCompleteness: 1,
          documentCoverage: null,
          massBalanceConformity: null,
          yieldIndex: null,
          carbonPerKg: null,
        },
        score: null,
        grade: null,
      });
      // Drying, milling, packing, palletising, shipping, disposal; 1 + 4 + 1 lots; the pallet went out with 1400 bags.
      expect(of('Example Mill')).toMatchObject({
        n: { events: 6, lots: 6, transfersOut: 1, timedEvents: 6, kdeEvents: 5, documentEvents: 2, transformations: 3 },
        massSuppliedKg: 7000,
        metrics: {
          acceptanceRate: 1,
          recordingOnTime: 0,
          kdeCompleteness: 1,
          documentCoverage: 1,
          pointerMatch: null,
          massBalanceConformity: 1,
          recallRate: 0,
          affectedRate: 0,
          yieldIndex: 1,
          // (320 + 240 + 175) kgCO2e over (10775 + 7004 + 7000) kg
          carbonPerKg: 0.029662,
        },
        // With five observations at least: (.25 × 1 + .20 × 0 + .05 × 1) / .50
        score: 60,
        grade: 'C',
      });
      expect(of('Example Distributor')).toMatchObject({
        n: { events: 2, lots: 0, transfersOut: 0 },
        massSuppliedKg: 0,
        metrics: { acceptanceRate: null, recallRate: null },
      });
      expect(of('Example Mill')['metrics'].medianRecordingDelaySeconds).toBeGreaterThan(86_400);
    });

    it('holds data references that do not match against whoever recorded them', async () => {
      const mill = await orgIdOf(rice, 'Example Mill');
      await Promise.all(
        [1, 2, 3, 4, 5, 6].map((n) =>
          checked('rice', mill, { id: `p${n}`, kind: 'cid', subject: `e${n}`, value: `v${n}`, matches: n > 1 }),
        ),
      );
      const { organizations } = await read(rice, `suppliers/${mill}`);
      // (.25 × 1 + .20 × 0 + .10 × 5/6 + .05 × 1) / .60
      expect(organizations[0]).toMatchObject({ n: { pointers: 6 }, metrics: { pointerMatch: 0.833333 }, score: 63.888883, grade: 'C' });
    });

    it('of wool: what went from hand to hand', async () => {
      const report = await read(wool, 'suppliers');
      expect(Object.fromEntries(report['organizations'].map((one: Body) => [one['name'], one['massSuppliedKg']]))).toMatchObject({
        'Example Station': 2880,
        'Example Scour': 1900,
        'Example Spinner': 820,
        // 2080 m of 0.375 kg
        'Example Weaver': 780,
        'Example Tailor': 650,
        'Example Distributor': 0,
      });
    });

    it('of one organisation, and for the administrator of that one', async () => {
      const mill = await orgIdOf(rice, 'Example Mill');
      const report = await read(rice, `suppliers/${mill}`);
      expect(report).toMatchObject({ orgId: mill, total: 1, organizations: [{ orgId: mill, metrics: { yieldIndex: 1 } }] });
      const lines = (await csv(rice, `suppliers/${mill}?format=csv`)).text.trimEnd().split('\r\n');
      expect(lines[1]).toMatch(new RegExp(`^${mill},Example Mill,,,63\\.888883,C,7000,1,1,`));
      await expect(read(wool, `suppliers/${mill}`)).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
    });
  });

  describe('of any kind', () => {
    it('is a table with format=csv, every row of it, and a page of it with a limit', async () => {
      const whole = await csv(wool, 'yield?format=csv');
      expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(whole.headers.get('content-disposition')).toBe('attachment; filename="yield-wool.csv"');
      expect(whole.headers.get('link')).toBeNull();
      expect(whole.text.startsWith('\uFEFFprocessType,label,n,unmeasured,inputKg,')).toBe(true);
      expect(whole.text.endsWith('\r\n')).toBe(true);
      const lines = whole.text.trimEnd().split('\r\n');
      expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(WOOL_PROCESSES);
      const page = await csv(wool, 'yield?format=csv&limit=2&from=2026-01-01');
      expect(page.text.trimEnd().split('\r\n').slice(0, 3)).toEqual(lines.slice(0, 3));
      const next = /^<(\?.+)>; rel="next"$/.exec(page.headers.get('link')!)![1]!;
      const following = await csv(wool, `yield${next}`);
      expect(following.text.trimEnd().split('\r\n').slice(1)).toEqual(lines.slice(3, 5));
    });

    it('says what was left out, and goes on there', async () => {
      const first = await read(wool, 'yield?limit=2');
      expect(first).toMatchObject({ limit: 2, total: 5, truncated: true, summary: { processes: 5, n: 5 } });
      const second = await read(wool, `yield?limit=4&cursor=${first['nextCursor']}`);
      expect(second).toMatchObject({ truncated: false, nextCursor: null });
      expect([...first['processes'], ...second['processes']].map((one: Body) => one['processType'])).toEqual(WOOL_PROCESSES);
    });

    it('is the same again, but for the time', async () => {
      const { generatedAt: _, ...one } = await read(rice, 'yield');
      const { generatedAt: __, ...other } = await read(rice, 'yield');
      expect(one).toEqual(other);
      expect(one['asOf'].blockNumber).toBeGreaterThan(0);
    });

    it('is of the period that was asked for', async () => {
      const of = async (query: string): Promise<string[]> =>
        (await read(rice, `yield?${query}`))['processes'].map((one: Body) => one['processType']);
      expect(await of('from=2026-09-20T15:00:00Z&to=2026-09-21T06:00:00Z')).toEqual(['RICE_MILLING']);
      expect(await of('from=2026-09-20T15:00:00.001Z')).toEqual(['RICE_PACKING']);
      expect(await of('from=1000-01-01&to=2999-12-31')).toEqual(['RICE_DRYING', 'RICE_MILLING', 'RICE_PACKING']);
      expect(await read(rice, 'yield?from=2030-01-01')).toMatchObject({ processes: [], total: 0, summary: { processes: 0, n: 0 } });
    });

    it('is of one organisation', async () => {
      const [mill, farm] = await Promise.all([orgIdOf(rice, 'Example Mill'), orgIdOf(rice, 'Example Farm A')]);
      expect(await read(rice, `yield?orgId=${mill}`)).toMatchObject({ orgId: mill, summary: { n: 3 } });
      expect(await read(rice, `yield?orgId=${farm}`)).toMatchObject({ orgId: farm, processes: [] });
      await expect(read(wool, `yield?orgId=${mill}`)).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
      await expect(read(rice, 'yield?orgId=nobody')).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
    });

    it.each([
      ['yield?format=pdf', 'malformed_request'],
      ['yield?limit=0', 'malformed_request'],
      ['yield?limit=1001', 'malformed_request'],
      ['yield?from=yesterday', 'malformed_request'],
      ['yield?from=2026-09-20T15:00:00', 'malformed_request'],
      ['yield?from=2027-01-01&to=2026-01-01', 'malformed_request'],
      ['yield?cursor=x', 'malformed_request'],
    ])('refuses %s', async (path, code) => {
      await expect(read(rice, path)).rejects.toMatchObject({ status: 400, code });
    });

    it('refuses the cursor of another question, and knows no other report', async () => {
      const { nextCursor } = await read(wool, 'yield?limit=2');
      await expect(read(wool, `yield?from=2026-01-01&cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
      await expect(read(rice, `yield?cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
      await expect(read(rice, 'profits')).rejects.toMatchObject({ status: 404, code: 'route_not_found' });
    });

    it('is for those who may read it, with a bearer or a key', async () => {
      const mill = await orgIdOf(rice, 'Example Mill');
      const key = async (body: object) => {
        const { secret } = await rice.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads reports', ...body });
        return (path: string) => fetch(`${world.baseUrl}/api/v1/reports/${path}`, { headers: { 'x-api-key': secret } });
      };
      const [auditor, operator, admin] = [
        await key({ roles: ['AUDITOR'] }),
        await key({ roles: ['OPERATOR'] }),
        await key({ roles: ['ADMIN'], orgId: mill }),
      ];
      expect(await (await auditor('yield')).json()).toMatchObject({ orgId: null, summary: { n: 3 } });
      expect((await operator('yield')).status).toBe(403);
      expect(await (await admin('yield')).json()).toMatchObject({ orgId: mill, summary: { n: 3 } });
      const other = await admin(`yield?orgId=${await orgIdOf(rice, 'Example Farm A')}`);
      expect([other.status, ((await other.json()) as Body)['code']]).toEqual([403, 'own_organisation_only']);
      const scoped = await key({ roles: ['AUDITOR'], roleScopes: { AUDITOR: ['*_MILLING'] } });
      expect(await (await scoped('yield')).json()).toMatchObject({ processes: [{ processType: 'RICE_MILLING' }], total: 1 });
      expect(await (await (await key({ roles: ['AUDITOR'], roleScopes: { AUDITOR: [] } }))('yield')).json()).toMatchObject({
        processes: [],
      });
    });
  });

  describe('of odd facts', () => {
    const DRUM = 'ODD_DRUM';
    let station: Company;

    beforeAll(async () => {
      await wool.post('/api/v1/process-maps', ODD_MAP);
      station = await world.company('wool', 'station');
      const waybill = (words: object) => ({ documents: [{ type: 'WAYBILL', number: '=1+1', ...words }] });
      const record = async (processType: string, outputTlc: string, metadata: object, inputTokenIds: number[] = []): Promise<number> => {
        const eventTime = new Date(Date.now() - 60_000).toISOString();
        const event = { processType, outputTlc, inputTokenIds, metadata: { eventTime, ...metadata } };
        await station.land((await station.api.events.prepare(event)).preparedTx, 'event');
        return (await wool.lots.byTlc(outputTlc)).tokenId;
      };
      await record('ODD_FILLING', 'ODD-NONE', waybill({ sha256: 'a'.repeat(64), validTo: '2020-01-01' }));
      const litres = await record('ODD_FILLING', 'ODD-LITRES', { quantity: { value: 50, uom: 'LTR' } });
      await record('ODD_FILLING', 'ODD-KILOS', { quantity: { value: 30, uom: 'KGM' }, ...waybill({ sha256: 'b'.repeat(64) }) });
      await record('ODD_BLENDING', 'ODD-BLEND', { quantity: { value: 45, uom: 'LTR' } }, [litres]);
    });

    it('adds no litres to kilograms, counts lots without a unit, and knows no place where none was said', async () => {
      const { locations } = await read(wool, 'inventory');
      expect(locations.at(-1)).toMatchObject({ locationKey: 'unknown', location: null, custodians: [{ label: 'Example Station' }] });
      expect(locations.at(-1).items).toMatchObject([
        { assetType: DRUM, lots: 3, quantity: { LTR: 45, KGM: 30 }, massKg: 30, unmeasuredLots: 2, byStatus: { active: 3 } },
      ]);
    });

    it('has no yield of what has no mass, and says how many events that are', async () => {
      const { processes } = await read(wool, 'yield');
      expect(processes.find((one: Body) => one['processType'] === 'ODD_BLENDING')).toMatchObject({
        n: 0,
        unmeasured: 1,
        inputKg: 0,
        yield: null,
        gapRatio: null,
        distribution: { min: null, p10: null, median: null, p90: null, max: null, mean: null, sd: null },
        expected: null,
        outlierCount: 0,
        byMonth: [],
      });
      const { text } = await csv(wool, 'yield?format=csv');
      expect(text).toContain('\r\nODD_BLENDING,Blend,0,1,0,0,0,0,0,,,,,,,,,,,,,0\r\n');
      expect(text).not.toMatch(/NaN|null|undefined/);
    });

    it('names documents that contradict each other, that ran out, and that are missing', async () => {
      const { documents, missing, summary } = await read(wool, 'documents');
      expect(documents.find((one: Body) => one['type'] === 'WAYBILL')).toMatchObject({
        number: '=1+1',
        status: 'expired',
        conflict: true,
        uses: 2,
      });
      expect(summary).toMatchObject({
        conflicts: 1,
        byStatus: { expired: 1, undated: 3 },
        required: 8,
        present: 6,
        missing: 2,
        coverage: 0.75,
      });
      expect(missing.map(({ processType, type }: Body) => [processType, type])).toEqual([
        ['ODD_BLENDING', 'WAYBILL'],
        ['ODD_FILLING', 'WAYBILL'],
      ]);
      expect((await csv(wool, 'documents?format=csv')).text).toContain(",WAYBILL,'=1+1,");
      // The file of one event is what its hash says; then that of the other turns out not to be.
      const { usedBy } = documents.find((one: Body) => one['type'] === 'WAYBILL');
      const verification = async (): Promise<unknown> =>
        (await read(wool, 'documents'))['documents'].find((one: Body) => one['type'] === 'WAYBILL').verification;
      const file = { kind: 'document', value: 'b'.repeat(64) };
      await checked('wool', 'nobody', { ...file, id: 'd1', subject: usedBy[0].eventId, matches: true });
      expect(await verification()).toBe('verified');
      await checked('wool', 'nobody', { ...file, id: 'd2', subject: usedBy[1].eventId, matches: false });
      expect(await verification()).toBe('mismatch');
    });

    it('has rows in the sheet for events without a place and lots without a unit', async () => {
      const { rows } = await read(wool, 'fsma204?tlc=ODD-NONE');
      expect(rows).toMatchObject([{ tlc: 'ODD-NONE', quantity: null, unit: null, locationName: null, previousSourceName: null }]);
    });

    it('holds a recall against who made the lot, and what it affects against nobody', async () => {
      const { tokenId } = await wool.lots.byTlc('WC-20260410-01');
      const { preparedTx } = await wool.post<{ preparedTx: PreparedTx }>(`/api/v1/nfts/${tokenId}/recall/prepare`, { reason: 'residues' });
      await new Sender(world.node.url, new Wallet(world.tenant('wool').admin.privateKey)).sendAndWait(preparedTx);
      await eventually('the recall', async () => (await wool.lots.get(tokenId)).status === 'recalled');
      const rates = async (name: string): Promise<(number | null)[]> => {
        const { organizations } = await read(wool, `suppliers/${await orgIdOf(wool, name)}`);
        return [organizations[0].metrics.recallRate, organizations[0].metrics.affectedRate];
      };
      // One of two lots that scouring made; yarn and noil, fabric, jackets follow from it.
      expect(await rates('Example Scour')).toEqual([0.5, 0]);
      expect(await rates('Example Spinner')).toEqual([0, 1]);
      expect(await rates('Example Tailor')).toEqual([0, 1]);
      const { locations } = await read(wool, 'inventory');
      expect(locations.find((one: Body) => one['location']?.name === 'Example Spinner').totals).toMatchObject({ lots: 2, recalledLots: 1 });
    });

    it('of a tenant where nothing happened yet is empty, and no error', async () => {
      const { service } = world;
      const make = { strict: false } as const;
      const { id } = await service.app.get(CreateTenant, make).create({ slug: 'empty', name: 'Empty', environment: 'sandbox' });
      const { text: secret } = await service.app.get(CreateApiKey, make).create(id, { name: 'reads', roles: ['AUDITOR'] }, null);
      for (const [name, rows] of Object.entries({
        documents: 'documents',
        fsma204: 'rows',
        inventory: 'locations',
        suppliers: 'organizations',
        yield: 'processes',
      })) {
        const answer = await fetch(`${world.baseUrl}/api/v1/reports/${name}`, { headers: { 'x-api-key': secret } });
        expect(await answer.json()).toMatchObject({ report: name, tenantId: 'empty', truncated: false, nextCursor: null, [rows]: [] });
      }
    });
  });

  /** What a large tenant's reports stand on says the same as its events. */
  describe('from days that are kept', () => {
    /** Periods that begin and end within a day, one within a single day, whole days, open ones, and years that nobody lives in. */
    const ANYTIME = [
      '',
      'from=2026-04-10&to=2026-06-16',
      'from=2026-03-04T11:00:00Z&to=2026-06-15T09:00:00%2B10:00',
      'from=2026-04-10T00:00:00Z&to=2026-04-10T23:00:00Z',
      'from=2026-04-10T03:00:00Z&to=2026-04-10T03:00:00Z',
      'to=2026-05-20T05:30:00Z',
      'from=0001-01-01&to=9999-12-31',
      'from=2031-01-01',
    ];
    const follow = async (slug: string): Promise<void> => {
      const { uuid } = await tenantOf(slug);
      const get = <T>(type: abstract new (...asked: never[]) => T): T => world.service.app.get<T>(type, { strict: false });
      await followerOf(get(UnitOfWork), get(ChainProfile), get(ChainHead)).follow(uuid);
    };
    const answers = async (questions: readonly string[]): Promise<Body[]> => {
      const all: Body[] = [];
      for (const name of ['yield', 'suppliers', 'inventory', 'documents'])
        for (const question of questions) {
          const { generatedAt: _, asOf: __, ...answer } = await read(wool, `${name}?${question}`);
          // Lots grow older between two questions.
          all.push(JSON.parse(JSON.stringify(answer, (key, value) => (key === 'oldestLotAgeSeconds' ? typeof value : value))));
        }
      return all;
    };
    const forget = (): Promise<unknown> =>
      world.database.unitOfWork.asSystem((tx) =>
        tx.sql(
          'update reports.fact_walk set as_of_head = null; update reports.stock_walk set as_of_head = null; update reports.transfer_walk set as_of_head = null',
        ),
      );
    const kept = async (): Promise<number> => {
      const [row] = await world.database.unitOfWork.asSystem((tx) =>
        tx.sql<{ n: string }>(
          'select count(*) as n from reports.fact_walk join reports.stock_walk s using (tenant_id) join reports.transfer_walk t using (tenant_id) where fact_walk.as_of_head + s.as_of_head + t.as_of_head > 0',
        ),
      );
      return Number(row!.n);
    };

    it('of any period, organisation and scope', async () => {
      const spinner = await orgIdOf(wool, 'Example Spinner');
      const questions = [...ANYTIME, `orgId=${spinner}`, `orgId=${spinner}&from=2026-05-01T00:00:01Z`];
      const { secret } = await wool.post<{ secret: string }>('/api/v1/api-keys', {
        name: 'scoped',
        roles: ['AUDITOR'],
        roleScopes: { AUDITOR: ['wool_sp*', 'wool_we*'] },
      });
      const scoped = async (): Promise<Body> => {
        const [yields, documents] = await Promise.all(
          ['yield', 'documents'].map(async (name) => {
            const answer = await fetch(`${world.baseUrl}/api/v1/reports/${name}`, { headers: { 'x-api-key': secret } });
            return (await answer.json()) as Body;
          }),
        );
        return [yields!['processes'], documents!['documents'], documents!['summary']];
      };
      const asked = [await answers(questions), await scoped()];
      await follow('wool');
      expect(await kept()).toBe(1);
      expect([await answers(questions), await scoped()]).toEqual(asked);
    });

    it('of lots in containers, on hold and past their date', async () => {
      const { uuid } = await tenantOf('rice');
      const sql = (text: string): Promise<Body[]> => world.database.unitOfWork.asSystem((tx) => tx.sql<Body>(text, [uuid]));
      const inventory = async (): Promise<Body> => {
        const { generatedAt: _, asOf: __, ...answer } = await read(rice, 'inventory');
        return JSON.parse(JSON.stringify(answer, (key, value) => (key === 'oldestLotAgeSeconds' ? typeof value : value))) as Body;
      };
      /** What the lots say now, and so do the cells. */
      const both = async (): Promise<Body> => {
        await forget();
        const fromLots = await inventory();
        await follow('rice');
        expect(await inventory()).toEqual(fromLots);
        return fromLots['summary'] as Body;
      };
      const before = await both();
      const lot = `from reports.stock_lot s where s.tenant_id = $1 and s.token_id = (
        select max(token_id) from reports.stock_lot where tenant_id = $1 and not held)`;
      await sql(
        `insert into traceability.lot_hold (tenant_id, token_id, held_at, reason) select tenant_id, token_id, now(), 'sampled' ${lot}`,
      );
      const held = await both();
      expect(held['byStatus']).not.toEqual(before['byStatus']);
      await sql(`delete from traceability.lot_hold where tenant_id = $1`);
      expect(await both()).toEqual(before);
      // A day passes for one lot: what its date is does not change, so both are told.
      for (const table of ['traceability.lot', 'reports.stock_lot'])
        await sql(`update ${table} set expires_at = now() - interval '1 day' where tenant_id = $1
          and token_id = (select min(token_id) from reports.stock_lot where tenant_id = $1)`);
      expect(await both()).toMatchObject({ lots: before['lots'], expiredLots: before['expiredLots'] + 1 });
      await forget();
    });

    it('after more was recorded, corrected and undone', async () => {
      const [station, spinner] = await Promise.all([world.company('wool', 'station'), world.company('wool', 'spinner')]);
      const eventTime = new Date(Date.now() - 60_000).toISOString();
      // One document of two organisations, whose later words count; and another of its type and number.
      const record = async (by: Company, outputTlc: string, documents: object[]): Promise<void> => {
        const metadata = { eventTime, quantity: { value: 30, uom: 'KGM' }, documents };
        const { preparedTx } = await by.api.events.prepare({ processType: 'ODD_FILLING', outputTlc, inputTokenIds: [], metadata });
        await by.land(preparedTx, 'event');
      };
      const waybill = { type: 'WAYBILL', number: '=1+1' };
      await record(spinner, 'ODD-BESIDE', [waybill]);
      await record(station, 'ODD-LATER', [
        { ...waybill, validTo: '2999-12-31' },
        { ...waybill, issuer: 'Port', sha256: 'c'.repeat(64) },
      ]);
      const QUESTIONS = [...ANYTIME, `orgId=${await orgIdOf(wool, 'Example Spinner')}`, `orgId=${await orgIdOf(wool, 'Example Station')}`];
      await follow('wool');
      const withMore = await answers(QUESTIONS);
      const waybills = async (): Promise<unknown[]> =>
        (await read(wool, 'documents'))['documents']
          .filter(({ type }: Body) => type === 'WAYBILL')
          .map(({ issuer, status, conflict, uses }: Body) => [issuer, status, conflict, uses]);
      expect(await waybills()).toEqual([
        [null, 'valid', true, 4],
        ['Port', 'undated', true, 1],
      ]);
      await forget();
      expect(await answers(QUESTIONS)).toEqual(withMore);
      // A block is undone: what was in it does not count until it has landed again.
      const { uuid } = await tenantOf('wool');
      const sql = (text: string, ...more: unknown[]): Promise<Body[]> =>
        world.database.unitOfWork.asSystem((tx) => tx.sql<Body>(text, [uuid, 'ODD-LATER', ...more]));
      const which = 'where tenant_id = $1 and output_tlc = $2';
      const [{ block_number }] = (await sql(`select block_number from traceability.event ${which}`)) as [Body];
      const standsIn = async (block: string | null): Promise<void> => {
        await sql(`update traceability.event set block_number = $3 ${which}`, block);
        await sql(`insert into reports.open_fact select tenant_id, id from traceability.event ${which} on conflict do nothing`);
        await sql('update reports.fact_walk set seen_head = null where tenant_id = $1 and $2 <> $1::text');
        await follow('wool');
      };
      await standsIn(null);
      const without = await answers(QUESTIONS);
      expect(without).not.toEqual(withMore);
      expect(await waybills()).toEqual([[null, 'expired', true, 3]]);
      await forget();
      expect(await answers(QUESTIONS)).toEqual(without);
      await standsIn(block_number);
      expect(await answers(QUESTIONS)).toEqual(withMore);
      // A hand-over that is undone, and lands again.
      const { tokenId } = await wool.lots.byTlc('ODD-LATER');
      const offer = await station.api.custody.prepare({ action: 'offer', tokenIds: [tokenId], to: spinner.address });
      await station.land(offer.preparedTx, 'custody');
      const accept = await spinner.api.custody.prepare({ action: 'accept', tokenIds: [tokenId] });
      await spinner.land(accept.preparedTx, 'custody');
      await follow('wool');
      const handedOver = await answers(QUESTIONS);
      await forget();
      expect(await answers(QUESTIONS)).toEqual(handedOver);
      const handed = 'where tenant_id = $1 and token_id = (select max(token_id) from traceability.lot where tenant_id = $1 and tlc = $2)';
      const [{ closed_block, closed_at }] = (await sql(`select closed_block, closed_at from custody.transfer ${handed}`)) as [Body];
      const endsIn = async (status: string, block: string | null, at: Date | null): Promise<void> => {
        await sql(`update custody.transfer set status = $3, closed_block = $4, closed_at = $5 ${handed}`, status, block, at);
        await sql(`update reports.transfer_fact set open = true ${handed}`);
        await sql('update reports.transfer_walk set seen_head = null, place = null where tenant_id = $1 and $2 <> $1::text');
        await follow('wool');
      };
      await endsIn('pending', null, null);
      const offered = (await answers(QUESTIONS)).filter(({ report }) => report === 'suppliers');
      expect(offered).toEqual(withMore.filter(({ report }) => report === 'suppliers'));
      await endsIn('accepted', closed_block, closed_at);
      expect(await answers(QUESTIONS)).toEqual(handedOver);
      // Its content is not there yet, and when it comes the days know without another block.
      await sql(`update traceability.event set resolved = false, event_time = null, content_next_at = 'infinity' ${which}`);
      await standsIn(block_number);
      const unread = await answers(QUESTIONS);
      expect(unread).not.toEqual(withMore);
      await forget();
      expect(await answers(QUESTIONS)).toEqual(unread);
      await follow('wool');
      await sql(`update traceability.event set content_next_at = null ${which}`);
      await eventually('the content', async () => (await sql(`select from traceability.event ${which} and resolved`)).length > 0);
      await follow('wool');
      expect(await answers(QUESTIONS)).toEqual(handedOver);
      await forget();
    });
  });
});
