import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ChainModule, JsonRpc, RpcNode } from '#chain';
import type { Config } from '#config';
import { ContentStorageModule } from '#content-storage';
import { IdentityModule } from '#identity';
import { PassportsExportModule } from '#passports';
import { PersistenceModule } from '#persistence';
import { ErasureSettings, SealedContentsModule } from '#sealed-contents';
import { MapRecorders, TraceabilityModule } from '#traceability';
import { contentOf, contexts, withSecrets } from '../../../runtime/src/index.js';
import { databaseOf } from '../operator.js';

@Module({})
class ExporterModule {
  /** @param urls of nodes of the chain; without one, passports are exported without evidence */
  static forRoot(config: Config, urls: readonly string[]): DynamicModule {
    const rpc = new JsonRpc({ urls, timeoutMs: config.chain.timeoutMs, chainId: config.chain.chainId });
    return {
      module: ExporterModule,
      imports: [
        PersistenceModule.forRoot({ endpoint: databaseOf(config), contexts, poolSize: 2, applicationName: 'trace-cli', mode: config.mode }),
        ContentStorageModule.forRoot(contentOf(config)),
        SealedContentsModule.forRoot(
          [config.secrets.encryptionKey!, ...config.secrets.retiredEncryptionKeys],
          new ErasureSettings(config.erasure.folder, config.erasure.backupsKeptMs),
        ),
        ChainModule.forRoot({ config: config.chain, node: new RpcNode(urls, rpc, config.chain.chainId), rpc }),
        IdentityModule.forRoot(config, { processes: MapRecorders }),
        TraceabilityModule.forRoot(config),
        PassportsExportModule,
      ],
    };
  }
}

/** Reads the service's database, content store and chain, without HTTP and without the worker. */
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
