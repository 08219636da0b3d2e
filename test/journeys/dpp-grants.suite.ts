import { beforeAll, describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '#persistence';
import { type CellMaker, GTIN } from './dpp-world.js';
import type { Json } from './rice-trade.js';

/** Readers outside of the tenant, with grants. */
export function dppGrantsSuite(makerOf: () => CellMaker): void {
  describe('that are granted to readers outside of the tenant', () => {
    let maker: CellMaker;
    let id: string;
    let other: string;

    const create = (accessClass: string, more: object = {}): Promise<Json> =>
      maker.admin.post<Json>(`/api/v1/passports/${id}/grants`, { accessClass, grantee: 'Recycler', purpose: 'Dismantling', ...more });
    const keyOf = async (accessClass: string): Promise<Json> => create(accessClass, { kind: 'key', expiresInSeconds: 3_600 });
    const at = (path: string, token: string): Promise<Response> =>
      fetch(`${maker.world.baseUrl}/v1/${path}`, { headers: { 'x-dpp-grant': token } });
    const codeAt = async (path: string, token: string): Promise<string> => {
      const answer = await at(path, token);
      return `${answer.status} ${((await answer.json()) as Json)['code']}`;
    };
    const read = async (path: string, token: string): Promise<Json> => {
      const answer = await at(path, token);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
      return (await answer.json()) as Json;
    };
    const set = async (grantId: string, column: string, value: unknown): Promise<void> => {
      const work = maker.world.service.app.get(UnitOfWork, { strict: false });
      const [row] = await work.readAsSystem((tx) =>
        tx.sql<{ tenantId: string }>('select tenant_id as "tenantId" from passports.access_grant where id = $1', [grantId]),
      );
      await work.inTransaction(row!, (tx) => tx.sql(`update passports.access_grant set ${column} = $2 where id = $1`, [grantId, value]));
    };

    beforeAll(async () => {
      maker = makerOf();
      await maker.make('PACK0042');
      await maker.make('PACK0043');
      [id, other] = (await Promise.all(['PACK0042', 'PACK0043'].map((tlc) => maker.passportOf(tlc)))).map((one) => one['id'] as string) as [
        string,
        string,
      ];
    });

    it('show the elements of their class, and no other', async () => {
      const { token: interested } = await keyOf('legitimate_interest');
      const { token: authority } = await keyOf('authority');
      const product = `dppsByProductId/${encodeURIComponent(`https://id.gs1.org/01/${GTIN}/21/PACK0042`)}`;
      for (const path of [`dpps/${id}`, product]) {
        expect(await read(path, interested)).toMatchObject({
          repair: 'REPAIR-VALUE',
          tests: { laboratory: 'LABORATORY-VALUE' },
          stateOfHealth: 98.5,
        });
        expect(await read(path, authority)).toMatchObject({ repair: 'REPAIR-VALUE', tests: { report: 'REPORT-VALUE' } });
        expect(JSON.stringify(await read(path, interested))).not.toMatch(/REPORT-VALUE|SECRET-VALUE|Hall of a person/);
        expect(JSON.stringify(await read(path, authority))).not.toMatch(/SECRET-VALUE|Hall of a person/);
      }
      expect((await read(`dpps/${id}?representation=full`, interested))['elements']).toContainEqual({
        ...{ elementId: 'repair', objectType: 'SingleValuedDataElement', valueDataType: 'xsd:string', value: 'REPAIR-VALUE' },
      });
      const report = `dpps/${id}/elements/${encodeURIComponent("$['tests']['report']")}`;
      expect(await read(report, authority)).toBe('REPORT-VALUE');
      expect(await codeAt(report, interested)).toBe('404 element_not_found');
      const open = await fetch(`${maker.world.baseUrl}/v1/dpps/${id}`);
      expect([open.headers.get('vary')?.includes('x-dpp-grant'), (await open.text()).includes('REPAIR')]).toEqual([true, false]);
    });

    it('open once by a link, however many requests come at the same time', async () => {
      const { token, kind, id: grantId } = await create('legitimate_interest');
      expect(kind).toBe('link');
      const codes = await Promise.all(Array.from({ length: 5 }, () => codeAt(`dpps/${id}`, token)));
      expect(codes.toSorted()).toEqual(['200 undefined', ...Array.from({ length: 4 }, () => '403 grant_used')]);
      expect(await maker.admin.get(`/api/v1/passports/${id}/grants/${grantId}`)).toMatchObject({ uses: 1, usedAt: expect.any(String) });
    });

    it('are refused by code: expired, withdrawn, of another passport, unknown', async () => {
      const [expired, withdrawn] = await Promise.all([keyOf('authority'), keyOf('authority')]);
      expect(await codeAt(`dpps/${other}`, expired['token'])).toBe('403 grant_for_another_passport');
      await set(expired['id'], 'expires_at', new Date(Date.now() - 1));
      expect(await codeAt(`dpps/${id}`, expired['token'])).toBe('403 grant_expired');
      expect(await codeAt(`dpps/${id}`, withdrawn['token'])).toBe('200 undefined');
      await maker.admin.request('DELETE', `/api/v1/passports/${id}/grants/${withdrawn['id']}`);
      expect(await codeAt(`dpps/${id}`, withdrawn['token'])).toBe('403 grant_withdrawn');
      await maker.admin.request('DELETE', `/api/v1/passports/${id}/grants/${withdrawn['id']}`);
      for (const token of [`dpg_${'a'.repeat(43)}`, 'x', `${withdrawn['token']}x`])
        expect(await codeAt(`dpps/${id}`, token)).toBe('403 grant_unknown');
      const answer = await maker.admin.answer('DELETE', `/api/v1/passports/${other}/grants/${withdrawn['id']}`);
      expect([answer.status, ((await answer.json()) as Json)['code']]).toEqual([404, 'grant_not_found']);
      expect((await maker.mill.api.answer('POST', `/api/v1/passports/${id}/grants`, {})).status).toBe(403);
      expect((await maker.admin.answer('POST', `/api/v1/passports/${id}/grants`, { accessClass: 'restricted' })).status).toBe(400);
    });

    it('have a page, which only its button uses up', async () => {
      const { url, token } = await create('legitimate_interest', { purpose: 'To <b>repair</b>' });
      const page = async (more = ''): Promise<[number, string]> => {
        const answer = await fetch(url + more, { headers: { accept: 'text/html', 'accept-language': 'de' } });
        expect(answer.headers.get('cache-control')).toBe('private, no-store');
        return [answer.status, await answer.text()];
      };
      for (let times = 0; times < 2; times++) {
        const [status, text] = await page();
        expect([status, text.includes('To &lt;b&gt;repair'), text.includes('REPAIR-VALUE'), text.includes(token)]).toEqual([
          200,
          true,
          false,
          true,
        ]);
      }
      const [status, opened] = await page('&open=yes');
      expect([status, opened.includes('REPAIR-VALUE'), opened.includes('REPORT-VALUE'), opened.includes(token)]).toEqual([
        200,
        true,
        false,
        false,
      ]);
      const [refused, text] = await page('&open=yes');
      expect([refused, text.includes('Dieser Link öffnet den Pass nicht')]).toEqual([403, true]);
    });

    it('are in the audit log, without their tokens', async () => {
      const { token, id: grantId } = await keyOf('authority');
      for (let times = 0; times < 3; times++) await read(`dpps/${id}`, token);
      const { data } = await maker.admin.get<{ data: Json[] }>('/api/v1/audit?limit=100');
      const entries = data.filter(({ subject }) => subject === grantId);
      expect(entries.map(({ action, actorKind }) => [action, actorKind])).toEqual([
        ['passport.grant_used', 'grant'],
        ['passport.grant_created', 'user'],
      ]);
      expect(entries[0]!['details']).toMatchObject({
        passportId: id,
        accessClass: 'authority',
        grantee: 'Recycler',
        purpose: 'Dismantling',
      });
      expect(JSON.stringify(data)).not.toContain('dpg_');
      expect((await maker.admin.get<Json>(`/api/v1/passports/${id}/grants`))['data'][0]).toMatchObject({ id: grantId, uses: 3 });
    });
  });
}
