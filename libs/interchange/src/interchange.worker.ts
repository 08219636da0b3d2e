import { FilesModule } from '#documents';
import { TraceabilityModule } from '#traceability';
import { Module, type Provider } from '@nestjs/common';
import { CaptureDocument } from './capture/capture-document.js';
import { MapEvents } from './capture/map-events.js';
import { ReserveEvents } from './capture/reserve-events.js';
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
import { CaptureEvents, KeepEvents } from './repository/capture-events.js';
import { CaptureJobQueries } from './repository/capture-jobs.queries.js';
import { NarrowQuery } from './repository/event-conditions.queries.js';
import { EpcisEventQueries } from './repository/epcis-events.queries.js';
import { NamedQueryQueries } from './repository/named-queries.queries.js';
import { PendingEventQueries } from './repository/pending-events.queries.js';
import { ResumeCapturesJob } from './repository/resume-captures.job.js';
import { RunCaptureJob } from './repository/run-capture.job.js';
import { ResumeCaptures, RunCapture } from './repository/run-capture.js';
import { QuerySubscriptionQueries } from './subscriptions/query-subscriptions.queries.js';
import { MatchingEvents, SendQueryResults } from './subscriptions/send-query-results.js';
import { SendQueryResultsJob } from './subscriptions/send-query-results.job.js';
import { FollowChainJob } from './repository/follow-chain.job.js';
import { RepositoryStateQueries } from './repository/repository-state.queries.js';
import { RecordedEvents, RepositoryProjector, TransitionFeeds, WriteRecordedEvents } from './repository/repository.projector.js';

/** What captures documents: a request for one event, a job for many. */
export const captureProviders: readonly Provider[] = [
  CaptureDocument,
  CaptureQueries,
  MapEvents,
  ReserveEvents,
  VoidDeclaredEvents,
  CaptureEvents,
  KeepEvents,
  CaptureJobQueries,
  EpcisEventQueries,
  NarrowQuery,
  PendingEventQueries,
];

/** The worker's side: keeps the EPCIS repository of each tenant up to date, and does the work of captures and imports. Any number of processes may run it. */
@Module({
  imports: [TraceabilityModule, FilesModule],
  providers: [
    CapturedQueries,
    CustodyFeedQueries,
    RecallFeedQueries,
    ...captureProviders,
    RunCapture,
    RunCaptureJob,
    ResumeCaptures,
    ResumeCapturesJob,
    RepositoryStateQueries,
    RepositoryProjector,
    TransitionFeeds,
    RecordedEvents,
    WriteRecordedEvents,
    FollowChainJob,
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
    RunEpcisImport,
    RunTableImport,
    RunImport,
    RunImportJob,
  ],
})
export class InterchangeWorkerModule {}
