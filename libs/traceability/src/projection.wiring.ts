import type { Provider, Type } from '@nestjs/common';
import { ForeignContents } from './adapters/chain/foreign-content.js';
import { TraceabilityLogHandler } from './adapters/chain/traceability-log-handler.js';
import { EventsReadController } from './adapters/http/events-read.controller.js';
import { FootprintController } from './adapters/http/footprint.controller.js';
import { LotsController } from './adapters/http/lots.controller.js';
import { SqlFootprints } from './adapters/persistence/sql-footprints.js';
import { SqlLineage } from './adapters/persistence/sql-lineage.js';
import { SqlLots } from './adapters/persistence/sql-lots.js';
import { SqlPapers } from './adapters/persistence/sql-papers.js';
import { Footprints, Lineage, Lots, Papers } from './contract.js';

const lots: Provider = { provide: Lots, useClass: SqlLots };
const lineage: Provider = { provide: Lineage, useClass: SqlLineage };
const footprints: Provider = { provide: Footprints, useClass: SqlFootprints };
const papers: Provider = { provide: Papers, useClass: SqlPapers };

export const controllers: Type[] = [LotsController, FootprintController, EventsReadController];
export const providers: Provider[] = [ForeignContents, TraceabilityLogHandler, lots, lineage, footprints, papers];
/** `TraceabilityLogHandler` for the indexer, which calls the contexts' handlers in the order of their dependencies. */
export const exported: Provider[] = [TraceabilityLogHandler, lots, lineage, footprints, papers];
