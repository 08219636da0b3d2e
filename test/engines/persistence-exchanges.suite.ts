import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { type PostgresEndpoint, UnitOfWork, openDatabase, withClient } from '#persistence';
import { cloneTestDatabase, type StartedTestServer, type TestDatabase } from '#persistence/testing';
import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Parcel, add, labels, parcels, save } from './persistence-parcels.js';

/** How statements are sent: together in one exchange where they are started together, and what a failure among them leaves. */
export function exchangesSuite(
  name: string,
  start: () => Promise<StartedTestServer>,
  through: (endpoint: PostgresEndpoint) => PostgresEndpoint = (endpoint) => endpoint,
): void {
  describe(`exchanges with ${name}`, () => {
    let server: StartedTestServer;
    let db: TestDatabase;
    let dataSource: DataSource;
    let work: UnitOfWork;
    const unitOfWork = (on: DataSource): UnitOfWork => new UnitOfWork(on, undefined, through(db.endpoint) === db.endpoint);
    const [fjord, delta] = [{ tenantId: newId() }, { tenantId: newId() }];
    beforeAll(async () => {
      server = await start();
      db = await cloneTestDatabase([parcels], server);
      // One connection: what one transaction left on it, the next one would see.
      dataSource = await openDatabase(through(db.endpoint), [parcels], { poolSize: 1, timeoutMs: 3_000 });
      work = unitOfWork(dataSource);
      await work.inTransaction(fjord, (tx) => save(tx, 'fjord', 1n));
      await work.inTransaction(delta, (tx) => save(tx, 'delta', 2n));
    });
    afterAll(async () => {
      await dataSource.destroy();
      await db.drop();
      await server.stop();
    });

    /** Exchanges on the one connection while `run` runs: the server ends each by saying that it is ready. */
    const exchanges = async (run: () => Promise<unknown>): Promise<number> => {
      const client: PoolClient = await ((dataSource.driver as PostgresDriver).master as Pool).connect();
      client.release();
      const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
      let ended = 0;
      const count = (): void => void ended++;
      connection.on('readyForQuery', count);
      try {
        await run();
        return ended;
      } finally {
        connection.off('readyForQuery', count);
      }
    };
    const whoAmI = async (): Promise<unknown> =>
      (await dataSource.query(`select current_user as who, nullif(current_setting('app.tenant_id', true), '') as tenant`))[0];

    it('sends a read in one, however many statements it has, with the rights of its tenant', async () => {
      const read = (): Promise<unknown> =>
        work.read(fjord, (tx) => Promise.all([labels(tx), labels(tx), tx.sql('select $1::int as n', [7])]));
      expect(await read()).toEqual([['fjord'], ['fjord'], [{ n: 7 }]]);
      expect(await exchanges(read)).toBe(1);
      expect(await exchanges(() => work.read(delta, labels))).toBe(1);
      expect(await work.read(delta, labels)).toEqual(['delta']);
    });

    it('sends a read over all tenants in one, and lets it enter none', async () => {
      const everything = (): Promise<unknown> => work.readAsSystem((tx) => Promise.all([labels(tx), tx.sql('select $1::int as n', [7])]));
      expect(await everything()).toEqual([['delta', 'fjord'], [{ n: 7 }]]);
      expect(await exchanges(everything)).toBe(1);
      const entering = work.readAsSystem((tx) => tx.forTenant(fjord.tenantId, labels).then(() => labels(tx)));
      await expect(entering).rejects.toThrow('start them before you await one');
      expect(await whoAmI()).toMatchObject({ tenant: null });
    });

    it('sends what a transaction starts together in one, with its beginning', async () => {
      expect(await exchanges(() => work.inSnapshot(fjord, (tx) => Promise.all([labels(tx), labels(tx)])))).toBe(2);
      const twice = (): Promise<unknown> =>
        work.asSystem(async (tx) => [
          await tx.forTenant(fjord.tenantId, labels),
          await tx.forTenant(delta.tenantId, labels),
          await labels(tx),
        ]);
      expect(await twice()).toEqual([['fjord'], ['delta'], ['delta', 'fjord']]);
      expect(await exchanges(twice)).toBe(4);
      expect(await exchanges(() => work.inTransaction(fjord, async () => 'nothing to do'))).toBe(0);
    });

    it('shows one moment to all statements of a read, and lets it write nothing', async () => {
      const moments = await work.read(fjord, (tx) =>
        Promise.all([
          tx.sql('select txid_current_snapshot()::text as at'),
          tx.sql('select pg_sleep(0.05), txid_current_snapshot()::text as at'),
        ]),
      );
      expect(moments[0]).toMatchObject([{ at: (moments[1] as { at: string }[])[0]!.at }]);
      const write = 'update parcels.parcel set grams = 0';
      await expect(work.read(fjord, (tx) => Promise.all([labels(tx), tx.sql(write)]))).rejects.toThrow();
    });

    it('leaves neither role nor tenant behind', async () => {
      const nobody = { who: server.login.user, tenant: null };
      await work.read(fjord, labels);
      expect(await whoAmI()).toEqual(nobody);
      await work.read(fjord, (tx) => Promise.all([labels(tx), labels(tx)]));
      expect(await whoAmI()).toEqual(nobody);
      await expect(work.read(fjord, (tx) => Promise.all([labels(tx), tx.sql('select 1/0')]))).rejects.toMatchObject({ code: '22012' });
      expect(await whoAmI()).toEqual(nobody);
    });

    it('runs nothing behind a statement that failed, and says which one it was', async () => {
      const outcomes = await work.inTransaction(fjord, async (tx) => {
        const all = [labels(tx), tx.sql('select 1/$1::int', [0]), tx.sql("select nextval('pg_catalog.nothing')"), labels(tx)];
        return [...(await Promise.allSettled(all)), ...(await Promise.allSettled([labels(tx)]))];
      });
      expect(outcomes).toMatchObject([
        { status: 'fulfilled', value: ['fjord'] },
        { status: 'rejected', reason: { code: '22012' } },
        { status: 'rejected', reason: { code: '25P02', cause: { code: '22012' } } },
        { status: 'rejected', reason: { code: '25P02' } },
        { status: 'rejected', reason: { code: '25P02' } },
      ]);
      // What is awaited first may be one that was never run: the answer names the one that failed.
      const last = work.inTransaction(fjord, async (tx) => {
        void tx.sql('select 1/0').catch(() => undefined);
        return labels(tx);
      });
      await expect(last).rejects.toMatchObject({ code: '22012' });
      expect(await work.inTransaction(fjord, labels)).toEqual(['fjord']);
    });

    it('runs nothing at all where the rights are refused', async () => {
      const login = `t_lonely_${newId().slice(-12)}`;
      const asAdmin = (sql: string): Promise<unknown> => withClient(server.admin, (client) => client.query(sql));
      await asAdmin(`create role ${login} login noinherit password 'lonely'`);
      await asAdmin(`grant trace_tenant, trace_system to ${login}`);
      const lonely = await openDatabase({ ...through(db.endpoint), user: login, password: 'lonely' }, [parcels], { poolSize: 1 });
      try {
        await asAdmin(`revoke trace_tenant, trace_system from ${login}`);
        const refused = unitOfWork(lonely);
        for (const attempt of [
          () => refused.read(fjord, labels),
          () => refused.write(fjord, (tx) => add(tx, 'never')),
          () => refused.write(fjord, (tx) => Promise.all([add(tx, 'never'), add(tx, 'ever')])),
          () => refused.writeAsSystem(labels),
          () => refused.read(fjord, (tx) => Promise.all([labels(tx), labels(tx)])),
          () => refused.inTransaction(fjord, (tx) => labels(tx).catch(() => labels(tx))),
          () => refused.inTransaction(fjord, (tx) => save(tx, 'never')),
          () => refused.asSystem((tx) => tx.forTenant(fjord.tenantId, labels)),
        ])
          await expect(attempt()).rejects.toMatchObject({ code: '42501', message: expect.stringMatching('role') as unknown });
      } finally {
        await lonely.destroy();
        await asAdmin(`drop role ${login}`);
      }
      expect(await work.readAsSystem(labels)).toEqual(['delta', 'fjord']);
    });

    it('names a statement again whose first parsing failed, and one whose run failed', async () => {
      const odd = 'select label, $1::text as odd from parcels.parcel_later';
      for (let i = 0; i < 2; i++)
        await expect(work.read(fjord, (tx) => tx.sql(odd, ['x']))).rejects.toMatchObject({
          code: 'database_unavailable',
          cause: { code: '42P01' },
        });
      const bad = 'select 1 / $1::int as n';
      for (let i = 0; i < 2; i++) {
        await expect(work.read(fjord, (tx) => tx.sql(bad, [0]))).rejects.toMatchObject({ code: '22012' });
        expect(await work.read(fjord, (tx) => tx.sql(bad, [1]))).toEqual([{ n: 1 }]);
      }
    });

    it('sends nothing of an exchange with a value that cannot be sent', async () => {
      const circle: Record<string, unknown> = {};
      circle['self'] = circle;
      await expect(work.inTransaction(fjord, (tx) => Promise.all([labels(tx), tx.sql('select $1::jsonb', [circle])]))).rejects.toThrow(
        /circular/i,
      );
      expect(await work.inTransaction(fjord, labels)).toEqual(['fjord']);
    });

    it('refuses a read that awaits before its last statement, and one with a repository', async () => {
      const late = work.read(fjord, async (tx) => [await labels(tx), await labels(tx)]);
      await expect(late).rejects.toThrow('start them before you await one');
      await expect(work.read(fjord, (tx) => save(tx, 'no'))).rejects.toThrow('repositories');
      expect(await whoAmI()).toMatchObject({ tenant: null });
    });

    it('keeps its connection after a read that failed, or whose answer was refused', async () => {
      const backend = async (): Promise<unknown> => (await dataSource.query('select pg_backend_pid() as pid'))[0];
      const before = await backend();
      const refused = (statements: number) =>
        work.read(fjord, async (tx) => {
          await Promise.all(Array.from({ length: statements }, () => labels(tx)));
          throw new Error('not for you');
        });
      for (const statements of [1, 2]) {
        await expect(refused(statements)).rejects.toThrow('not for you');
        expect(await exchanges(() => refused(statements).catch(() => undefined))).toBe(1);
      }
      await expect(work.read(fjord, (tx) => tx.sql('select 1/0'))).rejects.toMatchObject({ code: '22012' });
      await expect(work.read(fjord, (tx) => Promise.all([tx.sql('select 1/0'), labels(tx)]))).rejects.toMatchObject({ code: '22012' });
      const early = work.inTransaction(fjord, async (tx) => {
        const unsent = labels(tx);
        await Promise.all([unsent, Promise.reject(new Error('before it was sent'))]);
      });
      await expect(early).rejects.toThrow('before it was sent');
      expect(await work.read(fjord, labels)).toEqual(['fjord']);
      expect(await backend()).toEqual(before);
    });

    it('sends a write in one, its end included, with the rights of its tenant', async () => {
      const nobody = { who: server.login.user, tenant: null };
      const write = (label: string): Promise<unknown> =>
        work.write(fjord, (tx) => Promise.all([add(tx, label), labels(tx), add(tx, `${label}, too`)]));
      // The second statement sees the first, as in any transaction.
      expect(await write('cod')).toMatchObject([[], ['cod', 'fjord'], []]);
      expect(await exchanges(() => write('hake'))).toBe(1);
      expect(await whoAmI()).toEqual(nobody);
      expect(await work.read(fjord, labels)).toEqual(['cod', 'cod, too', 'fjord', 'hake', 'hake, too']);
      expect(await work.read(delta, labels)).toEqual(['delta']);
      const remove = `delete from parcels.parcel where label ~ '^(cod|hake)' returning label`;
      expect(await work.write(delta, (tx) => tx.sql(remove))).toEqual([]);
      expect(await work.writeAsSystem((tx) => tx.sql(remove))).toHaveLength(4);
      expect(await whoAmI()).toEqual(nobody);
    });

    it('keeps nothing of a write one statement of which fails, or that is of another tenant', async () => {
      const nobody = { who: server.login.user, tenant: null };
      const broken = work.write(fjord, (tx) => Promise.all([add(tx, 'first'), tx.sql('select 1/0'), add(tx, 'last')]));
      await expect(broken).rejects.toMatchObject({ code: '22012' });
      expect(await whoAmI()).toEqual(nobody);
      const foreign = work.write(fjord, (tx) =>
        Promise.all([add(tx, 'own'), add({ tenantId: delta.tenantId, sql: tx.sql.bind(tx) }, 'foreign')]),
      );
      await expect(foreign).rejects.toMatchObject({ code: '42501' });
      const late = work.write(fjord, async (tx) => [await labels(tx), await add(tx, 'late')]);
      await expect(late).rejects.toThrow('start them before you await one');
      await expect(work.write(fjord, (tx) => save(tx, 'no'))).rejects.toThrow('repositories');
      expect(await whoAmI()).toEqual(nobody);
      expect(await work.readAsSystem(labels)).toEqual(['delta', 'fjord']);
    });

    it('takes nothing back of a write whose answer was refused, and keeps its connection', async () => {
      const refused = work.write(fjord, async (tx) => {
        await add(tx, 'kept');
        throw new Error('not for you');
      });
      await expect(refused).rejects.toThrow('not for you');
      expect(await work.write(fjord, (tx) => tx.sql(`delete from parcels.parcel where label = 'kept' returning 1 as one`))).toEqual([
        { one: 1 },
      ]);
    });

    it('finds objects of a mapped class in an exchange with others, which their repository can save', async () => {
      const find = (): Promise<[Parcel[], string[]]> =>
        work.read(fjord, (tx) => Promise.all([tx.find(Parcel, 'parcels.parcel where label = $1', ['fjord']), labels(tx)]));
      const [[found], all] = await find();
      expect(found).toBeInstanceOf(Parcel);
      expect([found, all]).toMatchObject([{ tenantId: fjord.tenantId, label: 'fjord', grams: 1n }, ['fjord']]);
      expect(await exchanges(find)).toBe(1);
      await work.inTransaction(fjord, (tx) => tx.repository(Parcel).save(Object.assign(found!, { grams: 3n })));
      expect((await find())[0]).toMatchObject([{ id: found!.id, grams: 3n }]);
    });

    it('counts a read that takes too long as a database that is away, and uses its connection no more', async () => {
      const slow = work.read(fjord, (tx) => Promise.all([tx.sql('select pg_sleep(20)'), labels(tx)]));
      await expect(slow).rejects.toMatchObject({ code: 'database_unavailable' });
      expect(await work.read(fjord, labels)).toEqual(['fjord']);
    });
  });
}
