import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EngineUnavailable, newId } from '#kernel';
import { migrate, openDatabase, UnitOfWork, withClient } from '#persistence';
import { type StandbyServer, startStandby } from '#persistence/testing';
import type { DataSource } from 'typeorm';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { notRunHere } from '../harness/not-run-here.js';
import { labels, parcels, save } from './persistence-parcels.js';
import { findPostgresPrograms, type OwnPostgres, startOwnPostgres } from './persistence-server.js';

const binDir = findPostgresPrograms();

/** docs/how-to/run-several-processes.md#a-standby-of-the-database: an address that leads to the server in charge, and commits that wait for the standby. */
const suite = (programs: string): void =>
  describe('a standby that takes over from a database server that died', () => {
    const tenant = { tenantId: newId() };
    const folder = mkdtempSync(join(tmpdir(), 'trace-standby-'));
    const address = join(folder, 'address');
    let primary: OwnPostgres;
    let standby: StandbyServer;
    let dataSource: DataSource;
    let work: UnitOfWork;

    const leadTo = (host: string): void => {
      symlinkSync(host, `${address}.new`);
      renameSync(`${address}.new`, address);
    };

    beforeAll(async () => {
      primary = await startOwnPostgres(programs);
      const { superuser, endpoint } = primary.server();
      await migrate(endpoint, [parcels]);
      standby = await startStandby(superuser, programs, join(folder, 'postgres'));
      await withClient(superuser, async (client) => {
        await client.query(`alter system set synchronous_standby_names = '*'`);
        await client.query('select pg_reload_conf()');
        await eventually('commits wait for the standby', async () => {
          const { rows } = await client.query<{ sync_state: string }>('select sync_state from pg_stat_replication');
          return rows[0]?.sync_state === 'sync';
        });
      });
      leadTo(endpoint.host);
      dataSource = await openDatabase({ ...endpoint, host: address }, [parcels], { mode: 'production', warn: () => undefined });
      work = new UnitOfWork(dataSource);
    });
    afterAll(async () => {
      await dataSource?.destroy();
      await standby?.stop();
      await primary?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('has everything that was answered; what it was not there for is refused as unavailable, and works afterwards without a restart', async () => {
      const answered: string[] = [];
      const refusals: unknown[] = [];
      const over = new AbortController();
      const write = async (writer: number): Promise<void> => {
        for (let i = 0; !over.signal.aborted; i++) {
          const label = `${writer}-${i}`;
          await work
            .inTransaction(tenant, (tx) => save(tx, label))
            .then(
              () => answered.push(label),
              async (error: unknown) => {
                refusals.push(error);
                await pause(5);
              },
            );
        }
      };
      const writers = [1, 2, 3, 4].map(write);
      await eventually('writes are answered', () => answered.length > 40);

      await primary.kill();
      await eventually('writes are refused', () => refusals.length > 4);
      leadTo(standby.host);
      // Not in charge yet: it is read, and says that it takes no writes.
      await eventuallyHolds(async () => expect((await work.asSystem(labels)).length).toBeGreaterThan(0));
      await expect(work.checkWrites()).rejects.toMatchObject({ engine: 'database', cause: { code: '25006' } });
      const before = answered.length;

      await standby.promote();
      await eventually('writes are answered again', () => answered.length > before + 40);
      // The last write that failed is remembered for a while.
      await eventuallyHolds(() => work.checkWrites());
      over.abort();
      await Promise.all(writers);
      const kept = new Set(await work.asSystem(labels));
      expect(answered.filter((label) => !kept.has(label))).toEqual([]);
      expect(refusals.filter((error) => !(error instanceof EngineUnavailable))).toEqual([]);
    });
  });

if (binDir && existsSync(join(binDir, 'pg_basebackup'))) suite(binDir);
else notRunHere('a standby of the database: it needs pg_basebackup of the distribution (postgresql), or TEST_POSTGRES_BIN');
