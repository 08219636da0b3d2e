import { type DynamicModule, Global, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Deployments, TransactionPreparer } from '#chain';
import type { Config } from '#config';
import { AdministrationModule, IdentityModule } from '#identity';
import { PersistenceModule, type PostgresEndpoint, embeddedEndpoint, endpointFromUrl, UnitOfWork } from '#persistence';
import { MapRecorders } from '#traceability';
import { DataFolder, RefusalToStart, contexts, withSecrets } from '../../runtime/src/index.js';
import { OfflinePreparer } from './offline-preparer.js';

@Global()
@Module({})
class OperatorModule {
  static forRoot(config: Config, endpoint: PostgresEndpoint): DynamicModule {
    return {
      module: OperatorModule,
      providers: [
        {
          provide: Deployments,
          useFactory: (unitOfWork: UnitOfWork) => new Deployments(unitOfWork, config.chain.chainId, config.chain.registry),
          inject: [UnitOfWork],
        },
        { provide: TransactionPreparer, useValue: new OfflinePreparer(config.chain.chainId) },
      ],
      exports: [Deployments, TransactionPreparer],
      imports: [
        PersistenceModule.forRoot({ endpoint, contexts, poolSize: 2, applicationName: 'trace-cli', mode: config.mode }),
        IdentityModule.forRoot(config),
        AdministrationModule.forRoot(MapRecorders),
      ],
    };
  }
}

/** The use cases of the contexts on the service's own database, without HTTP: for who operates the service. */
export async function asOperator<T>(given: Config, work: (app: INestApplicationContext, config: Config) => Promise<T>): Promise<T> {
  const config = withSecrets(given);
  const app = await NestFactory.createApplicationContext(OperatorModule.forRoot(config, databaseOf(config)), { logger: ['error', 'warn'] });
  try {
    return await work(app, config);
  } finally {
    await app.close();
  }
}

/** @throws RefusalToStart when the embedded database is asked for and no service runs it */
export function databaseOf(config: Config): PostgresEndpoint {
  if (config.database.kind === 'url') return endpointFromUrl(config.database.url);
  if (DataFolder.holder(config.dataDir) === null)
    throw new RefusalToStart(`No service runs on ${config.dataDir}, so its database is down. Start it first: npm start`);
  return embeddedEndpoint(`${config.dataDir}/postgres`);
}
