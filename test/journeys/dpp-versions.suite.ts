import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '#persistence';
import { eventually } from '../harness/eventually.js';
import type { CellMaker } from './dpp-world.js';
import type { Json } from './rice-trade.js';

async function textAt(maker: CellMaker, path: string): Promise<string> {
  const answer = await fetch(maker.world.baseUrl + path);
  const text = await answer.text();
  expect([path, answer.status, text]).toEqual([path, 200, text]);
  return text;
}

/** The archive of passports. @param made a passport of an item */
export function dppVersionsSuite(made: () => { readonly maker: CellMaker; readonly id: string }): void {
  it('have the right version at 1,000 times over 100 versions, two of which began at one time', async () => {
    const { maker, id } = made();
    const begin = Date.parse('2025-01-01T00:00:00Z');
    const work = maker.world.service.app.get(UnitOfWork, { strict: false });
    const [{ tenantId }] = (await work.readAsSystem((tx) =>
      tx.sql<{ tenantId: string }>('select tenant_id as "tenantId" from passports.passport where id = $1', [id]),
    )) as [{ tenantId: string }];
    const starts = Array.from({ length: 100 }, (_, i) => begin + Math.floor(i / 2) * 86_400_000 + (i % 2) * (i === 51 ? 0 : 3_600_000));
    const document = await textAt(maker, `/v1/dpps/${id}?representation=full`);
    await work.inTransaction({ tenantId }, (tx) =>
      tx.sql(
        `insert into passports.version (tenant_id, passport_id, version, valid_from, document, hash)
         select $1, $2, 1000 + n, t, $4::jsonb || jsonb_build_object('n', n), 'x'
         from unnest($3::timestamptz[]) with ordinality u(t, n)`,
        [tenantId, id, starts.map((start) => new Date(start)), document],
      ),
    );
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const wrong: unknown[] = [];
    const check = async (i: number): Promise<void> => {
      const exact = i % 4 === 0;
      const time = exact ? starts[Math.floor(random() * 100)]! : begin + Math.floor(random() * 50 * 86_400_000);
      const expected = starts.findLastIndex((start) => start <= time) + 1;
      const { n } = JSON.parse(await textAt(maker, `/v1/dppsByIdAndDate/${id}?date=${new Date(time).toISOString()}`)) as Json;
      if (n !== expected) wrong.push({ time, n, expected });
    };
    for (let i = 0; i < 1_000; i += 20) await Promise.all(Array.from({ length: 20 }, (_, k) => check(i + k)));
    expect(wrong).toEqual([]);
  });

  describe('of which a value is erased', () => {
    it('keep the hash of before in the archive, and say what is gone', async () => {
      const { maker } = made();
      const person = 'Nguyen Van Example';
      const eventId = await maker.make('PACK0055', { crew: person, chemistry: { name: `Mixed by ${person}`, shares: [1] } });
      const { id } = await maker.passportOf('PACK0055');
      await eventually('a first version', async () => ((await maker.versionsOf(id)).length === 1 ? true : undefined));
      const { metadata } = await maker.admin.get<Json>(`/api/v1/events/${eventId}`);
      const corrected = { ...metadata, chemistry: { name: 'Mixed with care', shares: [1] } };
      const prepared = await maker.wallet.api.post<Json>(`/api/v1/events/${eventId}/supersede/prepare`, { metadata: corrected });
      await maker.wallet.land(prepared['preparedTx'], 'test');
      const [second, first] = await eventually('a second version', async () => {
        const versions = await maker.versionsOf(id);
        return versions.length === 2 ? versions : undefined;
      });
      const at = `/v1/dppsByIdAndDate/${id}?representation=full&date=${encodeURIComponent(first!['from'])}`;
      const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
      const before = await textAt(maker, at);
      expect([before.includes(person), hashOf(before)]).toEqual([true, first!['hash']]);

      await maker.admin.post('/api/v1/privacy/erasures', { eventId, pointers: ['/metadata/crew'] });
      const [same, blanked] = await maker.versionsOf(id);
      expect(same).toEqual(second);
      expect(blanked).toEqual({
        ...first,
        bytes: expect.any(Number),
        erased: [expect.stringMatching(/\/elements\/0\/value$/), expect.stringMatching(/\/value\/0\/value$/)],
      });
      const after = await textAt(maker, at);
      expect([after.includes(person), after.includes('Mixed by [erased]'), hashOf(after) === first!['hash']]).toEqual([false, true, false]);
    });
  });
}
