import { ConsoleLogger, type DynamicModule, Global, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Deployments, TransactionPreparer } from '#chain';
import type { Config } from '#config';
import { START_FAILED } from '#http';
import { IdentityModule } from '#identity';
import { PersistenceModule, type PostgresEndpoint, embeddedEndpoint, endpointFromUrl, UnitOfWork } from '#persistence';
import { MapRecorders } from '#traceability';
import { DataFolder, OperatorError, contexts, settingOf, unusableBy, withSecrets } from '../../runtime/src/index.js';
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
          useFactory: (unitOfWork: UnitOfWork) =>
            new Deployments(unitOfWork, config.chain.chainId, config.chain.registry, config.chain.accountFactory),
          inject: [UnitOfWork],
        },
        { provide: TransactionPreparer, useValue: new OfflinePreparer(config.chain.chainId) },
      ],
      exports: [Deployments, TransactionPreparer],
      imports: [
        PersistenceModule.forRoot({ endpoint, contexts, poolSize: 2, applicationName: 'trace-cli', mode: config.mode }),
        IdentityModule.forRoot(config, { processes: MapRecorders }),
      ],
    };
  }
}

/** An error that ends the start is thrown too, and the command says it in a sentence. */
class CommandLogger extends ConsoleLogger {
  override error(message: unknown, ...rest: readonly unknown[]): void {
    if (rest.at(-1) !== START_FAILED) super.error(message, ...rest);
  }
}

/** The use cases of the contexts on the service's own database, without HTTP, for the operator. */
export async function asOperator<T>(given: Config, work: (app: INestApplicationContext, config: Config) => Promise<T>): Promise<T> {
  const config = withSecrets(given);
  const app = await NestFactory.createApplicationContext(OperatorModule.forRoot(config, databaseOf(config)), {
    logger: new CommandLogger('', { logLevels: ['error', 'warn'] }),
    abortOnError: false,
  }).catch((error: unknown) => {
    throw given.database.kind === 'url' ? unusableBy(settingOf(given.database, given.database.directUrl), error) : error;
  });
  try {
    return await work(app, config);
  } finally {
    await app.close();
  }
}

/** @throws OperatorError when the embedded database is configured and no service runs it */
export function databaseOf(config: Config): PostgresEndpoint {
  if (config.database.kind === 'url') return endpointFromUrl(config.database.directUrl);
  if (DataFolder.holder(config.dataDir) === null)
    throw new OperatorError(`No service runs on ${config.dataDir}, so its database is down. Start it first: npm start`);
  return embeddedEndpoint(`${config.dataDir}/postgres`);
}
