import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import {
  type ContextPersistence,
  LoginTooPowerful,
  migrate,
  MigrationRefused,
  migrationState,
  openDatabase,
  type PostgresEndpoint,
  RolesMissing,
} from '#persistence';
import { createEmptyTestDatabase, dropTestDatabase, type StartedTestServer } from '#persistence/testing';

/** Without what the engine brings for itself, which grows. */
const ofHerbs = (names: readonly string[]): readonly string[] => names.filter((name) => name.startsWith('herbs/'));

const LEAF = `
  grant usage on schema herbs to trace_tenant, trace_system;
  create table herbs.leaf (tenant_id uuid, name text);
  create table herbs.moss (name text);
  call persistence.protect('herbs.leaf');`;

/** What `migrate` and the check of the login keep on every PostgreSQL. */
export function migrationsSuite(name: string, start: () => Promise<StartedTestServer>): void {
  describe(`migrations on ${name}`, () => {
    let server: StartedTestServer;
    let at: PostgresEndpoint;
    let folder: string;
    let herbs: ContextPersistence;
    const write = (file: string, sql: string): Promise<void> => writeFile(join(folder, file), sql);
    const query = async <Row extends object>(sql: string, as: PostgresEndpoint = at): Promise<Row[]> => {
      const client = new Client({ ...as });
      await client.connect();
      try {
        return (await client.query<Row>(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const admin = (sql: string): Promise<object[]> => query(sql, { ...server.admin, database: at.database });
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.stop());
    beforeEach(async () => {
      at = await createEmptyTestDatabase(server);
      folder = await mkdtemp(join(tmpdir(), 'trace-herbs-'));
      herbs = { schema: 'herbs', migrations: pathToFileURL(folder), entities: [] };
      await write('202612010200-herb.sql', 'create table herbs.herb (name text primary key);');
    });
    afterEach(async () => {
      await dropTestDatabase(at, server);
      await rm(folder, { recursive: true });
    });

    it('runs each file once, in the order of their time stamps', async () => {
      await write('202612010300-sage.sql', `insert into herbs.herb values ('sage');`);
      await write('202612010400-rename.sql', `update herbs.herb set name = 'common sage';`);
      const names = await migrate(at, [herbs]);
      expect(names.slice(0, 4)).toEqual([
        'persistence/202611300830-persistence',
        'herbs/202612010200-herb',
        'herbs/202612010300-sage',
        'herbs/202612010400-rename',
      ]);
      expect(names).toEqual([...new Set(names)]);
      expect(ofHerbs(names)).toHaveLength(3);
      expect(await migrate(at, [herbs])).toEqual([]);
      expect(await query('select * from herbs.herb')).toEqual([{ name: 'common sage' }]);
      expect(await query('select name from persistence.migration order by applied_at, name')).toHaveLength(names.length);
    });

    it('may be started by many at once', async () => {
      const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(at, [herbs])));
      expect(applied.filter((names) => names.length > 0).map(ofHerbs)).toEqual([['herbs/202612010200-herb']]);
    });

    it('refuses a database that a newer version has migrated', async () => {
      await write('202701010000-later.sql', 'create table herbs.later ();');
      await migrate(at, [herbs]);
      await rm(join(folder, '202701010000-later.sql'));
      await expect(migrate(at, [herbs])).rejects.toThrow(/newer than this version .* herbs\/202701010000-later/);
    });

    it('refuses the data of an unreleased version, and says what to do', async () => {
      await migrate(at, [herbs]);
      await query(`insert into persistence.migration (name, checksum) values ('herbs/202611280200-herb', '')`);
      await expect(migrate(at, [herbs])).rejects.toThrow(
        'This data was written by an unreleased version of the service and cannot be upgraded: start with another DATA_DIR or an empty database.',
      );
    });

    it('refuses data of a file that was edited since, and says what to do; other line ends are the same file', async () => {
      await write('202612010200-herb.sql', 'create table herbs.herb (\n name text primary key);');
      await migrate(at, [herbs]);
      await write('202612010200-herb.sql', 'create table herbs.herb (\r\n name text primary key);');
      expect(await migrate(at, [herbs])).toEqual([]);
      await write('202612010200-herb.sql', 'create table herbs.herb (name text);');
      const refused = await migrate(at, [herbs]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(MigrationRefused);
      expect((refused as Error).message).toBe(
        'This data was written by an unreleased version of the service, which had another herbs/202612010200-herb, and cannot be upgraded: start with another DATA_DIR or an empty database.',
      );
      expect(await query('select * from herbs.herb')).toEqual([]);
    });

    it('leaves nothing of a file that failed, keeps those before it, and goes on once it is mended', async () => {
      await write('202612010300-broken.sql', `create table herbs.half (); select 1 / 0;`);
      await expect(migrate(at, [herbs])).rejects.toThrow('migration herbs/202612010300-broken failed: division by zero');
      expect(await query(`select to_regclass('herbs.herb') as herb, to_regclass('herbs.half') as half`)).toEqual([
        { herb: 'herbs.herb', half: null },
      ]);
      await write('202612010300-broken.sql', 'create table herbs.half ();');
      expect(ofHerbs(await migrate(at, [herbs]))).toEqual(['herbs/202612010300-broken']);
    });

    it.each(['herb.sql', '202612010090-minute.sql', '202602300000-day.sql'])('refuses %s, whose name is no time', async (file) => {
      await write(file, '');
      await expect(migrate(at, [herbs])).rejects.toThrow('<yyyymmddHHMM>-<name>.sql');
    });

    it('refuses a database that a restore left incomplete, and asks for nothing that a migration removed or an operator added', async () => {
      await write('202612010300-leaf.sql', LEAF);
      await write('202612010400-moss.sql', 'drop table herbs.moss;');
      await migrate(at, [herbs]);
      await query('create index of_the_operator on herbs.leaf (name); create table herbs.notes ()');
      expect(await migrate(at, [herbs])).toEqual([]);
      await query('drop index herbs.of_the_operator');
      const refused = async (what: string | RegExp) => {
        for (const check of [migrate, migrationState]) {
          const refusal = await check(at, [herbs]).catch((error: unknown) => error);
          expect(refusal).toBeInstanceOf(MigrationRefused);
          expect((refusal as Error).message).toMatch(what);
        }
      };
      await query('alter table herbs.herb drop constraint herb_pkey');
      await refused(/it lacks the (index|constraint) herb.* and 1 more\. A restore broke off/);
      await query('alter table herbs.herb add primary key (name); alter table herbs.leaf no force row level security');
      await refused('it lacks the row-level security of herbs.leaf.');
      await query('alter table herbs.leaf force row level security; alter policy of_tenant on herbs.leaf rename to of_nobody');
      await refused('it lacks the policy of_tenant of herbs.leaf.');
      await query('alter policy of_nobody on herbs.leaf rename to of_tenant; revoke select on herbs.leaf from trace_tenant');
      await refused('it lacks the right of trace_tenant to select herbs.leaf.');
      await query('grant select on herbs.leaf to trace_tenant; revoke usage on schema herbs from trace_system');
      await refused('it lacks the right of trace_system to usage schema herbs.');
      await query('grant usage on schema herbs to trace_system');
      expect(await migrate(at, [herbs])).toEqual([]);
      await query('delete from persistence.migration');
      await refused(/it has the table \S+, but not the list of its migrations\. A restore broke off/);
    });

    it('names the statements that an administrator runs when the login has no membership of the roles', async () => {
      const login = `outsider_${process.pid}`;
      await admin(`create role ${login} login password 'secret'`);
      await admin(`alter database ${at.database} owner to ${login}`);
      const outsider = { ...at, user: login, password: 'secret' };
      try {
        const refused = await migrate(outsider, [herbs]).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(RolesMissing);
        const { statements } = refused as RolesMissing;
        expect(statements).toEqual([
          expect.stringMatching(/^grant trace_tenant to outsider_/),
          expect.stringMatching(/^grant trace_system to outsider_/),
        ]);
        expect((refused as RolesMissing).message).toContain(statements[0]);
        await expect(openDatabase(outsider, [])).rejects.toBeInstanceOf(RolesMissing);
        for (const statement of statements) await admin(statement);
        expect(ofHerbs(await migrate(outsider, [herbs]))).toHaveLength(1);
      } finally {
        await dropTestDatabase(at, server);
        await query(`drop role ${login}`, server.admin);
      }
    });

    it('makes the membership itself where the login may create roles', async () => {
      const login = `maker_${process.pid}`;
      await admin(`create role ${login} login createrole password 'secret'`);
      if (await isAtLeast16()) await admin(`grant trace_tenant, trace_system to ${login} with admin option, set false`);
      await admin(`alter database ${at.database} owner to ${login}`);
      const maker = { ...at, user: login, password: 'secret' };
      try {
        await migrate(maker, [herbs]);
        const dataSource = await openDatabase(maker, [herbs], { mode: 'production', warn: () => undefined });
        await dataSource.destroy();
      } finally {
        await dropTestDatabase(at, server);
        await query(`drop role ${login}`, server.admin);
      }
    });

    it('refuses a superuser and BYPASSRLS in production, and warns of them in development', async () => {
      await migrate(at, [herbs]);
      const superuser = { ...server.admin, database: at.database };
      await expect(openDatabase(superuser, [], { mode: 'production' })).rejects.toBeInstanceOf(LoginTooPowerful);
      const said: string[] = [];
      const dataSource = await openDatabase(superuser, [], { mode: 'development', warn: (sentence) => said.push(sentence) });
      await dataSource.destroy();
      expect(said).toEqual([expect.stringContaining('a superuser')]);
      const login = `bypass_${process.pid}`;
      await admin(`create role ${login} login bypassrls noinherit password 'secret'`);
      await admin(`grant trace_tenant, trace_system to ${login}`);
      try {
        await expect(openDatabase({ ...at, user: login, password: 'secret' }, [], { mode: 'production' })).rejects.toThrow('BYPASSRLS');
      } finally {
        await query(`drop role ${login}`, server.admin);
      }
    });

    const isAtLeast16 = async (): Promise<boolean> =>
      (await query<{ num: number }>(`select current_setting('server_version_num')::int as num`))[0]!.num >= 160_000;
  });
}
