import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { CapturedQueries } from './event-feed/captured.queries.js';
import { CustodyFeedQueries, RecallFeedQueries } from './event-feed/transitions.queries.js';
import { EpcisEventQueries } from './repository/epcis-events.queries.js';
import { FollowChainJob } from './repository/follow-chain.job.js';
import { RepositoryStateQueries } from './repository/repository-state.queries.js';
import { RepositoryProjector, TransitionFeeds, WriteRecordedEvents } from './repository/repository.projector.js';

/** The worker's side: keeps the EPCIS repository of each tenant up to date. Any number of processes may run it. */
@Module({
  imports: [TraceabilityModule],
  providers: [
    CapturedQueries,
    CustodyFeedQueries,
    RecallFeedQueries,
    EpcisEventQueries,
    RepositoryStateQueries,
    RepositoryProjector,
    TransitionFeeds,
    WriteRecordedEvents,
    FollowChainJob,
  ],
})
export class InterchangeWorkerModule {}
