import { describe, expect, it } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { JACKET, LINK, ask, journey, passportAt, settings, shown, statusOf } from './passports-journey.js';
import type { Json } from './rice-trade.js';

const HTML = { accept: 'text/html' };

/** After the passports are issued. the jacket of the wool tenant has the key of the rice meanwhile. */
export function passportChoicesSuite(): void {
  describe('a Digital Link of several tenants', () => {
    const move = (from: string, to: string): Promise<unknown> =>
      journey.world.database.unitOfWork.asSystem((tx) =>
        tx.sql(
          `update passports.passport p set link = $2 from identity.tenant_v1 t where t.tenant_id = p.tenant_id and t.slug = 'wool' and p.link = $1`,
          [from, to],
        ),
      );
    const digitalLinks = async (): Promise<unknown[]> => {
      const tokenId = await journey.trade.tokenOf('RP262641');
      const { passportId } = await passportAt(`${LINK}?tenant=rice`);
      const { data } = await journey.trade.api.get<{ data: Json[] }>('/api/v1/passports');
      return [
        (await passportAt(`/p/${passportId}`))['links'].digitalLink,
        data.find(({ id }) => id === passportId)!['digitalLink'],
        (await journey.trade.api.get<Json>(`/api/v1/passports/${passportId}`))['digitalLink'],
        (await journey.trade.api.get<Json>(`/api/v1/nfts/${tokenId}/passport`))['links'].digitalLink,
      ];
    };
    const all = (link: string): string[] => Array.from({ length: 4 }, () => `${journey.world.baseUrl}${link}`);

    it('is that of one tenant as long as no other shows a passport at it', async () => {
      expect((await shown(LINK))['product'].lot).toBe('RP262641');
      expect((await shown(`${LINK}?tenant=rice`))['product'].lot).toBe('RP262641');
      expect(await statusOf(`${LINK}?tenant=wool`)).toBe('404 digital_link_not_found');
      expect(await digitalLinks()).toEqual(all(LINK));
    });

    it('leads to a choice, as a linkset and as a page, and says in links and labels which one is meant', async () => {
      await move(JACKET, LINK);
      await eventually('a choice', async () => (await ask(LINK)).status === 300);
      for (const [headers, query, type] of [
        [{ accept: 'application/json' }, '', 'application/json'],
        [{ accept: 'application/linkset+json' }, '', 'application/linkset+json'],
        [{}, '?linkType=linkset', 'application/linkset+json'],
      ] as const) {
        const answer = await ask(LINK + query, headers);
        expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([300, type, 'no-cache']);
        const { linkset } = (await answer.json()) as { linkset: Json[] };
        expect(linkset).toMatchObject([{ anchor: `${journey.world.baseUrl}${LINK}` }]);
        const targets = linkset[0]!['https://ref.gs1.org/voc/dpp'] as { href: string }[];
        expect(new Set(targets.map(({ href }) => href))).toEqual(
          new Set(['rice', 'wool'].map((slug) => `${journey.world.baseUrl}${LINK}?tenant=${slug}`)),
        );
      }
      const page = await (await ask(LINK, HTML)).text();
      for (const slug of ['rice', 'wool']) expect(page).toContain(`href="${LINK}?tenant=${slug}"`);
      expect((await passportAt(`${LINK}?tenant=rice`))['product'].lot).toBe('RP262641');
      expect((await passportAt(`${LINK}?tenant=wool`))['product'].lot).toBe('JK2630A100');
      for (const query of ['?tenant=nobody', '?tenant=rice&tenant=wool'])
        expect(await statusOf(LINK + query)).toBe('404 digital_link_not_found');
      await eventually('the links of the passport', async () =>
        (await digitalLinks()).every((link) => String(link).endsWith('?tenant=rice')),
      );
      expect(await digitalLinks()).toEqual(all(`${LINK}?tenant=rice`));
    });

    it('leads to the other tenant when one shows no passports any more, and the links are as before', async () => {
      await settings(journey.wool, { enabled: false });
      await eventually('one passport', async () => (await ask(LINK)).status === 200);
      await eventually('its withdrawal', async () => (await statusOf(`${LINK}?tenant=wool`)) === '410 passport_withdrawn');
      await eventually('the links of before', async () => (await digitalLinks()).every((link) => String(link).endsWith(LINK)));
      await settings(journey.wool, { enabled: true });
      await eventually('a choice again', async () => (await ask(LINK)).status === 300);
      await move(LINK, JACKET);
      await Promise.all([shown(LINK), shown(JACKET)]);
    });
  });
}
