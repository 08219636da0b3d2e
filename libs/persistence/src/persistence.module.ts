import { type DynamicModule, Global, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DatabaseClock } from './connection/database-clock.js';
import { DatabaseHealth, type DatabaseOptions, openDatabase } from './connection/database.js';
import type { PostgresEndpoint } from './connection/endpoint.js';
import { DatabaseNotifications } from './connection/database-notifications.js';
import { isDatabaseAway, UnitOfWork } from './unit-of-work/unit-of-work.js';
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

/** Provides `UnitOfWork`, `DatabaseClock`, `DatabaseHealth` and `DatabaseNotifications` to every module. Call `migrate` before. */
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
          // Waits only for a database that is unavailable; a refused login is reported immediately.
          useFactory: () => ({ type: 'postgres', retryAttempts: 10, retryDelay: 1_000, toRetry: isDatabaseAway }),
          dataSourceFactory: async () => {
            const dataSource = await openDatabase(options.endpoint, options.contexts, { ...options, warn });
            // Before anything runs that writes or compares a time. The connection is open: the login was checked on it.
            await clock.read((text) => dataSource.query(text));
            return dataSource;
          },
        }),
      ],
      providers: [
        ofDataSource(UnitOfWork, (dataSource) => new UnitOfWork(dataSource, clock, options.named)),
        { provide: DatabaseClock, useValue: clock },
        ofDataSource(DatabaseHealth, (dataSource) => new DatabaseHealth(dataSource)),
        {
          provide: DatabaseNotifications,
          useFactory: () => new DatabaseNotifications(options.direct ?? options.endpoint, (error) => warn(error.message)),
        },
        CloseNotifications,
      ],
      exports: [UnitOfWork, DatabaseClock, DatabaseHealth, DatabaseNotifications],
    };
  }
}
