import { type DynamicModule, Module } from '@nestjs/common';
import { RpcLookout } from './adapters/chain/rpc-lookout.js';
import { TransactionsLogHandler } from './adapters/chain/transactions-log-handler.js';
import { MonitorSettings, TransactionMonitor } from './adapters/chain/transaction-monitor.js';
import { SqlTrackedTransactions } from './adapters/persistence/sql-tracked-transactions.js';
import { WatchTransactions } from './application/watch-transactions.js';
import { TrackedTransactions, TransactionLookout } from './ports.js';

/** The worker's side: the log handler of the indexer and the transaction monitor. */
@Module({})
export class TransactionsWorkerModule {
  static forRoot(options: { readonly pollMs: number }): DynamicModule {
    return {
      module: TransactionsWorkerModule,
      providers: [
        { provide: MonitorSettings, useValue: new MonitorSettings(options.pollMs) },
        { provide: TrackedTransactions, useClass: SqlTrackedTransactions },
        { provide: TransactionLookout, useClass: RpcLookout },
        WatchTransactions,
        TransactionMonitor,
        TransactionsLogHandler,
      ],
      exports: [TransactionsLogHandler],
    };
  }
}
