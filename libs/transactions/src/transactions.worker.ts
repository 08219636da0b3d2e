import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module } from '@nestjs/common';
import { TransactionsProjector } from './effects/effects.projector.js';
import { TransactionsModule } from './transactions.module.js';
import { PublishOutcome } from './watching/publish-outcome.js';
import { TransactionWatcher, WatcherSettings } from './watching/watch-transactions.job.js';
import { WatchTransactions } from './watching/watch-transactions.js';

/** The worker's side: the projector of effects and the watcher of tracked transactions. */
@Module({})
export class TransactionsWorkerModule {
  static forRoot({ pollMs, dropAfterMs }: { readonly pollMs: number; readonly dropAfterMs: number }): DynamicModule {
    return {
      module: TransactionsWorkerModule,
      imports: [TraceabilityModule, TransactionsModule],
      providers: [
        { provide: WatcherSettings, useValue: new WatcherSettings(pollMs, dropAfterMs) },
        PublishOutcome,
        TransactionWatcher,
        TransactionsProjector,
        WatchTransactions,
      ],
      exports: [TransactionsProjector],
    };
  }
}
