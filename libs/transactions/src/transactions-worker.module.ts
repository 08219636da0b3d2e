import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module } from '@nestjs/common';
import { RpcLookout } from './adapters/chain/rpc-lookout.js';
import { TransactionsLogHandler } from './adapters/chain/transactions-log-handler.js';
import { MonitorSettings, TransactionMonitor } from './adapters/chain/transaction-monitor.js';
import { SqlLandedEffects } from './adapters/persistence/landed-table.js';
import { SqlTrackedTransactions } from './adapters/persistence/sql-tracked-transactions.js';
import { TellOutcome } from './application/tell-outcome.js';
import { WatchSurroundings } from './application/watch-surroundings.js';
import { WatchTransactions } from './application/watch-transactions.js';
import { LandedEffects, TrackedTransactions, TrackingSettings, TransactionLookout } from './ports.js';

/** The worker's side: the log handler of the indexer and the transaction monitor. */
@Module({})
export class TransactionsWorkerModule {
  static forRoot(options: { readonly pollMs: number; readonly dropAfterMs: number }): DynamicModule {
    return {
      module: TransactionsWorkerModule,
      imports: [TraceabilityModule],
      providers: [
        { provide: MonitorSettings, useValue: new MonitorSettings(options.pollMs) },
        { provide: TrackedTransactions, useClass: SqlTrackedTransactions },
        { provide: LandedEffects, useClass: SqlLandedEffects },
        { provide: TrackingSettings, useValue: new TrackingSettings(options.dropAfterMs) },
        { provide: TransactionLookout, useClass: RpcLookout },
        WatchSurroundings,
        TellOutcome,
        WatchTransactions,
        TransactionMonitor,
        TransactionsLogHandler,
      ],
      exports: [TransactionsLogHandler],
    };
  }
}
