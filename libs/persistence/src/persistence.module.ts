import { setTimeout as wait } from 'node:timers/promises';
import { type DynamicModule, Global, Injectable, Logger, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DatabaseClock } from './connection/database-clock.js';
import { DatabaseHealth, type DatabaseOptions, openDatabase } from './connection/database.js';
import type { PostgresEndpoint } from './connection/endpoint.js';
import { BlankCopies } from './copies/blank-copies.js';
import { CopiesUnderWay } from './copies/copies-under-way.js';
import { persistenceCopies } from './copies/persistence.copies.js';
import { DatabaseNotifications } from './connection/database-notifications.js';
import { isDatabaseAway, UnitOfWork } from './unit-of-work/unit-of-work.js';
import { AnswerCache } from './revisions/answer-cache.js';
import type { ContextPersistence } from './unit-of-work/tx.js';

export interface PersistenceOptions extends DatabaseOptions {
  readonly endpoint: PostgresEndpoint;
  /** Without a pooler between; the same when absent. */
  readonly direct?: PostgresEndpoint;
  /** False behind a pooler that gives each transaction another connection. */
  readonly named?: boolean;
  readonly contexts: readonly ContextPersistence[];
}

@Injectable()
class CloseNotifications implements OnApplicationShutdown {
  constructor(private readonly notifications: DatabaseNotifications) {}

  async onApplicationShutdown(): Promise<void> {
    await this.notifications.close();
  }
}

const ATTEMPTS = 10;
const BETWEEN_ATTEMPTS_MS = 1_000;

/** Waits for a database that is unavailable; a refused login is reported immediately. */
async function openOnceThere(open: () => Promise<DataSource>, warn: (sentence: string) => void): Promise<DataSource> {
  for (let attempt = 1; ; attempt++)
    try {
      return await open();
    } catch (error) {
      if (attempt === ATTEMPTS || !isDatabaseAway(error)) throw error;
      warn(`${(error as Error).message} It is tried again (${attempt} of ${ATTEMPTS}).`);
      await wait(BETWEEN_ATTEMPTS_MS);
    }
}

/** Provides `UnitOfWork`, `AnswerCache`, `BlankCopies`, `DatabaseClock`, `DatabaseHealth` and `DatabaseNotifications` to every module. Call `migrate` before. */
@Global()
@Module({})
export class PersistenceModule {
  static forRoot(options: PersistenceOptions): DynamicModule {
    const log = new Logger('Database');
    const warn = options.warn ?? ((sentence: string): void => log.warn(sentence));
    const clock = new DatabaseClock();
    const ofDataSource = <T>(provide: abstract new (...args: never[]) => T, make: (dataSource: DataSource) => T) => ({
      provide,
      useFactory: make,
      inject: [getDataSourceToken()],
    });
    return {
      module: PersistenceModule,
      imports: [
        TypeOrmModule.forRootAsync({
          // One attempt: its own retries write a stack each time. `openOnceThere` waits.
          useFactory: () => ({ type: 'postgres', retryAttempts: 1, toRetry: () => false }),
          dataSourceFactory: async () => {
            const dataSource = await openOnceThere(() => openDatabase(options.endpoint, options.contexts, { ...options, warn }), warn);
            // Before anything runs that writes or compares a time. The connection is open: the login was checked on it.
            await clock.read((text) => dataSource.query(text));
            return dataSource;
          },
        }),
      ],
      providers: [
        ofDataSource(UnitOfWork, (dataSource) => new UnitOfWork(dataSource, clock, options.named)),
        { provide: DatabaseClock, useValue: clock },
        ...copyProviders(options.contexts),
        ofDataSource(DatabaseHealth, (dataSource) => new DatabaseHealth(dataSource)),
        {
          provide: DatabaseNotifications,
          useFactory: () => new DatabaseNotifications(options.direct ?? options.endpoint, (error) => warn(error.message)),
        },
        { provide: AnswerCache, useFactory: (unitOfWork: UnitOfWork) => new AnswerCache(unitOfWork), inject: [UnitOfWork] },
        CloseNotifications,
      ],
      exports: [UnitOfWork, AnswerCache, BlankCopies, CopiesUnderWay, DatabaseClock, DatabaseHealth, DatabaseNotifications],
    };
  }
}

function copyProviders(contexts: readonly ContextPersistence[]): Provider[] {
  // The outbox first: from there rows go to the tables of contexts.
  const rules = [...persistenceCopies, ...contexts.flatMap(({ copies = [] }) => copies)];
  return [
    { provide: BlankCopies, useValue: new BlankCopies(rules) },
    { provide: CopiesUnderWay, useFactory: (unitOfWork: UnitOfWork) => new CopiesUnderWay(unitOfWork, rules), inject: [UnitOfWork] },
  ];
}
