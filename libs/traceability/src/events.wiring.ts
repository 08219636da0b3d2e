import type { Provider, Type } from '@nestjs/common';
import { EventsPrepareController } from './adapters/http/events-prepare.controller.js';
import { ProcessMapsController } from './adapters/http/process-maps.controller.js';
import { SqlLotBackgrounds } from './adapters/persistence/sql-lot-backgrounds.js';
import { SqlPreparedEvents } from './adapters/persistence/sql-prepared-events.js';
import { processMapEntity } from './adapters/persistence/process-map.schema.js';
import { SqlProcessMaps } from './adapters/persistence/sql-process-maps.js';
import { PublishedProcesses } from './adapters/persistence/published-processes.js';
import { ExamineEvent } from './application/examine-event.js';
import { FindProcessMap } from './application/find-process-map.js';
import { PrepareEvent } from './application/prepare-event.js';
import { PublishProcessMap } from './application/publish-process-map.js';
import { StoreCallNote } from './application/store-call-note.js';
import { ValidateEvent } from './application/validate-event.js';
import { CallNotes, EventPreparation, Processes } from './contract.js';
import { LotBackgrounds, PreparedEvents, ProcessMaps } from './ports.js';

export const controllers: Type[] = [EventsPrepareController, ProcessMapsController];

export const providers: Provider[] = [
  ExamineEvent,
  ValidateEvent,
  PrepareEvent,
  FindProcessMap,
  PublishProcessMap,
  { provide: CallNotes, useClass: StoreCallNote },
  { provide: EventPreparation, useExisting: PrepareEvent },
  { provide: Processes, useClass: PublishedProcesses },
  { provide: ProcessMaps, useClass: SqlProcessMaps },
  { provide: LotBackgrounds, useClass: SqlLotBackgrounds },
  { provide: PreparedEvents, useClass: SqlPreparedEvents },
];

export const exported = [CallNotes, EventPreparation, Processes, PublishProcessMap];

export const entities = [processMapEntity];
