import { type DynamicModule, Module } from '@nestjs/common';
import { IndexerModule } from '#chain';
import type { Config } from '#config';
import { CustodyLogHandler, CustodyModule } from '#custody';
import { IdentityLogHandler } from '#identity';
import { PassportsWorkerModule } from '#passports';
import { RecallLogHandler, RecallModule, RecallWorkerModule } from '#recall';
import { ReportsWorkerModule } from '#reports';
import { TraceabilityLogHandler, TraceabilityWorkerModule } from '#traceability';
import { TransactionsLogHandler, TransactionsWorkerModule } from '#transactions';
import { WebhooksWorkerModule } from '#webhooks';
import type { Metrics } from '../../runtime/src/index.js';

/** What goes on in the background: the projection of the chain, the monitor of transactions, the way of topics to receivers. */
@Module({})
export class WorkerModule {
  static forRoot(config: Config, metrics: Metrics | null = null): DynamicModule {
    const { chain, webhooks, secrets } = config;
    return {
      module: WorkerModule,
      imports: [
        CustodyModule,
        RecallModule,
        RecallWorkerModule,
        TraceabilityWorkerModule,
        TransactionsWorkerModule.forRoot({ pollMs: chain.pollMs, dropAfterMs: chain.dropAfterMs }),
        ReportsWorkerModule.forRoot(config),
        PassportsWorkerModule,
        WebhooksWorkerModule.forRoot({ webhooks, encryptionKey: secrets.encryptionKey!, ...(metrics && { listener: metrics.attempts }) }),
        // Upstream contexts first: the handlers of a block run in this order, and undo in the other.
        IndexerModule.forRoot({
          config: chain,
          handlers: [IdentityLogHandler, TraceabilityLogHandler, CustodyLogHandler, RecallLogHandler, TransactionsLogHandler],
        }),
      ],
    };
  }
}
