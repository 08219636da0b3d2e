import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import { CustodyModule } from '#custody';
import { IdempotencyModule } from '#http';
import { InterchangeModule } from '#interchange';
import { PassportsModule } from '#passports';
import { RecallModule } from '#recall';
import { ReportsModule } from '#reports';
import { TransactionsModule } from '#transactions';
import { WebhooksModule } from '#webhooks';
import { type Engines, type Metrics, baseModules } from '../../runtime/src/index.js';
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
        IdempotencyModule.forRoot(secrets.encryptionKey!),
        CustodyModule,
        RecallModule,
        InterchangeModule,
        PassportsModule.forRoot({ encryptionKey: secrets.encryptionKey! }),
        ReportsModule,
        TransactionsModule,
        WebhooksModule.forRoot({ webhooks, encryptionKey: secrets.encryptionKey! }),
        ...(role === 'all' ? [WorkerModule.forRoot(config, metrics)] : []),
      ],
    };
  }
}
