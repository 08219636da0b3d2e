import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { configFrom } from '#config';
import { AddMember, CreateTenant, CreateUser } from '#identity';
import { type PostgresEndpoint, migrate, migrationState } from '#persistence';
import {
  anyMessage,
  type StartedTestServer,
  cloneTestDatabase,
  createEmptyTestDatabase,
  dropTestDatabase,
  startTestServer,
  type TestDatabase,
  type TestServer,
  testServer,
} from '#persistence/testing';
import { LEFT_OUT } from '../../apps/cli/src/backup/table-origins.js';
import { asOperator } from '../../apps/cli/src/operator.js';
import { contexts } from '../../apps/runtime/src/index.js';
import { urlOf } from '../harness/url-of.js';
import { notRunHere } from '../harness/not-run-here.js';
import { findPostgresPrograms } from './persistence-server.js';

const run = promisify(execFile);
const programs = findPostgresPrograms();
/** Of the embedded PostgreSQL, on which tests run. */
const PACKAGED_MAJOR = 18;
const majorOf = (program: string): number => Number(/(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1]);

/** The commands of docs/how-to/back-up-and-recover.md, by programs of the server's own version. */
const suite = (binDir: string): void =>
  describe('a database that was dumped and restored', () => {
    let server: StartedTestServer;
    let before: TestDatabase;
    let restored: PostgresEndpoint;
    let keptOnly: PostgresEndpoint;
    let folder: string;

    const settings = (at: PostgresEndpoint) =>
      configFrom({
        DATABASE_URL: urlOf(at),
        DATA_DIR: folder,
        CONTENT_STORE: 'database',
        CHAIN_RPC_URLS: 'http://127.0.0.1:1',
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      });
    const where = ({ host, port, user }: PostgresEndpoint): string[] => ['--host', host, '--port', String(port), '--username', user];
    const as = async <T>(at: PostgresEndpoint, work: (client: Client) => Promise<T>): Promise<T> => {
      const client = new Client({ ...at });
      await client.connect();
      try {
        return await work(client);
      } finally {
        await client.end();
      }
    };
    /** Every row of every table, and every rule about rows, as a superuser sees them. */
    const all = ({ database }: PostgresEndpoint, on: TestServer = server): Promise<Record<string, unknown>> =>
      as({ ...on.admin, database }, async (client) => {
        const { rows: tables } = await client.query<{ name: string }>(
          `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
        );
        const found: Record<string, unknown> = {};
        for (const { name } of tables) found[name] = (await client.query(`select to_jsonb(t)::text as row from ${name} t order by 1`)).rows;
        const rules = `select c.oid::regclass::text as name, c.relrowsecurity, c.relforcerowsecurity, pg_get_userbyid(c.relowner) as owner,
          (select string_agg(format('%s %s %s', polname, polroles::regrole[], pg_get_expr(polqual, polrelid)), ';' order by polname)
           from pg_policy where polrelid = c.oid) as policies
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind in ('r', 'p', 'v') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' order by 1`;
        return { ...found, rules: (await client.query(rules)).rows };
      });

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'trace-backup-'));
      server = await startTestServer({ binDir });
      before = await cloneTestDatabase(contexts, server);
      const tenantId = await asOperator(settings(before.endpoint), async (app) => {
        const { id } = await app.get(CreateTenant).create({ slug: 'orchard', name: 'Orchard' });
        const { id: userId } = await app.get(CreateUser).create({ email: 'eve@orchard.example', name: 'Eve', password: 'a long password' });
        await app.get(AddMember).add(id, userId, { roles: ['TENANT_ADMIN'] });
        return id;
      });
      await before.unitOfWork.inTransaction({ tenantId }, (tx) =>
        tx.publish([
          anyMessage(
            'event.recorded',
            { text: 'é\u2028', noise: randomBytes(64).toString('base64') },
            { key: 'one', occurredAt: new Date() },
          ),
        ]),
      );
      // Rows that the indexer would write.
      await before.unitOfWork.asSystem(async (tx) => {
        await tx.sql(`insert into chain.block (chain_id, number, hash, parent_hash) values (31337, 1, '0x1', '0x0')`);
        await tx.sql(`insert into traceability.block_time (tenant_id, chain_id, block_number, at) values ($1, 31337, 1, now())`, [
          tenantId,
        ]);
      });
      restored = await createEmptyTestDatabase(server);
      await restore(await dump('trace.dump'), restored);
      keptOnly = await createEmptyTestDatabase(server);
      await restore(await dump('trace-kept.dump', ...(await leftOut())), keptOnly);
    });

    const dump = async (name: string, ...options: readonly string[]): Promise<string> => dumpOf(server, before.endpoint, name, ...options);
    const dumpOf = async (on: TestServer, { database }: PostgresEndpoint, name: string, ...options: readonly string[]): Promise<string> => {
      const file = join(folder, name);
      await run(join(binDir, 'pg_dump'), [...where(on.admin), '--format=custom', ...options, '--file', file, database]);
      return file;
    };
    const restore = (file: string, into: PostgresEndpoint, on: TestServer = server, ...options: readonly string[]): Promise<unknown> =>
      run(join(binDir, 'pg_restore'), [...where(on.admin), '--single-transaction', ...options, '--dbname', into.database, file]);
    const leftOut = async (): Promise<readonly string[]> => {
      const main = new URL('../../apps/cli/src/main.js', import.meta.url).pathname;
      return (await run(process.execPath, ['--no-warnings', main, 'backup', 'left-out'])).stdout.trim().split('\n');
    };

    afterAll(async () => {
      await before?.drop();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('is the same, row by row, with the same walls between tenants', async () => {
      const [one, other] = [await all(before.endpoint), await all(restored)];
      expect(one['identity.tenant']).toHaveLength(1);
      expect(one['persistence.outbox']).toHaveLength(1);
      expect(other).toEqual(one);
    });

    it('is what this version of the service works on, without a migration', async () => {
      expect(await migrationState(restored, contexts)).toMatchObject({ pending: [] });
      expect(await migrate(restored, contexts)).toEqual([]);
      expect(await asOperator(settings(restored), (app) => app.get(CreateTenant).find('orchard'))).toMatchObject({ slug: 'orchard' });
    });

    it('is the same but for the rows of what comes again by itself, where these were left out', async () => {
      const [one, other] = [await all(before.endpoint), await all(keptOnly)];
      expect(one['traceability.block_time']).toHaveLength(1);
      expect(other).toEqual({ ...one, ...Object.fromEntries(LEFT_OUT.map((table) => [table, []])) });
    });

    it('is not restored over one that is there: nothing of that changes', async () => {
      const was = await all(restored);
      await expect(restore(join(folder, 'trace-kept.dump'), restored)).rejects.toMatchObject({
        stderr: expect.stringContaining('already exists'),
      });
      expect(await all(restored)).toEqual(was);
    });

    it('is nothing where the dump was cut off, which reading all of it shows before', async () => {
      const file = join(folder, 'cut.dump');
      writeFileSync(file, readFileSync(join(folder, 'trace.dump')).subarray(0, -20));
      const empty = await createEmptyTestDatabase(server);
      await expect(run(join(binDir, 'pg_restore'), ['--file', '/dev/null', file])).rejects.toMatchObject({ code: 1 });
      await expect(restore(file, empty)).rejects.toMatchObject({ code: 1 });
      expect(Object.keys(await all(empty))).toEqual(['rules']);
    });

    it('is refused where the tables belong to who restored it, with the statement that gives them to the login of the service', async () => {
      const disowned = await createEmptyTestDatabase(server);
      await restore(join(folder, 'trace.dump'), disowned, server, '--no-owner');
      const refusal = await migrate(disowned, contexts).catch((error: unknown) => error as Error);
      expect(refusal).toMatchObject({ message: expect.stringContaining('belong to "postgres", not to its login "trace"') });
      const { owning } = await migrationState(disowned, contexts);
      expect((refusal as Error).message).toContain(owning!);
      await as({ ...server.admin, database: disowned.database }, (client) => client.query(owning!));
      expect(await migrationState(disowned, contexts)).toMatchObject({ pending: [], owning: null });
      expect(await migrate(disowned, contexts)).toEqual([]);
      expect(await all(disowned)).toEqual(await all(before.endpoint));
      expect(await asOperator(settings(disowned), (app) => app.get(CreateTenant).find('orchard'))).toMatchObject({ slug: 'orchard' });
    });

    const movedTo = async (to: TestServer, from: TestServer, source: PostgresEndpoint) => {
      const moved = await createEmptyTestDatabase(to);
      await restore(await dumpOf(from, source, 'moved.dump'), moved, to);
      const [migrations, rows] = [await migrate(moved, contexts), await all(moved, to)];
      await dropTestDatabase(moved, to);
      return { migrations, rows };
    };
    it('goes to a newer PostgreSQL', async () => {
      expect(await movedTo(testServer(), server, before.endpoint)).toEqual({ migrations: [], rows: await all(before.endpoint) });
    });

    // `pg_dump` reads no server that is newer than itself.
    const readsPackaged = majorOf(join(binDir, 'pg_dump')) >= PACKAGED_MAJOR;
    (readsPackaged ? it : it.skip)(`comes from PostgreSQL ${PACKAGED_MAJOR}, by its own pg_dump`, async () => {
      const source = await cloneTestDatabase(contexts);
      const rows = await all(source.endpoint, testServer());
      expect(await movedTo(server, testServer(), source.endpoint)).toEqual({ migrations: [], rows });
      await source.drop();
    });

    it('cannot be dumped by the login of the service: the walls between tenants hold for it too', async () => {
      const asService = { ...before.endpoint, ...server.login };
      await expect(
        run(join(binDir, 'pg_dump'), [...where(asService), '--file', join(folder, 'refused.sql'), before.endpoint.database]),
      ).rejects.toMatchObject({ stderr: expect.stringContaining('row-level security') });
    });
  });

if (programs && existsSync(join(programs, 'pg_dump'))) suite(programs);
else notRunHere('a database that was dumped and restored: it needs pg_dump of the distribution (postgresql-client), or TEST_POSTGRES_BIN');
