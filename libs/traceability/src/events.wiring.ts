import type { Provider, Type } from '@nestjs/common';
import { RpcChainRecords } from './adapters/chain/rpc-chain-records.js';
import { EventsCorrectController } from './adapters/http/events-correct.controller.js';
import { EventsEvidenceController } from './adapters/http/events-evidence.controller.js';
import { EventsPrepareController } from './adapters/http/events-prepare.controller.js';
import { ProcessMapsController } from './adapters/http/process-maps.controller.js';
import { RulesController } from './adapters/http/rules.controller.js';
import { SqlChainEvents } from './adapters/persistence/sql-chain-events.js';
import { SqlLotBackgrounds } from './adapters/persistence/sql-lot-backgrounds.js';
import { SqlEventTracking } from './adapters/persistence/sql-event-tracking.js';
import { SqlPreparedEvents } from './adapters/persistence/sql-prepared-events.js';
import { processMapEntity } from './adapters/persistence/process-map.schema.js';
import { SqlProcessMaps } from './adapters/persistence/sql-process-maps.js';
import { SqlRules } from './adapters/persistence/sql-rules.js';
import { PublishedProcesses } from './adapters/persistence/published-processes.js';
import { ChangeRules } from './application/change-rules.js';
import { ChooseCodes } from './application/choose-codes.js';
import { DraftEvents } from './application/draft-events.js';
import { ExamineAmendment } from './application/examine-amendment.js';
import { ExamineEvent } from './application/examine-event.js';
import { FindEvent } from './application/find-event.js';
import { FindProcessMap } from './application/find-process-map.js';
import { GatherLots } from './application/gather-lots.js';
import { PrepareEvent } from './application/prepare-event.js';
import { PrepareSupersede } from './application/prepare-supersede.js';
import { PrepareVoid } from './application/prepare-void.js';
import { PublishProcessMap } from './application/publish-process-map.js';
import { ReadContent } from './application/read-content.js';
import { SaveEvents } from './application/save-events.js';
import { StoreCallNote } from './application/store-call-note.js';
import { ValidateEvent } from './application/validate-event.js';
import { VerifyEvent } from './application/verify-event.js';
import { VoidForOthers } from './application/void-for-others.js';
import { WithdrawEvent } from './application/withdraw-event.js';
import { CallNotes, Corrections, EventPreparation, Processes, EventTracking } from './contract.js';
import { ChainEvents, ChainRecords, LotBackgrounds, PreparedEvents, ProcessMaps, Rules } from './ports.js';

export const controllers: Type[] = [
  EventsPrepareController,
  EventsCorrectController,
  EventsEvidenceController,
  ProcessMapsController,
  RulesController,
];

export const providers: Provider[] = [
  ChangeRules,
  GatherLots,
  ChooseCodes,
  ExamineEvent,
  DraftEvents,
  SaveEvents,
  ValidateEvent,
  PrepareEvent,
  FindEvent,
  WithdrawEvent,
  ReadContent,
  VerifyEvent,
  ExamineAmendment,
  PrepareVoid,
  PrepareSupersede,
  FindProcessMap,
  PublishProcessMap,
  { provide: CallNotes, useClass: StoreCallNote },
  { provide: EventPreparation, useExisting: PrepareEvent },
  { provide: Corrections, useClass: VoidForOthers },
  { provide: Processes, useClass: PublishedProcesses },
  { provide: ProcessMaps, useClass: SqlProcessMaps },
  { provide: Rules, useClass: SqlRules },
  { provide: ChainRecords, useClass: RpcChainRecords },
  { provide: ChainEvents, useClass: SqlChainEvents },
  { provide: LotBackgrounds, useClass: SqlLotBackgrounds },
  { provide: PreparedEvents, useClass: SqlPreparedEvents },
  { provide: EventTracking, useClass: SqlEventTracking },
];

export const exported = [CallNotes, Corrections, EventTracking, EventPreparation, Processes, PublishProcessMap];

export const entities = [processMapEntity];
