import { describe, expect, it } from '@jest/globals';
import { ChainHead, ChainProfile } from '#chain';
import { UnitOfWork } from '#persistence';
import { factsProjector } from '#reporting/testing';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import type { Body, ReportsWorld } from './reports-world.js';

/** The stored facts of a large tenant give the same figures as its events. */
export function storedFacts(reports: () => ReportsWorld): void {
  describe('from stored facts', () => {
    /** Periods that begin and end within a day, one within a single day, whole days, open ones, and years far away. */
    const ANYTIME = [
      '',
      'from=2026-04-10&to=2026-06-16',
      'from=2026-03-04T11:00:00Z&to=2026-06-15T09:00:00%2B10:00',
      'from=2026-04-10T00:00:00Z&to=2026-04-10T23:00:00Z',
      'from=2026-04-10T03:00:00Z&to=2026-04-10T03:00:00.001Z',
      'to=2026-05-20T05:30:00Z',
      'from=0001-01-01&to=9999-12-31',
      'from=2031-01-01',
    ];
    const project = async (slug: string): Promise<void> => {
      const uuid = await reports().tenantIdOf(slug);
      const get = <T>(type: abstract new (...asked: never[]) => T): T => reports().world.service.app.get<T>(type, { strict: false });
      await factsProjector(get(UnitOfWork), get(ChainProfile), get(ChainHead)).project(uuid);
    };
    const answers = async (questions: readonly string[]): Promise<Body[]> => {
      const all: Body[] = [];
      for (const name of ['yield', 'suppliers', 'inventory', 'documents', 'trends', 'places'])
        for (const question of questions) {
          const { generatedAt: _, asOf: __, ...answer } = await reports().read('wool', `${name}?${question}`);
          // Lots grow older between two questions.
          all.push(JSON.parse(JSON.stringify(answer, (key, value) => (key === 'oldestLotAgeSeconds' ? typeof value : value))));
        }
      return all;
    };
    const dropStored = (): Promise<unknown> =>
      reports().world.database.unitOfWork.asSystem((tx) =>
        Promise.all(
          ['fact_cursor', 'stock_cursor', 'transfer_cursor'].map((name) => tx.sql(`update reporting.${name} set as_of_head = null`)),
        ),
      );
    const stored = async (): Promise<number> => {
      const [row] = await reports().world.database.unitOfWork.asSystem((tx) =>
        tx.sql<{ n: string }>(
          'select count(*) as n from reporting.fact_cursor join reporting.stock_cursor s using (tenant_id) join reporting.transfer_cursor t using (tenant_id) where fact_cursor.as_of_head + s.as_of_head + t.as_of_head > 0',
        ),
      );
      return Number(row!.n);
    };

    it('of any period, organisation and scope', async () => {
      const spinner = await reports().orgIdOf('wool', 'Example Spinner');
      const questions = [...ANYTIME, `orgId=${spinner}`, `orgId=${spinner}&from=2026-05-01T00:00:01Z`];
      const { secret } = await reports().wool.post<{ secret: string }>('/api/v1/api-keys', {
        name: 'scoped',
        roles: ['AUDITOR'],
        roleScopes: { AUDITOR: ['wool_sp*', 'wool_we*'] },
      });
      const scoped = async (): Promise<Body> => {
        const [yields, documents] = await Promise.all(
          ['yield', 'documents'].map(async (name) => {
            const answer = await fetch(`${reports().world.baseUrl}/api/v1/reports/${name}`, { headers: { 'x-api-key': secret } });
            return (await answer.json()) as Body;
          }),
        );
        return [yields!['processes'], documents!['documents'], documents!['summary']];
      };
      const computed = [await answers(questions), await scoped()];
      await project('wool');
      expect(await stored()).toBe(1);
      expect([await answers(questions), await scoped()]).toEqual(computed);
    });

    it('of lots in containers, on hold and past their date', async () => {
      const uuid = await reports().tenantIdOf('rice');
      const sql = (text: string): Promise<Body[]> => reports().world.database.unitOfWork.asSystem((tx) => tx.sql<Body>(text, [uuid]));
      const inventory = async (): Promise<Body> => {
        const { generatedAt: _, asOf: __, ...answer } = await reports().read('rice', 'inventory');
        return JSON.parse(JSON.stringify(answer, (key, value) => (key === 'oldestLotAgeSeconds' ? typeof value : value))) as Body;
      };
      /** The lots and the cells give the same stock. */
      const both = async (): Promise<Body> => {
        await dropStored();
        const fromLots = await inventory();
        await project('rice');
        expect(await inventory()).toEqual(fromLots);
        return fromLots['summary'] as Body;
      };
      const before = await both();
      const lot = `from reporting.stock_lot s where s.tenant_id = $1 and s.token_id = (
        select max(token_id) from reporting.stock_lot where tenant_id = $1 and not held)`;
      await sql(
        `insert into traceability.lot_hold (tenant_id, token_id, held_at, reason) select tenant_id, token_id, now(), 'sampled' ${lot}`,
      );
      const held = await both();
      expect(held['byStatus']).not.toEqual(before['byStatus']);
      await sql(`delete from traceability.lot_hold where tenant_id = $1`);
      expect(await both()).toEqual(before);
      // A day passes for one lot. Its date does not change, so both tables are changed here.
      for (const table of ['traceability.lot', 'reporting.stock_lot'])
        await sql(`update ${table} set expires_at = now() - interval '1 day' where tenant_id = $1
          and token_id = (select min(token_id) from reporting.stock_lot where tenant_id = $1)`);
      expect(await both()).toMatchObject({ lots: before['lots'], expiredLots: before['expiredLots'] + 1 });
      await dropStored();
    });

    it('after more events were recorded, corrected and undone', async () => {
      const [station, spinner] = await Promise.all([
        reports().world.company('wool', 'station'),
        reports().world.company('wool', 'spinner'),
      ]);
      const eventTime = new Date(Date.now() - 60_000).toISOString();
      // One document of two organisations, with later values that count; and another one with its type and number.
      const record = async (by: Company, outputTlc: string, documents: object[]): Promise<void> => {
        const metadata = { eventTime, quantity: { value: 30, uom: 'KGM' }, documents };
        const { preparedTx } = await by.api.events.prepare({ processType: 'ODD_FILLING', outputTlc, inputTokenIds: [], metadata });
        await by.land(preparedTx, 'event');
      };
      const waybill = { type: 'WAYBILL', number: '=1+1' };
      await record(spinner, 'ODD-OTHER', [waybill]);
      await record(station, 'ODD-LATER', [
        { ...waybill, validTo: '2999-12-31' },
        { ...waybill, issuer: 'Port', sha256: 'c'.repeat(64) },
      ]);
      const QUESTIONS = [
        ...ANYTIME,
        `orgId=${await reports().orgIdOf('wool', 'Example Spinner')}`,
        `orgId=${await reports().orgIdOf('wool', 'Example Station')}`,
      ];
      await project('wool');
      const withMore = await answers(QUESTIONS);
      const waybills = async (): Promise<unknown[]> =>
        (await reports().read('wool', 'documents'))['documents']
          .filter(({ type }: Body) => type === 'WAYBILL')
          .map(({ issuer, status, conflict, uses }: Body) => [issuer, status, conflict, uses]);
      expect(await waybills()).toEqual([
        [null, 'valid', true, 4],
        ['Port', 'undated', true, 1],
      ]);
      await dropStored();
      expect(await answers(QUESTIONS)).toEqual(withMore);
      // A block is undone: its events do not count until they are confirmed again.
      const uuid = await reports().tenantIdOf('wool');
      const sql = (text: string, ...more: unknown[]): Promise<Body[]> =>
        reports().world.database.unitOfWork.asSystem((tx) => tx.sql<Body>(text, [uuid, 'ODD-LATER', ...more]));
      const which = 'where tenant_id = $1 and output_tlc = $2';
      const [{ block_number }] = (await sql(`select block_number from traceability.event ${which}`)) as [Body];
      const setBlock = async (block: string | null): Promise<void> => {
        await sql(`update traceability.event set block_number = $3 ${which}`, block);
        await sql(`insert into reporting.open_fact select tenant_id, id from traceability.event ${which} on conflict do nothing`);
        await sql('update reporting.fact_cursor set seen_head = null where tenant_id = $1 and $2 <> $1::text');
        await project('wool');
      };
      await setBlock(null);
      const without = await answers(QUESTIONS);
      expect(without).not.toEqual(withMore);
      expect(await waybills()).toEqual([[null, 'expired', true, 3]]);
      await dropStored();
      expect(await answers(QUESTIONS)).toEqual(without);
      await setBlock(block_number);
      expect(await answers(QUESTIONS)).toEqual(withMore);
      // A transfer that is undone, and is confirmed again.
      const { tokenId } = await reports().wool.lots.byTlc('ODD-LATER');
      const offer = await station.api.custody.prepare({ action: 'offer', tokenIds: [tokenId], to: spinner.address });
      await station.land(offer.preparedTx, 'custody');
      const accept = await spinner.api.custody.prepare({ action: 'accept', tokenIds: [tokenId] });
      await spinner.land(accept.preparedTx, 'custody');
      await project('wool');
      const transferred = await answers(QUESTIONS);
      await dropStored();
      expect(await answers(QUESTIONS)).toEqual(transferred);
      const ofTransfer =
        'where tenant_id = $1 and token_id = (select max(token_id) from traceability.lot where tenant_id = $1 and tlc = $2)';
      const [{ closed_block, closed_at }] = (await sql(`select closed_block, closed_at from custody.transfer ${ofTransfer}`)) as [Body];
      const closeTransfer = async (status: string, block: string | null, at: Date | null): Promise<void> => {
        await sql(`update custody.transfer set status = $3, closed_block = $4, closed_at = $5 ${ofTransfer}`, status, block, at);
        await sql(`update reporting.transfer_fact set open = true ${ofTransfer}`);
        await sql('update reporting.transfer_cursor set seen_head = null, place = null where tenant_id = $1 and $2 <> $1::text');
        await project('wool');
      };
      await closeTransfer('pending', null, null);
      const pending = (await answers(QUESTIONS)).filter(({ report }) => report === 'suppliers');
      expect(pending).toEqual(withMore.filter(({ report }) => report === 'suppliers'));
      await closeTransfer('accepted', closed_block, closed_at);
      expect(await answers(QUESTIONS)).toEqual(transferred);
      // Its content is not there yet; when it arrives, the days change without another block.
      await sql(
        `update traceability.event set resolved = false, content_state = null, event_time = null, content_next_at = 'infinity' ${which}`,
      );
      await setBlock(block_number);
      const unread = await answers(QUESTIONS);
      expect(unread).not.toEqual(withMore);
      await dropStored();
      expect(await answers(QUESTIONS)).toEqual(unread);
      await project('wool');
      await sql(`update traceability.event set content_next_at = null ${which}`);
      await eventually('the content', async () => (await sql(`select from traceability.event ${which} and resolved`)).length > 0);
      await project('wool');
      expect(await answers(QUESTIONS)).toEqual(transferred);
      await dropStored();
    });
  });
}
