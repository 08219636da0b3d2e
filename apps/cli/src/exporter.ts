import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ChainModule, JsonRpc, RpcNode } from '#chain';
import type { Config } from '#config';
import { ContentStorageModule } from '#content-storage';
import { AdministrationModule, IdentityModule } from '#identity';
import { PassportsExportModule } from '#passports';
import { PersistenceModule } from '#persistence';
import { MapRecorders, TraceabilityModule } from '#traceability';
import { contentOf, contexts, withSecrets } from '../../runtime/src/index.js';
import { databaseOf } from './operator.js';

@Module({})
class ExporterModule {
  /** @param urls of nodes of the chain; none: there is no evidence to be had */
  static forRoot(config: Config, urls: readonly string[]): DynamicModule {
    const rpc = new JsonRpc({ urls, timeoutMs: config.chain.timeoutMs });
    return {
      module: ExporterModule,
      imports: [
        PersistenceModule.forRoot({ endpoint: databaseOf(config), contexts, poolSize: 2, applicationName: 'trace-cli', mode: config.mode }),
        ContentStorageModule.forRoot(contentOf(config)),
        ChainModule.forRoot({ config: config.chain, node: new RpcNode(urls, rpc, config.chain.chainId), rpc }),
        IdentityModule.forRoot(config),
        TraceabilityModule.forRoot(config),
        AdministrationModule.forRoot(MapRecorders),
        PassportsExportModule,
      ],
    };
  }
}

/** What reads the service's database, store and chain, without its HTTP and without its worker. */
export async function asExporter<T>(
  given: Config,
  urls: readonly string[],
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const app = await NestFactory.createApplicationContext(ExporterModule.forRoot(withSecrets(given), urls), { logger: ['error', 'warn'] });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
