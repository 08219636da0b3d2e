import { describe, expect, it } from '@jest/globals';
import type { Body, ReportsWorld } from './reports-world.js';

const WOOL_PROCESSES = ['wool_classing', 'wool_garment_making', 'wool_scouring', 'wool_spinning', 'wool_weaving'];

/** Suppliers, and what holds for the request of every report. */
export function suppliersAndRequests(reports: () => ReportsWorld): void {
  describe('suppliers', () => {
    it('of rice: what each recorded, transferred and documented', async () => {
      const report = await reports().read('rice', 'suppliers');
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
        gradeReason: 'too_few_observations',
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
        gradeReason: null,
      });
      expect(of('Example Distributor')).toMatchObject({
        n: { events: 2, lots: 0, transfersOut: 0 },
        massSuppliedKg: 0,
        metrics: { acceptanceRate: null, recallRate: null },
        grade: null,
        gradeReason: 'nothing_supplied',
      });
      expect(of('Example Mill')['metrics'].medianRecordingDelaySeconds).toBeGreaterThan(86_400);
    });

    it('counts data references that do not match against the organisation that recorded them', async () => {
      const mill = await reports().orgIdOf('rice', 'Example Mill');
      await Promise.all(
        [1, 2, 3, 4, 5, 6].map((n) =>
          reports().savePointer('rice', mill, { id: `p${n}`, kind: 'cid', subject: `e${n}`, value: `v${n}`, matches: n > 1 }),
        ),
      );
      const { organizations } = await reports().read('rice', `suppliers/${mill}`);
      // (.25 × 1 + .20 × 0 + .10 × 5/6 + .05 × 1) / .60
      expect(organizations[0]).toMatchObject({ n: { pointers: 6 }, metrics: { pointerMatch: 0.833333 }, score: 63.888883, grade: 'C' });
    });

    it('of wool: what was transferred', async () => {
      const report = await reports().read('wool', 'suppliers');
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
      const mill = await reports().orgIdOf('rice', 'Example Mill');
      const report = await reports().read('rice', `suppliers/${mill}`);
      expect(report).toMatchObject({ orgId: mill, total: 1, organizations: [{ orgId: mill, metrics: { yieldIndex: 1 } }] });
      const lines = (await reports().csv('rice', `suppliers/${mill}?format=csv`)).text.trimEnd().split('\r\n');
      expect(lines[1]).toMatch(new RegExp(`^${mill},Example Mill,,,63\\.888883,C,7000,1,1,`));
      await expect(reports().read('wool', `suppliers/${mill}`)).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
    });
  });

  describe('of any kind', () => {
    it('is CSV with format=csv: every row, or one page with a limit', async () => {
      const whole = await reports().csv('wool', 'yield?format=csv');
      expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(whole.headers.get('content-disposition')).toBe('attachment; filename="yield-wool.csv"');
      expect(whole.headers.get('link')).toBeNull();
      expect(whole.text.startsWith('\uFEFFprocessType,label,n,unmeasured,inputKg,')).toBe(true);
      expect(whole.text.endsWith('\r\n')).toBe(true);
      const lines = whole.text.trimEnd().split('\r\n');
      expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(WOOL_PROCESSES);
      const page = await reports().csv('wool', 'yield?format=csv&limit=2&from=2026-01-01');
      expect(page.text.trimEnd().split('\r\n').slice(0, 3)).toEqual(lines.slice(0, 3));
      const next = /^<(\?.+)>; rel="next"$/.exec(page.headers.get('link')!)![1]!;
      const following = await reports().csv('wool', `yield${next}`);
      expect(following.text.trimEnd().split('\r\n').slice(1)).toEqual(lines.slice(3, 5));
    });

    it('says that rows were left out, and continues there', async () => {
      const first = await reports().read('wool', 'yield?limit=2');
      expect(first).toMatchObject({ limit: 2, total: 5, truncated: true, summary: { processes: 5, n: 5 } });
      const second = await reports().read('wool', `yield?limit=4&cursor=${first['nextCursor']}`);
      expect(second).toMatchObject({ truncated: false, nextCursor: null });
      expect([...first['processes'], ...second['processes']].map((one: Body) => one['processType'])).toEqual(WOOL_PROCESSES);
    });

    it('is the same again, except for the time', async () => {
      const { generatedAt: _, ...one } = await reports().read('rice', 'yield');
      const { generatedAt: __, ...other } = await reports().read('rice', 'yield');
      expect(one).toEqual(other);
      expect(one['asOf'].blockNumber).toBeGreaterThan(0);
    });

    it('has the rows of the requested period', async () => {
      const of = async (query: string): Promise<string[]> =>
        (await reports().read('rice', `yield?${query}`))['processes'].map((one: Body) => one['processType']);
      expect(await of('from=2026-09-20T15:00:00Z&to=2026-09-21T06:00:00Z')).toEqual(['RICE_MILLING']);
      expect(await of('from=2026-09-20T15:00:00.001Z')).toEqual(['RICE_PACKING']);
      expect(await of('from=1000-01-01&to=2999-12-31')).toEqual(['RICE_DRYING', 'RICE_MILLING', 'RICE_PACKING']);
      expect(await reports().read('rice', 'yield?from=2030-01-01')).toMatchObject({
        processes: [],
        total: 0,
        summary: { processes: 0, n: 0 },
      });
    });

    it('has the rows of one organisation', async () => {
      const [mill, farm] = await Promise.all([reports().orgIdOf('rice', 'Example Mill'), reports().orgIdOf('rice', 'Example Farm A')]);
      expect(await reports().read('rice', `yield?orgId=${mill}`)).toMatchObject({ orgId: mill, summary: { n: 3 } });
      expect(await reports().read('rice', `yield?orgId=${farm}`)).toMatchObject({ orgId: farm, processes: [] });
      await expect(reports().read('wool', `yield?orgId=${mill}`)).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
      await expect(reports().read('rice', 'yield?orgId=nobody')).rejects.toMatchObject({ status: 404, code: 'organisation_not_found' });
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
      await expect(reports().read('rice', path)).rejects.toMatchObject({ status: 400, code });
    });

    it('refuses the cursor of another query, and an unknown report', async () => {
      const { nextCursor } = await reports().read('wool', 'yield?limit=2');
      await expect(reports().read('wool', `yield?from=2026-01-01&cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
      await expect(reports().read('rice', `yield?cursor=${nextCursor}`)).rejects.toMatchObject({ status: 400 });
      await expect(reports().read('rice', 'profits')).rejects.toMatchObject({ status: 404, code: 'route_not_found' });
    });

    it('is for members with the right role, by token or API key', async () => {
      const mill = await reports().orgIdOf('rice', 'Example Mill');
      const key = async (body: object) => {
        const { secret } = await reports().rice.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads reports', ...body });
        return (path: string) => fetch(`${reports().world.baseUrl}/api/v1/reports/${path}`, { headers: { 'x-api-key': secret } });
      };
      const [auditor, operator, admin] = [
        await key({ roles: ['AUDITOR'] }),
        await key({ roles: ['OPERATOR'] }),
        await key({ roles: ['ADMIN'], orgId: mill }),
      ];
      expect(await (await auditor('yield')).json()).toMatchObject({ orgId: null, summary: { n: 3 } });
      expect((await operator('yield')).status).toBe(403);
      expect(await (await admin('yield')).json()).toMatchObject({ orgId: mill, summary: { n: 3 } });
      const other = await admin(`yield?orgId=${await reports().orgIdOf('rice', 'Example Farm A')}`);
      expect([other.status, ((await other.json()) as Body)['code']]).toEqual([403, 'own_organisation_only']);
      const scoped = await key({ roles: ['AUDITOR'], roleScopes: { AUDITOR: ['*_MILLING'] } });
      expect(await (await scoped('yield')).json()).toMatchObject({ processes: [{ processType: 'RICE_MILLING' }], total: 1 });
      expect(await (await (await key({ roles: ['AUDITOR'], roleScopes: { AUDITOR: [] } }))('yield')).json()).toMatchObject({
        processes: [],
      });
    });
  });
}
