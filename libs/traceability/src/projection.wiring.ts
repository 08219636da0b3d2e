import type { Provider, Type } from '@nestjs/common';
import { ForeignContents } from './adapters/chain/foreign-content.js';
import { TraceabilityLogHandler } from './adapters/chain/traceability-log-handler.js';
import { EventsReadController } from './adapters/http/events-read.controller.js';
import { LotsController } from './adapters/http/lots.controller.js';
import { SqlLineage } from './adapters/persistence/sql-lineage.js';
import { SqlLots } from './adapters/persistence/sql-lots.js';
import { Lineage, Lots } from './contract.js';

const lots: Provider = { provide: Lots, useClass: SqlLots };
const lineage: Provider = { provide: Lineage, useClass: SqlLineage };

export const controllers: Type[] = [LotsController, EventsReadController];
export const providers: Provider[] = [ForeignContents, TraceabilityLogHandler, lots, lineage];
/** `TraceabilityLogHandler` for the indexer, which calls the contexts' handlers in the order of their dependencies. */
export const exported: Provider[] = [TraceabilityLogHandler, lots, lineage];
