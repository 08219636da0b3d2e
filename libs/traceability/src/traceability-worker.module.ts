import { Module } from '@nestjs/common';
import { EventExpiry } from './adapters/queue/event-expiry.js';
import { SqlPreparedEvents } from './adapters/persistence/sql-prepared-events.js';
import { ContentSearch } from './adapters/queue/content-search.js';
import { SqlUnresolvedEvents } from './adapters/persistence/sql-unresolved-events.js';
import { ExpireEvents } from './application/expire-events.js';
import { ResolveContent } from './application/resolve-content.js';
import { PreparedEvents, UnresolvedEvents } from './ports.js';

/** The worker's side: prepared events that nobody sent expire, and content that was not to be had is looked for again. */
@Module({
  providers: [
    { provide: PreparedEvents, useClass: SqlPreparedEvents },
    { provide: UnresolvedEvents, useClass: SqlUnresolvedEvents },
    ExpireEvents,
    EventExpiry,
    ResolveContent,
    ContentSearch,
  ],
})
export class TraceabilityWorkerModule {}
