import { PrepareModule } from '#prepare';
import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module } from '@nestjs/common';
import { ChainProfileController } from './chain-profile/chain-profile.controller.js';
import { EffectQueries } from './effects/effects.queries.js';
import { TransactionClient } from './observation/transactions.client.js';
import { PrepareTransactionController } from './prepare/prepare-transaction.controller.js';
import { PrepareTransaction } from './prepare/prepare-transaction.js';
import { AccountClient } from './relay/account.client.js';
import { ReadRelay } from './relay/read-relay.js';
import { RelayCalls } from './relay/relay-calls.js';
import { RelayController } from './relay/relay.controller.js';
import { RelaysQueries } from './relay/relays.queries.js';
import { ReserveRelay } from './relay/reserve-relay.js';
import { StoreRelay } from './relay/store-relay.js';
import { ChangeSponsorship } from './sponsorship/change-sponsorship.js';
import { CheckSponsorship } from './sponsorship/check-sponsorship.js';
import { SponsorshipCeilingController, SponsorshipController } from './sponsorship/sponsorship.controller.js';
import { SponsorshipQueries } from './sponsorship/sponsorship.queries.js';
import { SponsorshipSettings } from './sponsorship/sponsorship.settings.js';
import { GetTransactionStatus, ListTracked } from './tracking/get-transaction-status.js';
import { ReadTrackingContext } from './tracking/read-tracking-context.js';
import { TrackTransaction, TrackingSettings } from './tracking/track-transaction.js';
import { TrackedQueries } from './tracking/tracked-transactions.queries.js';
import { TrackingController } from './tracking/tracking.controller.js';

const shared = [AccountClient, EffectQueries, ReadTrackingContext, RelaysQueries, SponsorshipQueries, TrackedQueries, TransactionClient];

/** The composition root imports `forRoot`, the worker's module the class alone: both get the same instance. */
@Module({
  imports: [PrepareModule, TraceabilityModule],
  // The relay's routes first: `tx/relay` is no id of a tracking.
  controllers: [
    PrepareTransactionController,
    RelayController,
    TrackingController,
    ChainProfileController,
    SponsorshipController,
    SponsorshipCeilingController,
  ],
  providers: [
    ...shared,
    ...[
      ChangeSponsorship,
      CheckSponsorship,
      GetTransactionStatus,
      ListTracked,
      PrepareTransaction,
      ReadRelay,
      RelayCalls,
      ReserveRelay,
      StoreRelay,
      TrackTransaction,
    ],
  ],
  exports: shared,
})
export class TransactionsModule {
  static forRoot(settings: TrackingSettings, sponsorship: SponsorshipSettings = new SponsorshipSettings()): DynamicModule {
    return {
      module: TransactionsSettings,
      global: true,
      imports: [TransactionsModule],
      providers: [
        { provide: TrackingSettings, useValue: Object.assign(new TrackingSettings(), settings) },
        { provide: SponsorshipSettings, useValue: Object.assign(new SponsorshipSettings(), sponsorship) },
      ],
      exports: [SponsorshipSettings, TrackingSettings, TransactionsModule],
    };
  }
}

/** Apart from the module itself, which would otherwise exist twice: once with settings and once without. */
@Module({})
class TransactionsSettings {}
