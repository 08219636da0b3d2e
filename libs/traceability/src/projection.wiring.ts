import type { Provider, Type } from '@nestjs/common';
import { ForeignContents } from './adapters/chain/foreign-content.js';
import { TraceabilityLogHandler } from './adapters/chain/traceability-log-handler.js';
import { EventsReadController } from './adapters/http/events-read.controller.js';
import { GraphController } from './adapters/http/graph.controller.js';
import { LotViews } from './adapters/http/lot-views.js';
import { FootprintController } from './adapters/http/footprint.controller.js';
import { LotsController } from './adapters/http/lots.controller.js';
import { ReadLotShapes } from './adapters/http/read-lot-shapes.js';
import { RelationsController } from './adapters/http/relations.controller.js';
import { SqlFootprints } from './adapters/persistence/sql-footprints.js';
import { SqlAffectedSets, SqlHolds } from './adapters/persistence/sql-holds.js';
import { SqlLineage } from './adapters/persistence/sql-lineage.js';
import { SqlLots } from './adapters/persistence/sql-lots.js';
import { SqlPapers } from './adapters/persistence/sql-papers.js';
import { SqlKeyData } from './adapters/persistence/sql-key-data.js';
import { SqlTraces } from './adapters/persistence/sql-traces.js';
import { EventViews } from './adapters/http/event-views.js';
import { KnownFormats } from './adapters/http/known-formats.js';
import { ReadEventAccounts } from './adapters/http/read-event-accounts.js';
import {
  AffectedSets,
  EventAccounts,
  EventFormats,
  Footprints,
  Holds,
  KeyData,
  Lineage,
  LotShapes,
  Lots,
  Papers,
  Traces,
} from './contract.js';

/** What other contexts may ask. */
const published: Provider[] = [
  { provide: Lots, useClass: SqlLots },
  { provide: Lineage, useClass: SqlLineage },
  { provide: Footprints, useClass: SqlFootprints },
  { provide: Papers, useClass: SqlPapers },
  { provide: Traces, useClass: SqlTraces },
  { provide: KeyData, useClass: SqlKeyData },
  { provide: LotShapes, useClass: ReadLotShapes },
  { provide: EventAccounts, useClass: ReadEventAccounts },
  { provide: EventFormats, useClass: KnownFormats },
  { provide: Holds, useClass: SqlHolds },
  { provide: AffectedSets, useClass: SqlAffectedSets },
];

export const controllers: Type[] = [LotsController, GraphController, RelationsController, FootprintController, EventsReadController];
/** What the controllers read with. */
export const readers: Provider[] = [LotViews, EventViews, ...published];
export const providers: Provider[] = [ForeignContents, TraceabilityLogHandler, ...readers];
/** `TraceabilityLogHandler` for the indexer, which calls the contexts' handlers in the order of their dependencies. */
export const exported: Provider[] = [TraceabilityLogHandler, ...published];
