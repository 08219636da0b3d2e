import { Module } from '@nestjs/common';
import { ExpireEventsJob } from './events/prepare/expire-events.job.js';
import { PreparedQueries } from './events/prepare/prepared-events.queries.js';
import { ResolveContentJob } from './landing/resolve-content.job.js';
import { AnnounceRetractionsJob } from './landing/announce-retractions.job.js';
import { KeepErasuresJob } from './privacy/keep-erasures.job.js';
import { TraceabilityModule } from './traceability.module.js';
import { UnresolvedQueries } from './landing/unresolved-events.queries.js';

/** The worker's side: expires prepared events that nobody sent, and searches again for content that could not be had. */
@Module({
  imports: [TraceabilityModule],
  providers: [PreparedQueries, UnresolvedQueries, ExpireEventsJob, ResolveContentJob, AnnounceRetractionsJob, KeepErasuresJob],
})
export class TraceabilityWorkerModule {}
