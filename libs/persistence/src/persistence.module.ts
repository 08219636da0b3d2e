import { type DynamicModule, Global, Inject, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DatabaseHealth } from './database-health.js';
import { type DatabaseOptions, openDatabase } from './database.js';
import type { PostgresEndpoint } from './endpoint.js';
import { DatabaseNotifications, PgNotifications } from './listen.js';
import { isDatabaseAway, TypeOrmUnitOfWork } from './typeorm-unit-of-work.js';
import { type ContextPersistence, UnitOfWork } from './unit-of-work.js';

export interface PersistenceOptions extends DatabaseOptions {
  readonly endpoint: PostgresEndpoint;
  readonly contexts: readonly ContextPersistence[];
}

@Injectable()
class CloseNotifications implements OnApplicationShutdown {
  constructor(@Inject(DatabaseNotifications) private readonly notifications: PgNotifications) {}

  async onApplicationShutdown(): Promise<void> {
    await this.notifications.close();
  }
}

/** Gives every module `UnitOfWork`, `DatabaseHealth` and `DatabaseNotifications`. The database is migrated before (`migrate`). */
@Global()
@Module({})
export class PersistenceModule {
  static forRoot(options: PersistenceOptions): DynamicModule {
    const log = new Logger('Database');
    const warn = options.warn ?? ((sentence: string): void => log.warn(sentence));
    const ofDataSource = <T>(provide: abstract new (...args: never[]) => T, make: (dataSource: DataSource) => T) => ({
      provide,
      useFactory: make,
      inject: [getDataSourceToken()],
    });
    return {
      module: PersistenceModule,
      imports: [
        TypeOrmModule.forRootAsync({
          // Only a database that is away is worth waiting for; a refusal is said at once.
          useFactory: () => ({ type: 'postgres', retryAttempts: 10, retryDelay: 1_000, toRetry: isDatabaseAway }),
          dataSourceFactory: () => openDatabase(options.endpoint, options.contexts, { ...options, warn }),
        }),
      ],
      providers: [
        ofDataSource(UnitOfWork, (dataSource) => new TypeOrmUnitOfWork(dataSource)),
        ofDataSource(DatabaseHealth, (dataSource) => new DatabaseHealth(dataSource)),
        { provide: DatabaseNotifications, useFactory: () => new PgNotifications(options.endpoint, (error) => warn(error.message)) },
        CloseNotifications,
      ],
      exports: [UnitOfWork, DatabaseHealth, DatabaseNotifications],
    };
  }
}
