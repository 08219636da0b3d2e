import { type DynamicModule, Module } from '@nestjs/common';
import { ChainHead, IndexerModule } from '#chain';
import type { Config } from '#config';
import { ContentStore, UnsentContents } from '#content-storage';
import { CustodyProjector, CustodyModule } from '#custody';
import { WalletsProjector } from '#identity';
import { InterchangeWorkerModule } from '#interchange';
import { PassportsWorkerModule } from '#passports';
import { UnitOfWork } from '#persistence';
import { ContentKeyStore } from '#sealed-contents';
import { RecallProjector, RecallModule, RecallWorkerModule } from '#recall';
import { ReportingWorkerModule } from '#reporting';
import { TraceabilityProjector, TraceabilityWorkerModule } from '#traceability';
import { SponsorWorkerModule, TransactionsProjector, TransactionsWorkerModule } from '#transactions';
import { WebhooksWorkerModule } from '#webhooks';
import { type Metrics, contexts } from '../../runtime/src/index.js';
import { CorrectSchedulesJob } from './correct-schedules.job.js';
import { DeleteOldRowsJob, RetentionSettings } from './delete-old-rows.job.js';

/** Background work: the indexer, transaction tracking, webhook deliveries, and the periodic work of the contexts. */
@Module({})
export class WorkerModule {
  static forRoot(config: Config, metrics: Metrics | null = null): DynamicModule {
    const { chain, webhooks } = config;
    return {
      module: WorkerModule,
      imports: [
        CustodyModule,
        RecallModule,
        RecallWorkerModule,
        TraceabilityWorkerModule,
        TransactionsWorkerModule.forRoot({ pollMs: chain.pollMs, dropAfterMs: chain.dropAfterMs }),
        ...(config.role === 'all' ? [SponsorWorkerModule.forRoot(config.sponsor, chain.pollMs)] : []),
        ReportingWorkerModule.forRoot(config),
        InterchangeWorkerModule,
        PassportsWorkerModule,
        WebhooksWorkerModule.forRoot({ webhooks, ...secretsOf(config), ...(metrics && { listener: metrics.attempts }) }),
        // Upstream contexts first: the projectors of a block run in this order, and undo in reverse order.
        IndexerModule.forRoot({
          config: chain,
          projectors: [WalletsProjector, TraceabilityProjector, CustodyProjector, RecallProjector, TransactionsProjector],
        }),
      ],
      providers: [
        { provide: RetentionSettings, useValue: new RetentionSettings(config.retention, metrics?.deletions) },
        {
          provide: UnsentContents,
          useFactory: (store: ContentStore, unitOfWork: UnitOfWork, head: ChainHead, keys: ContentKeyStore) =>
            new UnsentContents(
              store,
              unitOfWork,
              contexts.flatMap(({ contents = [] }) => contents),
              (tx) => head.isRebuilding(tx),
              (tx, cids) => keys.forget(tx, cids),
            ),
          inject: [ContentStore, UnitOfWork, ChainHead, ContentKeyStore],
        },
        DeleteOldRowsJob,
        CorrectSchedulesJob,
      ],
    };
  }
}

const secretsOf = ({ secrets: { encryptionKey, retiredEncryptionKeys } }: Config) => ({
  encryptionKey: encryptionKey!,
  retiredEncryptionKeys,
});
