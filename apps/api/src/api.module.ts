import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '#config';
import { CustodyModule } from '#custody';
import { IdentityModule } from '#identity';
import { RecallModule } from '#recall';
import { TraceabilityModule } from '#traceability';
import { TransactionsModule } from '#transactions';
import { WebhooksModule } from '#webhooks';
import { type Engines, engineModules } from '../../runtime/src/index.js';
import { WorkerModule } from '../../worker/src/worker.module.js';

/** The HTTP role; with ROLE=all it hosts the worker's module too. */
@Module({})
export class ApiModule {
  static forRoot(config: Config, engines: Engines): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ...engineModules(config, engines),
        IdentityModule.forRoot(config),
        TraceabilityModule.forRoot(config),
        CustodyModule,
        RecallModule,
        TransactionsModule,
        WebhooksModule.forRoot({ webhooks: config.webhooks, encryptionKey: config.secrets.encryptionKey! }),
        ...(config.role === 'all' ? [WorkerModule.forRoot(config)] : []),
      ],
    };
  }
}
