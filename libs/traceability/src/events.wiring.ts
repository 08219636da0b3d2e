import type { Provider, Type } from '@nestjs/common';
import { EventsCorrectController } from './adapters/http/events-correct.controller.js';
import { EventsPrepareController } from './adapters/http/events-prepare.controller.js';
import { ProcessMapsController } from './adapters/http/process-maps.controller.js';
import { SqlChainEvents } from './adapters/persistence/sql-chain-events.js';
import { SqlLotBackgrounds } from './adapters/persistence/sql-lot-backgrounds.js';
import { SqlPreparedEvents } from './adapters/persistence/sql-prepared-events.js';
import { processMapEntity } from './adapters/persistence/process-map.schema.js';
import { SqlProcessMaps } from './adapters/persistence/sql-process-maps.js';
import { PublishedProcesses } from './adapters/persistence/published-processes.js';
import { ChooseCodes } from './application/choose-codes.js';
import { DraftEvents } from './application/draft-events.js';
import { ExamineAmendment } from './application/examine-amendment.js';
import { ExamineEvent } from './application/examine-event.js';
import { FindCorrectable } from './application/find-correctable.js';
import { FindProcessMap } from './application/find-process-map.js';
import { GatherLots } from './application/gather-lots.js';
import { PrepareEvent } from './application/prepare-event.js';
import { PrepareSupersede } from './application/prepare-supersede.js';
import { PrepareVoid } from './application/prepare-void.js';
import { PublishProcessMap } from './application/publish-process-map.js';
import { SaveEvents } from './application/save-events.js';
import { StoreCallNote } from './application/store-call-note.js';
import { ValidateEvent } from './application/validate-event.js';
import { CallNotes, EventPreparation, Processes } from './contract.js';
import { ChainEvents, LotBackgrounds, PreparedEvents, ProcessMaps } from './ports.js';

export const controllers: Type[] = [EventsPrepareController, EventsCorrectController, ProcessMapsController];

export const providers: Provider[] = [
  GatherLots,
  ChooseCodes,
  ExamineEvent,
  DraftEvents,
  SaveEvents,
  ValidateEvent,
  PrepareEvent,
  FindCorrectable,
  ExamineAmendment,
  PrepareVoid,
  PrepareSupersede,
  FindProcessMap,
  PublishProcessMap,
  { provide: CallNotes, useClass: StoreCallNote },
  { provide: EventPreparation, useExisting: PrepareEvent },
  { provide: Processes, useClass: PublishedProcesses },
  { provide: ProcessMaps, useClass: SqlProcessMaps },
  { provide: ChainEvents, useClass: SqlChainEvents },
  { provide: LotBackgrounds, useClass: SqlLotBackgrounds },
  { provide: PreparedEvents, useClass: SqlPreparedEvents },
];

export const exported = [CallNotes, EventPreparation, Processes, PublishProcessMap];

export const entities = [processMapEntity];
