import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type TopicMessage } from '#kernel';
import {
  UnitOfWork,
  arrayParameter,
  discardOutbox,
  type Item,
  type ItemType,
  openDatabase,
  releaseOutbox,
  withClient,
  type TenantTx,
} from '#persistence';
import { anyMessage, cloneTestDatabase, type StartedTestServer, type TestDatabase } from '#persistence/testing';
import { labels, Parcel, parcels, save } from './persistence-parcels.js';

/** What the unit of work and the outbox keep on every PostgreSQL. */
export function unitOfWorkSuite(name: string, start: () => Promise<StartedTestServer>): void {
  describe(`unit of work on ${name}`, () => {
    let server: StartedTestServer;
    let db: TestDatabase;
    let work: UnitOfWork;
    let fjord: { tenantId: string };
    let delta: { tenantId: string };
    beforeAll(async () => {
      server = await start();
      db = await cloneTestDatabase([parcels], server);
      work = db.unitOfWork;
    });
    afterAll(async () => {
      await db.drop();
      await server.stop();
    });
    beforeEach(async () => {
      [fjord, delta] = [{ tenantId: newId() }, { tenantId: newId() }];
      await work.asSystem((tx) => tx.sql('delete from parcels.parcel'));
      await work.asSystem((tx) => tx.sql('delete from persistence.outbox'));
    });

    it('commits what resolves and rolls back what rejects', async () => {
      await work.inTransaction(fjord, (tx) => save(tx, 'kept', 5n));
      await expect(
        work.inTransaction(fjord, async (tx) => {
          await save(tx, 'lost');
          throw new Error('changed its mind');
        }),
      ).rejects.toThrow('changed its mind');
      expect(await work.inTransaction(fjord, (tx) => tx.repository(Parcel).find())).toMatchObject([{ label: 'kept', grams: 5n }]);
    });

    it('isolates interleaved transactions: neither sees, commits or rolls back the other', async () => {
      const firstWrote = signal();
      const secondRead = signal();
      const first = work.inTransaction(fjord, async (tx) => {
        await save(tx, 'of the first');
        firstWrote.give();
        await secondRead.given;
        throw new Error('the first gives up');
      });
      const second = work.inTransaction(fjord, async (tx) => {
        await firstWrote.given;
        const seen = await labels(tx);
        await save(tx, 'of the second');
        secondRead.give();
        return seen;
      });
      await expect(first).rejects.toThrow('the first gives up');
      expect(await second).toEqual([]);
      expect(await work.asSystem(labels)).toEqual(['of the second']);
    });

    it('commits nothing of a transaction whose statement timed out, also when its connection is used again', async () => {
      const dataSource = await openDatabase(db.endpoint, [parcels], { timeoutMs: 2_000, poolSize: 1 });
      const impatient = new UnitOfWork(dataSource);
      try {
        await work.asSystem(async (tx) => {
          await tx.sql('lock table persistence.outbox in access exclusive mode');
          const stuck = impatient.inTransaction(fjord, async (blocked) => {
            await save(blocked, 'half of it');
            await blocked.sql('select 1 from persistence.outbox');
          });
          await expect(stuck).rejects.toMatchObject({ code: 'database_unavailable' });
        });
        // The pool has one connection: without care it would be used again with the transaction open.
        await impatient.inTransaction(delta, (tx) => save(tx, 'of somebody else'));
        expect(await work.asSystem(labels)).toEqual(['of somebody else']);
      } finally {
        await dataSource.destroy();
      }
    });

    it('shows one moment to all reads of a snapshot, and lets it write nothing', async () => {
      const [before, after] = await work.inSnapshot(fjord, async (tx) => {
        const first = await labels(tx);
        await work.inTransaction(fjord, (other) => save(other, 'meanwhile'));
        return [first, await labels(tx)];
      });
      expect([before, after]).toEqual([[], []]);
      expect(await work.inSnapshot(fjord, labels)).toEqual(['meanwhile']);
      await expect(work.inSnapshot(fjord, (tx) => save(tx, 'never'))).rejects.toThrow();
    });

    it('reads aside on a connection of its own that sees the same moment, as the same tenant', async () => {
      const backend = async (tx: TenantTx): Promise<unknown> => (await tx.sql('select pg_backend_pid() as pid'))[0]!['pid'];
      await work.inTransaction(delta, (tx) => save(tx, 'of somebody else'));
      await work.inSnapshot(fjord, async (tx) => {
        await labels(tx);
        await work.inTransaction(fjord, (other) => save(other, 'meanwhile'));
        const [here, there, seen] = await Promise.all([backend(tx), tx.onSecondConnection(backend), tx.onSecondConnection(labels)]);
        expect(there).not.toEqual(here);
        expect(seen).toEqual([]);
        await expect(tx.onSecondConnection((aside) => save(aside, 'never'))).rejects.toThrow();
      });
      expect(await work.inSnapshot(fjord, (tx) => tx.onSecondConnection(labels))).toEqual(['meanwhile']);
    });

    it('reads aside on its own connection where the others are in use, and waits for none', async () => {
      const dataSource = await openDatabase(db.endpoint, [parcels], { poolSize: 2 });
      try {
        const small = new UnitOfWork(dataSource);
        const both = meeting(2);
        const reading = (): Promise<readonly string[]> =>
          small.inSnapshot(fjord, async (tx) => {
            await both();
            return tx.onSecondConnection(labels);
          });
        expect(await Promise.all([reading(), reading()])).toEqual([[], []]);
      } finally {
        await dataSource.destroy();
      }
    });

    it('starts a transaction over that lost a serialization race, so that both happen one after the other', async () => {
      await work.inTransaction(fjord, async (tx) => [await save(tx, 'a', 60n), await save(tx, 'b', 60n)]);
      const bothRead = meeting(2);
      let runs = 0;
      const asAdmin = (sql: string): Promise<unknown> => withClient(server.admin, (client) => client.query(sql));
      await asAdmin(`alter database ${db.endpoint.database} set default_transaction_isolation to serializable`);
      const serializable = await openDatabase(db.endpoint, [parcels]);
      // Write skew: together they hold 120, each may take 100 if the sum allows it. Serialised, only one may.
      const take = (label: string): Promise<boolean> =>
        new UnitOfWork(serializable).inTransaction(fjord, async (tx) => {
          runs += 1;
          const [sum] = await tx.sql<{ grams: string }>('select sum(grams) as grams from parcels.parcel');
          await bothRead();
          if (Number(sum!.grams) < 100) return false;
          await tx.sql('update parcels.parcel set grams = grams - 100 where label = $1', [label]);
          return true;
        });
      const taken = await Promise.all([take('a'), take('b')]);
      await serializable.destroy();
      await asAdmin(`alter database ${db.endpoint.database} reset default_transaction_isolation`);
      expect(taken.toSorted((a, b) => Number(a) - Number(b))).toEqual([false, true]);
      expect(runs).toBe(3);
    });

    it('goes on when a migration changes a table under statements that were named before', async () => {
      const all = (): Promise<object[]> => work.asSystem((tx) => tx.sql('select * from parcels.parcel where grams >= $1', [0]));
      await work.inTransaction(fjord, (tx) => save(tx, 'a'));
      expect(await all()).toHaveLength(1);
      await db.dataSource.query('alter table parcels.parcel add column colour text');
      try {
        expect(await all()).toMatchObject([{ label: 'a', colour: null }]);
      } finally {
        await db.dataSource.query('alter table parcels.parcel drop column colour');
      }
    });

    it('starts the victim of a deadlock over', async () => {
      await work.inTransaction(fjord, async (tx) => [await save(tx, 'a'), await save(tx, 'b')]);
      const bothHold = meeting(2);
      const addInOrder = (labelsInOrder: readonly string[]): Promise<void> =>
        work.inTransaction(fjord, async (tx) => {
          for (const label of labelsInOrder) {
            await tx.sql('update parcels.parcel set grams = grams + 1 where label = $1', [label]);
            await bothHold();
          }
        });
      await Promise.all([addInOrder(['a', 'b']), addInOrder(['b', 'a'])]);
      expect(await work.asSystem((tx) => tx.sql('select grams from parcels.parcel'))).toEqual([{ grams: '2' }, { grams: '2' }]);
    });

    it('does not try a refused statement again', async () => {
      let runs = 0;
      const twice = work.inTransaction(fjord, async (tx) => {
        runs += 1;
        await save(tx, 'same');
        await save(tx, 'same');
      });
      await expect(twice).rejects.toMatchObject({ code: '23505' });
      expect(runs).toBe(1);
    });

    describe('row-level security, the second wall', () => {
      beforeEach(async () => {
        await work.inTransaction(fjord, (tx) => save(tx, 'fjord'));
        await work.inTransaction(delta, (tx) => save(tx, 'delta'));
      });

      it('shows a tenant its own rows, whatever the query forgets', async () => {
        expect(await work.inTransaction(fjord, labels)).toEqual(['fjord']);
        expect(await work.inTransaction(delta, (tx) => tx.repository(Parcel).count())).toBe(1);
      });

      it('lets a tenant change and delete its own rows only', async () => {
        const both = `where label in ('fjord', 'delta') returning label`;
        expect(await work.inTransaction(fjord, (tx) => tx.sql(`update parcels.parcel set grams = 7 ${both}`))).toEqual([
          { label: 'fjord' },
        ]);
        expect(await work.inTransaction(delta, (tx) => tx.sql(`delete from parcels.parcel ${both}`))).toEqual([{ label: 'delta' }]);
        expect(await work.asSystem(labels)).toEqual(['fjord']);
      });

      it('refuses a row written for another tenant, and a row moved to one', async () => {
        const foreign = work.inTransaction(fjord, (tx) => tx.repository(Parcel).insert(Parcel.of(delta.tenantId, 'smuggled')));
        await expect(foreign).rejects.toMatchObject({ code: '42501' });
        const moved = work.inTransaction(fjord, (tx) => tx.sql('update parcels.parcel set tenant_id = $1', [delta.tenantId]));
        await expect(moved).rejects.toMatchObject({ code: '42501' });
      });

      it('shows nothing to a tenant right without a tenant, and nothing outside of a unit of work', async () => {
        expect(await work.asSystem(async (tx) => (await tx.sql('set local role trace_tenant')) && labels(tx))).toEqual([]);
        await db.dataSource.transaction(async (manager) => {
          await manager.query('set local role trace_tenant');
          expect(await manager.query('select * from parcels.parcel')).toEqual([]);
        });
        expect(await db.dataSource.query('select * from parcels.parcel')).toEqual([]);
        expect(await db.dataSource.query('select * from persistence.outbox')).toEqual([]);
      });

      it('leaves no tenant behind on a connection', async () => {
        await Promise.all(Array.from({ length: 20 }, (_, i) => work.inTransaction(i % 2 ? fjord : delta, labels)));
        const seen = await Promise.all(
          Array.from({ length: 20 }, () =>
            db.dataSource.query(`select current_user as who, current_setting('app.tenant_id', true) as tenant`),
          ),
        );
        for (const [{ who, tenant }] of seen) expect([who, tenant || null]).toEqual([server.login.user, null]);
      });

      it('shows the system every row', async () => {
        expect(await work.asSystem(labels)).toEqual(['delta', 'fjord']);
      });

      it('lets the system enter one tenant after the other, and be the system again, in one transaction', async () => {
        await work.asSystem(async (tx) => {
          expect(await tx.forTenant(fjord.tenantId, labels)).toEqual(['fjord']);
          expect(await labels(tx)).toEqual(['delta', 'fjord']);
          await tx.forTenant(delta.tenantId, (inside) => save(inside, 'delta 2'));
          await expect(
            tx.forTenant(fjord.tenantId, async () => {
              throw new Error('inside');
            }),
          ).rejects.toThrow('inside');
          expect(await labels(tx)).toEqual(['delta', 'delta 2', 'fjord']);
        });
        expect(await work.inTransaction(delta, labels)).toEqual(['delta', 'delta 2']);
      });

      it('takes back what was done inside a tenant when the whole fails', async () => {
        const whole = work.asSystem(async (tx) => {
          await tx.forTenant(fjord.tenantId, (inside) => save(inside, 'gone'));
          await tx.forTenant(delta.tenantId, (inside) => inside.repository(Parcel).insert(Parcel.of(fjord.tenantId, 'smuggled')));
        });
        await expect(whole).rejects.toMatchObject({ code: '42501' });
        expect(await work.asSystem(labels)).toEqual(['delta', 'fjord']);
      });

      it('refuses a tx that is used after its end, and two tenants at once', async () => {
        let kept: TenantTx | undefined;
        await work.asSystem(async (tx) => {
          await tx.forTenant(fjord.tenantId, async (inside) => void (kept = inside));
          expect(() => kept!.sql('select 1')).toThrow('has ended');
          await tx.forTenant(fjord.tenantId, async () => {
            await expect(tx.forTenant(delta.tenantId, labels)).rejects.toThrow('one tenant at a time');
            expect(() => tx.sql('select 1')).toThrow("tenant's own tx");
          });
        });
        await work.inTransaction(fjord, async (tx) => void (kept = tx));
        expect(() => kept!.sql('select 1')).toThrow('has ended');
      });

      it('refuses a tenant id that is none', async () => {
        expect(() => work.inTransaction({ tenantId: `x'; set role postgres; --` }, labels)).toThrow(TypeError);
      });
    });

    describe('writes of many rows', () => {
      const write = (tx: TenantTx, label: string) =>
        tx.sql(
          'insert into parcels.parcel (tenant_id, id, label, grams) select $1::uuid, $2::uuid, $3::text, count(*) from parcels.parcel',
          [tx.tenantId, newId(), label],
        );

      it('begin while others run and take effect in their order', async () => {
        const began: string[] = [];
        await work.inTransaction(fjord, (tx) => tx.pipelined(['a', 'b', 'c'].map((label) => () => (began.push(label), write(tx, label)))));
        const rows = await work.asSystem((tx) => tx.sql('select label, grams::int from parcels.parcel order by grams'));
        expect(rows).toEqual(['a', 'b', 'c'].map((label, grams) => ({ label, grams })));
        expect(began).toEqual(['a', 'b', 'c']);
      });

      it('are all taken back when one fails, and the connection serves the next', async () => {
        const failing = work.inTransaction(fjord, (tx) =>
          tx.pipelined([() => write(tx, 'first'), () => tx.sql('select 1 / $1::int', [0]), () => write(tx, 'third')]),
        );
        await expect(failing).rejects.toMatchObject({ code: '22012' });
        expect(await work.inTransaction(fjord, labels)).toEqual([]);
      });

      // Buffers are sent in binary form; text is what the server makes of them.
      it.each<[ItemType, readonly Item[], readonly (string | null)[]]>([
        ['boolean', [true, false, null], ['true', 'false', null]],
        ['smallint', [-32_768, 7], ['-32768', '7']],
        ['integer', [-5, 2_147_483_647], ['-5', '2147483647']],
        [
          'bigint',
          [0, -1, 2n ** 48n - 1n, -(2n ** 63n), 2n ** 63n - 1n, Number.MIN_SAFE_INTEGER, '12'],
          ['0', '-1', '281474976710655', '-9223372036854775808', '9223372036854775807', '-9007199254740991', '12'],
        ],
        [
          'text',
          ['', 'a"b\\\\c,{}', 'é\u2028 NULL', null, '\u{1f33e}'.repeat(100)],
          ['', 'a"b\\\\c,{}', 'é\u2028 NULL', null, '\u{1f33e}'.repeat(100)],
        ],
        ['uuid', ['6F0F1C5E-6a9b-5d0e-9a53-0c1d6a6f1b7a'], ['6f0f1c5e-6a9b-5d0e-9a53-0c1d6a6f1b7a']],
        ['jsonb', ['{"b": [1, 1e2], "a": null}', null], ['{"a": null, "b": [1, 100]}', null]],
        ['bytea', [Buffer.from([0, 1, 255]), null, Buffer.alloc(0)], ['\\x0001ff', null, '\\x']],
        ['text', [], []],
      ])('carry %s items as they are: %j', async (type, items, expected) => {
        const rows = await work.asSystem((tx) =>
          tx.sql<{ item: string | null }>(`select u::text as item from unnest($1::${type}[]) as u`, [arrayParameter(type, items)]),
        );
        expect(rows.map((row) => row.item)).toEqual(expected);
      });

      it('carry moments to the millisecond and no further, before and after 2000, also what only the chain calls a date', async () => {
        const texts = ['1969-12-31T23:59:59.999Z', '2000-01-01T00:00:00.000Z', '2026-11-28T10:00:00.001Z', '+036812-02-20T00:36:15.007Z'];
        const moments = texts.map((text) => new Date(text));
        const rows = await work.asSystem((tx) =>
          tx.sql<{ at: Date; beyond: number }>(
            'select u as at, extract(microseconds from u)::integer % 1000 as beyond from unnest($1::timestamptz[]) as u',
            [arrayParameter('timestamptz', moments)],
          ),
        );
        expect(rows).toEqual(moments.map((at) => ({ at, beyond: 0 })));
      });
    });

    describe('outbox', () => {
      const message = (key: string, block?: TopicMessage['block']): TopicMessage =>
        anyMessage(
          'nft.created',
          { z: 1, a: 1.0, big: 1e21, text: 'é\u2028' },
          { key, occurredAt: new Date('2026-11-28T10:00:00Z'), ...(block && { block }) },
        );
      const waiting = (): Promise<{ dedup_key: string; released: boolean }[]> =>
        work.asSystem((tx) => tx.sql('select dedup_key, released from persistence.outbox order by seq'));

      it('lets facts of blocks that are final already go at once', async () => {
        const at = (number: number) => message(`1/${number}`, { chainId: 1, number });
        await work.asSystem((tx) => tx.forTenant(fjord.tenantId, (own) => own.publish([at(10), at(11), at(12)]), 11));
        expect((await waiting()).map((row) => row.released)).toEqual([true, true, false]);
      });

      it('keeps the exact bytes, in the order in which they were published', async () => {
        await work.inTransaction(fjord, (tx) => tx.publish([message('1'), message('2'), message('3')]));
        const rows = await work.asSystem((tx) =>
          tx.sql<{ body: string; tenant_id: string }>('select body, tenant_id from persistence.outbox order by seq'),
        );
        expect(rows.map((row) => row.tenant_id)).toEqual([fjord.tenantId, fjord.tenantId, fjord.tenantId]);
        expect(rows[0]!.body).toBe(
          '{"event":"nft.created","timestamp":"2026-11-28T10:00:00.000Z","data":{"z":1,"a":1,"big":1e+21,"text":"é\u2028"}}',
        );
        expect((await waiting()).map((row) => row.dedup_key)).toEqual(['1', '2', '3']);
      });

      it('goes with the change that causes it', async () => {
        const failing = work.inTransaction(fjord, async (tx) => {
          await tx.publish([message('never')]);
          throw new Error('no change after all');
        });
        await expect(failing).rejects.toThrow();
        expect(await waiting()).toEqual([]);
      });

      it('passes over a key that was published before, also by two at once; keys are a tenant’s own', async () => {
        await Promise.all([1, 2, 3, 4].map(() => work.inTransaction(fjord, (tx) => tx.publish([message('same'), message('same')]))));
        await work.inTransaction(delta, (tx) => tx.publish([message('same')]));
        expect((await waiting()).map((row) => row.dedup_key)).toEqual(['same', 'same']);
      });

      it('lets facts of the chain go at their block’s finality, and forgets those of orphaned blocks', async () => {
        const at = (number: number, chainId = 1) => message(`${chainId}/${number}`, { chainId, number });
        await work.inTransaction(fjord, (tx) => tx.publish([message('no block'), at(10), at(11), at(12), at(10, 2)]));
        await work.asSystem((tx) => releaseOutbox(tx, 1, 10));
        await work.asSystem((tx) => discardOutbox(tx, 1, 11));
        await work.asSystem((tx) => discardOutbox(tx, 1, 9));
        expect(await waiting()).toEqual([
          { dedup_key: 'no block', released: true },
          { dedup_key: '1/10', released: true },
          { dedup_key: '2/10', released: false },
        ]);
      });
    });
  });
}

function signal(): { readonly given: Promise<void>; give(): void } {
  let give!: () => void;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** The first `n` callers wait for each other; later callers do not wait. */
function meeting(n: number): () => Promise<void> {
  const all = signal();
  let come = 0;
  return () => {
    if (++come >= n) all.give();
    return all.given;
  };
}
