import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import { CustodyModule } from '#custody';
import { DocumentsModule, DocumentsSettings, clamdAddress } from '#documents';
import { HeavyWorkModule, IdempotencyModule } from '#http';
import { InterchangeModule } from '#interchange';
import { PassportsModule } from '#passports';
import { RecallModule } from '#recall';
import { ReportingModule } from '#reporting';
import { TransactionsModule } from '#transactions';
import { WebhooksModule } from '#webhooks';
import { type Engines, type Metrics, baseModules, topics } from '../../runtime/src/index.js';
import { WorkerModule } from '../../worker/src/worker.module.js';

/** The HTTP role; with ROLE=all it hosts the worker's module too. */
@Module({})
export class ApiModule {
  static forRoot(config: Config, engines: Engines, metrics: Metrics | null = null): DynamicModule {
    const { webhooks, secrets, role } = config;
    return {
      module: ApiModule,
      imports: [
        ...baseModules(config, engines, metrics),
        // Before the idempotency: a refusal for lack of room is no answer to keep.
        HeavyWorkModule.forRoot(config.limits, config.database.poolSize),
        IdempotencyModule.forRoot(secrets.encryptionKey!, config.retention.IDEMPOTENCY_KEPT_HOURS, config.limits.keptAnswerBytes),
        DocumentsModule.forRoot(new DocumentsSettings(config.documents.clamdUrl === null ? null : clamdAddress(config.documents.clamdUrl))),
        CustodyModule,
        RecallModule,
        InterchangeModule,
        PassportsModule.forRoot({
          encryptionKey: secrets.encryptionKey!,
          linksPerTenant: config.limits.linksPerTenant,
          plainHttpRegistries: webhooks.allowedNetworks.length > 0,
        }),
        ReportingModule.forRoot(config),
        TransactionsModule.forRoot(config.chain, config.sponsor),
        WebhooksModule.forRoot({
          webhooks,
          encryptionKey: secrets.encryptionKey!,
          retiredEncryptionKeys: secrets.retiredEncryptionKeys,
          topics,
        }),
        ...(role === 'all' ? [WorkerModule.forRoot(config, metrics)] : []),
      ],
    };
  }
}
