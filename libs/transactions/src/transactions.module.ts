import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { RpcLookout } from './adapters/chain/rpc-lookout.js';
import { ChainController } from './adapters/http/chain.controller.js';
import { StatusOnChain } from './adapters/http/status-on-chain.js';
import { TrackedQueries } from './adapters/http/tracked-queries.js';
import { TransactionsController } from './adapters/http/transactions.controller.js';
import { SqlLandedEffects } from './adapters/persistence/landed-table.js';
import { SqlTrackedTransactions } from './adapters/persistence/sql-tracked-transactions.js';
import { CheckHolds } from './application/check-holds.js';
import { FindProcess } from './application/find-process.js';
import { PrepareTransaction } from './application/prepare-transaction.js';
import { TrackTransaction } from './application/track-transaction.js';
import { LandedEffects, TrackedTransactions, TransactionLookout } from './ports.js';

/** The HTTP side. */
@Module({
  imports: [TraceabilityModule],
  controllers: [TransactionsController, ChainController],
  providers: [
    { provide: TrackedTransactions, useClass: SqlTrackedTransactions },
    { provide: LandedEffects, useClass: SqlLandedEffects },
    { provide: TransactionLookout, useClass: RpcLookout },
    CheckHolds,
    FindProcess,
    PrepareTransaction,
    TrackTransaction,
    TrackedQueries,
    StatusOnChain,
  ],
})
export class TransactionsModule {}
