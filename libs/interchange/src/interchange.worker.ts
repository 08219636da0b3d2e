import { FilesModule } from '#documents';
import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { CaptureDocument, MapEvents, ReserveEvents } from './capture/capture-document.js';
import { CaptureQueries } from './capture/capture.queries.js';
import { ExamineDocument } from './capture/examine-document.js';
import { VoidDeclaredEvents } from './capture/void-declared-events.js';
import { CapturedQueries } from './event-feed/captured.queries.js';
import { CustodyFeedQueries, RecallFeedQueries } from './event-feed/transitions.queries.js';
import { ImportQueries } from './imports/imports.queries.js';
import { ReadImport } from './imports/read-import.js';
import { PublishImport } from './imports/publish-import.js';
import { RunEpcisImport } from './imports/run-epcis-import.js';
import { RunImport } from './imports/run-import.js';
import { RunTableImport } from './imports/run-table-import.js';
import { ImportProgress } from './imports/track-import.js';
import { RunImportJob } from './imports/run-import.job.js';
import { EpcisEventQueries } from './repository/epcis-events.queries.js';
import { NamedQueryQueries } from './repository/named-queries.queries.js';
import { PendingEventQueries } from './repository/pending-events.queries.js';
import { QuerySubscriptionQueries } from './subscriptions/query-subscriptions.queries.js';
import { MatchingEvents, SendQueryResults } from './subscriptions/send-query-results.js';
import { SendQueryResultsJob } from './subscriptions/send-query-results.job.js';
import { FollowChainJob } from './repository/follow-chain.job.js';
import { RepositoryStateQueries } from './repository/repository-state.queries.js';
import { RecordedEvents, RepositoryProjector, TransitionFeeds, WriteRecordedEvents } from './repository/repository.projector.js';

/** The worker's side: keeps the EPCIS repository of each tenant up to date, and does the work of imports. Any number of processes may run it. */
@Module({
  imports: [TraceabilityModule, FilesModule],
  providers: [
    CapturedQueries,
    CustodyFeedQueries,
    RecallFeedQueries,
    EpcisEventQueries,
    RepositoryStateQueries,
    RepositoryProjector,
    TransitionFeeds,
    RecordedEvents,
    WriteRecordedEvents,
    FollowChainJob,
    PendingEventQueries,
    NamedQueryQueries,
    QuerySubscriptionQueries,
    MatchingEvents,
    SendQueryResults,
    SendQueryResultsJob,
    ImportQueries,
    ReadImport,
    PublishImport,
    ImportProgress,
    ExamineDocument,
    CaptureDocument,
    CaptureQueries,
    MapEvents,
    ReserveEvents,
    VoidDeclaredEvents,
    RunEpcisImport,
    RunTableImport,
    RunImport,
    RunImportJob,
  ],
})
export class InterchangeWorkerModule {}
