import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { verifyBundle } from '#passports';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openBrowser, openPage } from '../harness/browser.js';
import { runCommand } from '../harness/command-line.js';
import { eventually } from '../harness/eventually.js';
import { accessibilityFaults } from '../harness/portal-visit.js';
import { JACKET, LINK, ask, chromium, inBrowser, journey, passportAt, shown, statusOf } from './passports-journey.js';
import { type Json, administrator, codeOf } from './rice-trade.js';

export function passportLifecycleSuite(): void {
  describe('a static export', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trace-export-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const command = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCommand(args, journey.world.environment);
      return `${code} ${stdout}${stderr}`.trim();
    };

    it('has page, JSON, linkset, label and evidence of every passport; the command verifies the evidence', async () => {
      const { passportId: id } = await shown(LINK);
      const exported = await command(
        'export-passports',
        'rice',
        folder,
        '--base-url',
        'https://files.example/rice/',
        '--rpc',
        journey.world.node.url,
      );
      expect(exported).toBe(`0 1 passports in ${folder}; 0 withdrawn passports omitted.`);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted()).toEqual(
        [
          ...['index.html', 'linkset.json', 'passport.json'].flatMap((name) => [`p/${id}/${name}`, `${LINK.slice(1)}/${name}`]),
          ...[`p/${id}/label.svg`, `p/${id}/bundle.json`, 'verify/index.html'],
        ].toSorted(),
      );
      const page = readFileSync(join(folder, 'p', id as string, 'index.html'), 'utf8');
      expect(page).toContain(`https://files.example/rice${LINK}`);
      expect(page).not.toContain(journey.world.baseUrl);
      const bundle = join(folder, 'p', id as string, 'bundle.json');
      expect(await command('verify', bundle, '--rpc', journey.world.node.url)).toMatch(
        /^0 [\s\S]*Every link that could be checked is valid\.$/,
      );
      writeFileSync(bundle, readFileSync(bundle, 'utf8').replace('RP262641', 'RP262642'));
      expect(await command('verify', bundle)).toMatch(/^1 [\s\S]*BROKEN[\s\S]*The file is not valid\.$/);
      const { linkset } = JSON.parse(readFileSync(join(folder, 'p', id as string, 'linkset.json'), 'utf8')) as { linkset: Json[] };
      const json = (linkset[0]!['https://ref.gs1.org/voc/dpp'] as Json[]).find(({ type }) => type === 'application/json')![
        'href'
      ] as string;
      expect(readFileSync(join(folder, json.slice('https://files.example/rice/'.length)), 'utf8')).toContain(`"passportId":"${id}"`);
    });
  });

  describe('the passport of a lot', () => {
    it('shows a recall first, without caching, and is not withdrawn while the lot is recalled', async () => {
      const { passportId: id, version } = await shown(LINK);
      const tokenId = await journey.trade.tokenOf('RP262641');
      await journey.trade.land(
        journey.trade.admin,
        journey.trade.recall(journey.trade.admin, tokenId, { reason: 'Glass <found>', recallClass: 'I', instructions: 'Bring it back.' }),
      );
      const recalled = await eventually('the recall', async () => {
        const passport = await shown(LINK);
        return passport['passportStatus'] === 'recalled' ? passport : undefined;
      });
      expect(recalled['recalls']).toEqual([
        { recallClass: 'I', reason: 'Glass <found>', instructions: 'Bring it back.', date: expect.any(String) },
      ]);
      expect(recalled['version']).toBeGreaterThan(Number(version));
      const page = await ask(LINK, { accept: 'text/html' });
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const text = await page.text();
      expect(text).toContain('Glass &lt;found&gt;');
      expect(text.indexOf('Recalled: do not use')).toBeLessThan(text.indexOf('<h1'));
      expect(text).not.toContain('<script');
      expect(await codeOf(journey.trade.api.post(`/api/v1/passports/${id}/withdraw`, { reason: 'no longer' }))).toBe(
        '409 passport_recalled',
      );
    });

    it('can be withdrawn and published again', async () => {
      const { passportId: id } = await shown(JACKET);
      await journey.wool.post(`/api/v1/passports/${id}/withdraw`, { reason: 'a wrong photo' });
      await eventually('410', async () => (await statusOf(`/p/${id}`)) === '410 passport_withdrawn');
      expect(await statusOf(JACKET)).toBe('410 passport_withdrawn');
      const page = await ask(JACKET, { accept: 'text/html' });
      expect([page.status, (await page.text()).includes('a wrong photo')]).toEqual([410, false]);
      await journey.wool.post(`/api/v1/passports/${id}/reinstate`);
      await shown(JACKET);
    });

    it('shows that the lot is retired, with reason and month', async () => {
      const { version } = await shown(JACKET);
      const dist = await journey.world.company('wool', 'dist');
      const { tokenId } = await journey.wool.lots.byTlc('JK2630A100');
      const admin = await administrator(journey.world, 'wool');
      const approval = { method: 'setApprovalForAll', metadata: { args: { operator: admin.address, ok: true } } };
      await journey.trade.land(dist, journey.trade.call(dist, approval));
      await journey.trade.land(admin, journey.wool.post<Json>(`/api/v1/nfts/${tokenId}/retire/prepare`, { reason: 'sold' }));
      const retired = await eventually('the end of the jacket', async () => {
        const passport = await shown(JACKET);
        return passport['passportStatus'] === 'retired' ? passport : undefined;
      });
      expect(retired['product'].retired).toEqual({ reason: 'sold', month: expect.stringMatching(/^\d{4}-\d\d$/) });
      expect(retired['version']).toBeGreaterThan(version);
      const page = await (await ask(JACKET, { accept: 'text/html' })).text();
      expect(page).toContain('This lot left the supply chain in');
    });

    it('shows that the event was voided; the code and its address go to the next lot with this code', async () => {
      const link = '/01/09520123450014/10/RP262650';
      const pack = async (from: object): Promise<Json> =>
        journey.trade.land(
          journey.trade.mill,
          journey.trade.event(journey.trade.mill, journey.trade.packing(from as never, 'RP262650', '2028-03-21')),
        );
      const { lot } = await journey.trade.dried();
      const { outputTlc } = await journey.trade.land(
        journey.trade.mill,
        journey.trade.event(journey.trade.mill, journey.trade.milling(lot)),
      );
      const milled = { tlc: outputTlc as string, tokenId: await journey.trade.tokenOf(outputTlc as string) };
      const { eventId } = await pack(milled);
      const { passportId } = await shown(link);

      await journey.trade.land(
        journey.trade.admin,
        journey.trade.api.post<Json>(`/api/v1/events/${eventId}/void/prepare`, { reason: 'did_not_occur' }),
      );
      const voided = await eventually('the void', async () => {
        const passport = await shown(`/p/${passportId}`);
        return passport['product'].retired ? passport : undefined;
      });
      expect(voided).toMatchObject({ passportStatus: 'retired', product: { retired: { reason: 'voided' } } });
      const page = await (await ask(`/p/${passportId}`, { accept: 'text/html' })).text();
      expect(page).toContain('This record was voided');

      await pack(milled);
      const next = await eventually('the next lot of this code', async () => {
        const passport = await shown(link);
        return passport['passportId'] === passportId ? undefined : passport;
      });
      expect(next).toMatchObject({ passportStatus: 'active', product: { lot: 'RP262650', retired: null } });
      expect(await passportAt(`/p/${passportId}`)).toMatchObject({ passportStatus: 'retired' });
    });

    it('shows corrected content, and its evidence with the correction is valid', async () => {
      const link = '/01/09520123450014/10/RP262650';
      const { mintEventId } = await journey.trade.lot(await journey.trade.tokenOf('RP262650'));
      const { metadata } = await journey.trade.api.get<Json>(`/api/v1/events/${mintEventId}`);
      const description = 'Rice of the second harvest';
      const correction = { metadata: { ...(metadata as Json), productDescription: description } };
      await journey.trade.land(
        journey.trade.admin,
        journey.trade.api.post<Json>(`/api/v1/events/${mintEventId}/supersede/prepare`, correction),
      );
      const { passportId: id } = await eventually('the corrected words', async () => {
        const passport = await shown(link);
        return passport['product'].description === description ? passport : undefined;
      });
      const { url } = await journey.trade.api.post<{ url: string }>(`/api/v1/passports/${id}/bundle-link`);
      const bundle = await (await ask(url.slice(journey.world.baseUrl.length))).text();
      const { ok, links } = await verifyBundle(bundle);
      expect([ok, links.filter(({ state }) => state === 'broken')]).toEqual([true, []]);
      expect((JSON.parse(bundle) as { events: Json[] }).events.map(({ text }) => String(text)).join()).toContain(description);
    });
  });

  describe('a page in a browser', () => {
    inBrowser('is for everybody, on a phone and a desk, in both lights, whatever became of the lot', async () => {
      const browser = await openBrowser(chromium!);
      try {
        const { page, complaints } = await openPage(await browser.newContext());
        for (const [path, says] of [
          [LINK, 'Recalled'],
          [JACKET, 'This lot left the supply chain'],
          ['/01/09520123450014/10/RP262650', 'Active'],
          [`/p/${'0'.repeat(32)}`, 'There is no passport here'],
        ] as const) {
          await page.goto(journey.world.baseUrl + path);
          await page.getByText(says).first().waitFor();
          expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
        }
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    });
  });
}
