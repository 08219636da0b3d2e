import { PrepareModule } from '#prepare';
import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module } from '@nestjs/common';
import { ChainProfileController } from './chain-profile/chain-profile.controller.js';
import { EffectQueries } from './effects/effects.queries.js';
import { TransactionClient } from './observation/transactions.client.js';
import { PrepareTransactionController } from './prepare/prepare-transaction.controller.js';
import { PrepareTransaction } from './prepare/prepare-transaction.js';
import { GetTransactionStatus, ListTracked } from './tracking/get-transaction-status.js';
import { ReadTrackingContext } from './tracking/read-tracking-context.js';
import { TrackTransaction, TrackingSettings } from './tracking/track-transaction.js';
import { TrackedQueries } from './tracking/tracked-transactions.queries.js';
import { TrackingController } from './tracking/tracking.controller.js';

const shared = [EffectQueries, ReadTrackingContext, TrackedQueries, TransactionClient];

/** The composition root imports `forRoot`, the worker's module the class alone: both get the same instance. */
@Module({
  imports: [PrepareModule, TraceabilityModule],
  controllers: [PrepareTransactionController, TrackingController, ChainProfileController],
  providers: [...shared, GetTransactionStatus, ListTracked, PrepareTransaction, TrackTransaction],
  exports: shared,
})
export class TransactionsModule {
  static forRoot(settings: TrackingSettings): DynamicModule {
    return {
      module: TransactionsSettings,
      global: true,
      imports: [TransactionsModule],
      providers: [{ provide: TrackingSettings, useValue: Object.assign(new TrackingSettings(), settings) }],
      exports: [TrackingSettings, TransactionsModule],
    };
  }
}

/** Apart from the module itself, which would otherwise exist twice: once with settings and once without. */
@Module({})
class TransactionsSettings {}
