import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { ChainController } from './adapters/http/chain.controller.js';
import { TrackedQueries } from './adapters/http/tracked-queries.js';
import { TransactionsController } from './adapters/http/transactions.controller.js';
import { SqlTrackedTransactions } from './adapters/persistence/sql-tracked-transactions.js';
import { FindProcess } from './application/find-process.js';
import { PrepareTransaction } from './application/prepare-transaction.js';
import { TrackTransaction } from './application/track-transaction.js';
import { TrackedTransactions } from './ports.js';

/** The HTTP side. */
@Module({
  imports: [TraceabilityModule],
  controllers: [TransactionsController, ChainController],
  providers: [
    { provide: TrackedTransactions, useClass: SqlTrackedTransactions },
    FindProcess,
    PrepareTransaction,
    TrackTransaction,
    TrackedQueries,
  ],
})
export class TransactionsModule {}
