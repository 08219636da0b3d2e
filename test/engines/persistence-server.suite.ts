import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EngineUnavailable, newId } from '#kernel';
import {
  DatabaseHealth,
  DataFolderInUse,
  DataFolderUnusable,
  migrate,
  openDatabase,
  DatabaseNotifications,
  type PostgresEndpoint,
  startEmbeddedPostgres,
  UnitOfWork,
  withClient,
} from '#persistence';
import type { DataSource } from 'typeorm';
import { eventuallyHolds } from '../harness/eventually.js';
import { labels, parcels, save } from './persistence-parcels.js';
import { type OwnPostgres, startOwnPostgres } from './persistence-server.js';

/** What a server of our own, and the pools on it, keep when it is killed, started twice, or given a folder it cannot use. */
export function embeddedServerSuite(name: string, binDir?: string): void {
  const from = binDir ? { binDir } : {};

  describe(`a running server of ${name}`, () => {
    const tenant = { tenantId: newId() };
    let postgres: OwnPostgres;
    let dataSource: DataSource;
    let work: UnitOfWork;
    beforeAll(async () => {
      postgres = await startOwnPostgres(binDir);
      await migrate(postgres.endpoint, [parcels]);
      dataSource = await openDatabase(postgres.endpoint, [parcels], { mode: 'production', warn: () => undefined });
      work = new UnitOfWork(dataSource);
    });
    afterAll(async () => {
      await dataSource.destroy();
      await postgres.stop();
    });

    it('answers unavailable while it is away, also in the middle of a transaction, and works when it is back', async () => {
      const health = new DatabaseHealth(dataSource);
      await health.check();
      await work.inTransaction(tenant, (tx) => save(tx, 'before'));
      const interrupted = work.inTransaction(tenant, async (tx) => {
        await save(tx, 'never committed');
        await postgres.kill();
        await save(tx, 'never written');
      });
      await expect(interrupted).rejects.toMatchObject({ code: 'database_unavailable', status: 503 });
      await expect(work.asSystem(labels)).rejects.toBeInstanceOf(EngineUnavailable);
      await expect(health.check()).rejects.toMatchObject({ engine: 'database' });
      await postgres.startAgain();
      await health.check();
      expect(await work.asSystem(labels)).toEqual(['before']);
    });

    it('answers unavailable while it is being restored, and works when its tables are there', async () => {
      const health = new DatabaseHealth(dataSource);
      const rename = (schema: string, to: string): Promise<unknown> =>
        withClient(postgres.endpoint, (client) => client.query(`alter schema ${schema} rename to ${to}`));
      await rename('persistence', 'aside');
      await expect(health.check()).rejects.toMatchObject({ engine: 'database', cause: { message: expect.stringContaining('no tables') } });
      await rename('aside', 'persistence');
      await rename('parcels', 'aside');
      await expect(work.asSystem(labels)).rejects.toMatchObject({ engine: 'database', cause: { code: '42P01' } });
      await rename('aside', 'parcels');
      await health.check();
      expect(await work.asSystem(labels)).toEqual(['before']);
    });

    it('says that it takes no writes while it answers reads: by its setting, and by a write that failed for want of space', async () => {
      await work.checkWrites();
      await dataSource.query(`alter database ${postgres.endpoint.database} set default_transaction_read_only = on`);
      const late = await openDatabase(postgres.endpoint, [parcels], { mode: 'production', warn: () => undefined });
      try {
        const readOnly = new UnitOfWork(late);
        expect(await readOnly.readAsSystem(labels)).toEqual(['before']);
        await expect(readOnly.checkWrites()).rejects.toMatchObject({ engine: 'database', cause: { code: '25006' } });
        await expect(readOnly.inTransaction(tenant, (tx) => save(tx, 'no'))).rejects.toBeInstanceOf(EngineUnavailable);
      } finally {
        await late.destroy();
        await withClient(postgres.endpoint, async (client) => {
          await client.query('set default_transaction_read_only = off');
          await client.query(`alter database ${postgres.endpoint.database} reset default_transaction_read_only`);
        });
      }
      await work.checkWrites();
      const full = `do $$ begin raise exception 'could not extend the file' using errcode = 'disk_full'; end $$`;
      await expect(work.asSystem((tx) => tx.sql(full))).rejects.toBeInstanceOf(EngineUnavailable);
      await expect(work.checkWrites()).rejects.toMatchObject({ engine: 'database', cause: { code: '53100' } });
      // The check after five seconds writes, and finds that it works.
      await eventuallyHolds(() => work.checkWrites());
    });

    it('starts again by itself after kill -9 under writes, with every commit that was confirmed', async () => {
      const faults: Error[] = [];
      const server = postgres.server();
      const killed = server.pid;
      server.onExit((fault) => faults.push(fault));
      let restarts = 0;
      server.onRestart(() => restarts++);
      const confirmed: string[] = [];
      const enough = new AbortController();
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; !enough.signal.aborted; n++) {
          const label = `${writer}/${n}`;
          await work.inTransaction(tenant, (tx) => save(tx, label)).then(() => confirmed.push(label), unavailableOnly);
        }
      };
      const writers = Promise.all([1, 2, 3, 4].map(write));
      try {
        await eventuallyHolds(() => expect(confirmed.length).toBeGreaterThan(100));
        process.kill(killed, 'SIGKILL');
        await eventuallyHolds(() => expect([server.pid > 0, server.pid === killed]).toEqual([true, false]));
        const afterRestart = confirmed.length;
        await eventuallyHolds(() => expect(confirmed.length).toBeGreaterThan(afterRestart + 50));
      } finally {
        enough.abort();
        await writers;
      }
      expect(await work.asSystem(labels)).toEqual(expect.arrayContaining(confirmed));
      expect(faults[0]!.message.split('\n')[0]).toBe('PostgreSQL ended (SIGKILL)');
      expect(restarts).toBe(1);
    });

    it('passes payloads to a listener, and an empty one after each loss of the connection so that it reads again', async () => {
      const received: string[] = [];
      const notifications = new DatabaseNotifications(postgres.endpoint);
      const listening = notifications.listen('Trace "quoted"', (payload) => received.push(payload));
      await eventuallyHolds(() => expect(received).toEqual(['']));
      await dataSource.query(`select pg_notify('Trace "quoted"', 'one')`);
      await eventuallyHolds(() => expect(received).toEqual(['', 'one']));
      await postgres.kill();
      await postgres.startAgain();
      await eventuallyHolds(() => expect(received).toEqual(['', 'one', '']));
      await dataSource.query(`select pg_notify('Trace "quoted"', 'two')`);
      await eventuallyHolds(() => expect(received).toEqual(['', 'one', '', 'two']));
      await listening.close();
      const [left] = await dataSource.query(`select count(*)::int as n from pg_stat_activity where application_name = 'trace-listen'`);
      expect(left).toEqual({ n: 0 });
      await notifications.close();
    });

    it('refuses a second server on its folder', async () => {
      const second = startEmbeddedPostgres({ dataDir: postgres.dataDir, ...from });
      await expect(second).rejects.toBeInstanceOf(DataFolderInUse);
      await expect(second).rejects.toThrow(`process ${postgres.server().pid}`);
      expect(await work.asSystem((tx) => tx.sql('select 1 as one'))).toEqual([{ one: 1 }]);
    });
  });

  describe(`the folder of ${name}`, () => {
    let folder: string;
    let dataDir: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trace-folder-'));
      dataDir = join(folder, 'deep', 'postgres');
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it('ends with the process that owns it, even by kill -9, and serves the next one', async () => {
      const owner = spawn(
        process.execPath,
        [fileURLToPath(new URL('./persistence-owner.js', import.meta.url)), dataDir, ...(binDir ? [binDir] : [])],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const [said] = (await once(owner.stdout, 'data')) as [Buffer];
      const pid = Number.parseInt(said.toString(), 10);
      expect(process.kill(pid, 0)).toBe(true);
      owner.kill('SIGKILL');
      await eventuallyHolds(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
      const next = await startEmbeddedPostgres({ dataDir, ...from });
      expect(next.endpoint).toMatchObject({ user: 'trace', database: 'trace' });
      await next.stop();
      expect(existsSync(next.endpoint.host)).toBe(false);
    });

    it('is taken over from crashed starts: a half-made database, a reused process number', async () => {
      await mkdir(`${dataDir}.new-4194305`, { recursive: true });
      await writeFile(join(`${dataDir}.new-4194305`, 'PG_VERSION'), '18');
      const first = await startEmbeddedPostgres({ dataDir, ...from });
      expect(await readdir(dirname(dataDir))).toEqual(['postgres']);
      await first.stop('immediate');
      // The number of a live process that is no PostgreSQL: this one's.
      await writeFile(join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n`);
      const second = await startEmbeddedPostgres({ dataDir, ...from });
      await second.stop();
    });

    it('lets one of two that start at the same moment have it', async () => {
      const both = await Promise.allSettled([startEmbeddedPostgres({ dataDir, ...from }), startOwnerProcess(dataDir, binDir)]);
      const started = both.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
      expect(started).toHaveLength(1);
      await started[0]!.stop();
    });

    it('is never overwritten where it holds something else', async () => {
      await mkdir(dataDir, { recursive: true });
      await writeFile(join(dataDir, 'thesis.txt'), 'irreplaceable');
      await expect(startEmbeddedPostgres({ dataDir, ...from })).rejects.toThrow('contains other files and no database');
      expect(await readdir(dataDir)).toEqual(['thesis.txt']);
      expect(await readdir(dirname(dataDir))).toEqual(['postgres']);
    });

    it('is refused in one sentence when it is a file, or in a file', async () => {
      await writeFile(join(folder, 'file'), '');
      await expect(startEmbeddedPostgres({ dataDir: join(folder, 'file'), ...from })).rejects.toThrow('is not a folder');
      await expect(startEmbeddedPostgres({ dataDir: join(folder, 'file', 'postgres'), ...from })).rejects.toThrow('is not a folder');
    });

    const mountable = canMount();
    const onDisk = (what: string, size: string, test: (disk: string) => Promise<void>): void => {
      (mountable ? it : it.skip)(`${what}${mountable ? '' : ' (needs the right to mount)'}`, async () => {
        const disk = join(folder, 'disk');
        await mkdir(disk);
        spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', disk]);
        try {
          await test(disk);
        } finally {
          spawnSync('umount', [disk]);
        }
      });
    };

    onDisk('gets one sentence when its disk is full, at the first start', '12m', async (disk) => {
      await expect(startEmbeddedPostgres({ dataDir: join(disk, 'postgres'), ...from })).rejects.toThrow('has no space left');
      expect(await readdir(disk)).toEqual([]);
    });

    onDisk('gets one sentence when its disk is full, at a later start', '200m', async (disk) => {
      const server = await startEmbeddedPostgres({ dataDir: join(disk, 'postgres'), ...from });
      await server.stop();
      spawnSync('sh', ['-c', `cat /dev/zero > ${disk}/filler`], { stdio: 'ignore' });
      await expect(startEmbeddedPostgres({ dataDir: join(disk, 'postgres'), ...from })).rejects.toThrow('has no space left');
    });

    onDisk('gets one sentence when its disk is read-only', '12m', async (disk) => {
      spawnSync('mount', ['-o', 'remount,ro', disk]);
      const refused = startEmbeddedPostgres({ dataDir: join(disk, 'postgres'), ...from });
      await expect(refused).rejects.toBeInstanceOf(DataFolderUnusable);
      await expect(refused).rejects.toThrow('cannot be written');
    });

    const plain = process.getuid?.() !== 0;
    (plain ? it : it.skip)('gets one sentence when we have no right to it', async () => {
      await chmod(folder, 0o500);
      await expect(startEmbeddedPostgres({ dataDir, ...from })).rejects.toThrow('cannot be written');
      await chmod(folder, 0o700);
    });

    const nobody = process.getuid?.() === 0 && binDir !== undefined;
    (nobody ? it : it.skip)(
      `can be handed to nobody and back, where root may not use namespaces${nobody ? '' : ' (needs root)'}`,
      async () => {
        await chmod(folder, 0o755);
        const open = join(folder, 'postgres');
        for (const allowNamespace of [true, false, true]) {
          const server = await startEmbeddedPostgres({ dataDir: open, allowNamespace, ...from });
          expect(server.mode === 'nobody').toBe(!allowNamespace || server.mode === 'nobody');
          if (!allowNamespace) expect(server.mode).toBe('nobody');
          expect(await idOf(server.endpoint)).toBe('trace');
          await server.stop();
        }
      },
    );

    it('says when another version of PostgreSQL has made it', async () => {
      const server = await startEmbeddedPostgres({ dataDir, ...from });
      await server.stop();
      await writeFile(join(dataDir, 'PG_VERSION'), '14\n');
      await expect(startEmbeddedPostgres({ dataDir, ...from })).rejects.toThrow('was created by PostgreSQL 14');
    });
  });
}

function unavailableOnly(error: unknown): void {
  if (!(error instanceof EngineUnavailable)) throw error;
}

async function idOf(endpoint: PostgresEndpoint): Promise<string> {
  const dataSource = await openDatabase(endpoint, [], { mode: 'production' });
  const [{ who }] = await dataSource.query('select current_user as who');
  await dataSource.destroy();
  return who as string;
}

async function startOwnerProcess(dataDir: string, binDir?: string): Promise<{ stop(): Promise<void> }> {
  const program = fileURLToPath(new URL('./persistence-owner.js', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, ...(binDir ? [binDir] : [])], { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  const [said] = await Promise.race([once(child.stdout, 'data'), closed]);
  if (typeof said === 'number' || said === null) throw new Error('the other start was refused');
  return {
    stop: async () => {
      child.kill('SIGKILL');
      await closed;
      await eventuallyHolds(() => expect(existsSync(join(dataDir, 'postmaster.pid'))).toBe(false));
      // A killed process leaves the empty folder of its socket to the next start.
      await rm(said.toString().trim().split(' ')[1], { recursive: true });
    },
  };
}

function canMount(): boolean {
  return process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
}
