import { Module } from '@nestjs/common';
import { EventExpiry } from './adapters/queue/event-expiry.js';
import { SqlPreparedEvents } from './adapters/persistence/sql-prepared-events.js';
import { ExpireEvents } from './application/expire-events.js';
import { PreparedEvents } from './ports.js';

/** The worker's side: prepared events that nobody sent expire. */
@Module({ providers: [{ provide: PreparedEvents, useClass: SqlPreparedEvents }, ExpireEvents, EventExpiry] })
export class TraceabilityWorkerModule {}
