import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Job, Queue } from 'bullmq';
import { Client } from 'pg';
import { type ContentEngine, contentPersistence, ContentStorageModule, ContentStore } from '#content-storage';
import {
  DatabaseHealth,
  DatabaseNotifications,
  LoginTooPowerful,
  PersistenceModule,
  type PostgresEndpoint,
  UnitOfWork,
} from '#persistence';
import { cloneTestDatabase, type TestDatabase, testServer } from '#persistence/testing';
import { JobQueue, type QueueEngine, QueueModule } from '#queue';
import { eventuallyHolds } from '../harness/eventually.js';
import { notRunHere } from '../harness/not-run-here.js';
import { findRedis, startRedis } from './queue-redis.js';
import type { RunningQueueEngine } from './queue.suite.js';

/** A use case as the contexts write them. */
@Injectable()
class KeepNote {
  constructor(
    private readonly work: UnitOfWork,
    private readonly content: ContentStore,
    private readonly queue: JobQueue,
  ) {}

  async keep(text: string): Promise<string> {
    const { cid } = await this.content.put(Buffer.from(text));
    await this.work.asSystem((tx) => tx.sql('select 1'));
    await this.queue.enqueue('notes', { cid });
    return cid;
  }
}

@Processor('nest-notes')
class NoteProcessor extends WorkerHost {
  readonly seen: unknown[] = [];

  override async process(job: Job): Promise<void> {
    this.seen.push(job.data);
  }
}

function service(at: PostgresEndpoint, engine: QueueEngine, content: ContentEngine): new () => object {
  @Module({
    imports: [
      PersistenceModule.forRoot({ endpoint: at, contexts: [contentPersistence], mode: 'production', applicationName: 'trace-modules' }),
      QueueModule.forRoot(engine),
      ContentStorageModule.forRoot(content),
      BullModule.registerQueue({ name: 'nest-notes' }),
    ],
    providers: [KeepNote, NoteProcessor],
  })
  class Service {}
  return Service;
}

function modulesSuite(name: string, open: (db: TestDatabase) => Promise<RunningQueueEngine>): void {
  describe(`the engines' modules, with jobs on ${name}`, () => {
    let db: TestDatabase;
    let jobs: RunningQueueEngine;
    let folder: string;
    beforeAll(async () => {
      db = await cloneTestDatabase([contentPersistence]);
      jobs = await open(db);
      folder = await mkdtemp(join(tmpdir(), 'trace-modules-'));
    });
    afterAll(async () => {
      await jobs.stop();
      await db.drop();
      await rm(folder, { recursive: true });
    });

    it.each(['files', 'database'] as const)('give the ports to every module, content in %s, and end with the application', async (kind) => {
      const content: ContentEngine = kind === 'files' ? { kind, folder } : { kind };
      const app = await NestFactory.createApplicationContext(service(db.endpoint, jobs.engine, content), { logger: false });
      const received: string[] = [];
      app.get(DatabaseNotifications).listen('notes', (payload) => received.push(payload));
      const kept: unknown[] = [];
      await app.get(JobQueue).consume('notes', async (payload) => void kept.push(payload));
      const cid = await app.get(KeepNote).keep(`a note in ${kind}`);
      await eventuallyHolds(() => expect(kept).toEqual([{ cid }]));
      expect(Buffer.from((await app.get(ContentStore).get(cid))!).toString()).toBe(`a note in ${kind}`);
      await app.get<Queue>(getQueueToken('nest-notes')).add('note', { cid });
      await eventuallyHolds(() => expect(app.get(NoteProcessor).seen).toEqual([{ cid }]));
      await Promise.all([app.get(DatabaseHealth).check(), app.get(JobQueue).check(), app.get(ContentStore).check()]);
      await eventuallyHolds(() => expect(received).toEqual(['']));
      await app.close();
      await eventuallyHolds(async () => expect(await connectionsTo(db.endpoint, 'trace')).toEqual([]));
    });
  });
}

describe('the database module', () => {
  it('does not let an application start with a superuser in production', async () => {
    @Module({ imports: [PersistenceModule.forRoot({ endpoint: testServer().admin, contexts: [], mode: 'production' })] })
    class Powerful {}
    const starting = NestFactory.createApplicationContext(Powerful, { logger: false, abortOnError: false });
    await expect(starting).rejects.toBeInstanceOf(LoginTooPowerful);
  });
});

/** Names of the open connections that begin with `prefix`; the suite's own pool is `trace-test`. */
async function connectionsTo(at: PostgresEndpoint, prefix: string): Promise<string[]> {
  const client = new Client({ ...at, application_name: 'looking' });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and application_name like $1 and application_name <> 'trace-test'`,
    [`${prefix}%`],
  );
  await client.end();
  return rows.map(({ name }) => name);
}

modulesSuite('the database', async (db) => ({ engine: { kind: 'database', at: db.endpoint }, stop: async () => undefined }));
const redis = findRedis();
if (redis) modulesSuite('Redis', () => startRedis(redis));
else notRunHere("the engines' modules, with jobs on Redis: install redis-server, or set TEST_REDIS_BIN or TEST_REDIS_URL");
