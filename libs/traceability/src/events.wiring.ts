import type { Provider, Type } from '@nestjs/common';
import { EventsPrepareController } from './adapters/http/events-prepare.controller.js';
import { ProcessMapsController } from './adapters/http/process-maps.controller.js';
import { StoredLotBackgrounds } from './adapters/persistence/lot-backgrounds.repository.js';
import { StoredPreparedEvents } from './adapters/persistence/prepared-events.repository.js';
import { processMapEntity } from './adapters/persistence/process-map.schema.js';
import { StoredProcessMaps } from './adapters/persistence/process-maps.repository.js';
import { PublishedProcesses } from './adapters/persistence/published-processes.js';
import { ExamineEvent } from './application/examine-event.js';
import { FindProcessMap } from './application/find-process-map.js';
import { PrepareEvent } from './application/prepare-event.js';
import { PublishProcessMap } from './application/publish-process-map.js';
import { StoreCallNote } from './application/store-call-note.js';
import { ValidateEvent } from './application/validate-event.js';
import { CallNotes, EventPreparation, Processes } from './contract.js';
import { LotBackgrounds, PreparedEvents, ProcessMaps } from './events.ports.js';

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
  { provide: ProcessMaps, useClass: StoredProcessMaps },
  { provide: LotBackgrounds, useClass: StoredLotBackgrounds },
  { provide: PreparedEvents, useClass: StoredPreparedEvents },
];

export const exported = [CallNotes, EventPreparation, Processes, PublishProcessMap];

export const entities = [processMapEntity];
