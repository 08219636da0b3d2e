import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import type { Config } from '#config';
import { PrepareModule } from '#prepare';
import {
  AffectedSets,
  ContentCorrections,
  Corrections,
  EventAccounts,
  ListFormats,
  EventPreparation,
  EventTracking,
  Footprints,
  Holds,
  KeyDataElements,
  Lineage,
  RecalledLots,
  Lots,
  EventDocuments,
  EventMetadata,
  LotsAfterEvents,
  Processes,
  Tracebacks,
} from './contract.js';
import { CorrectionQueries } from './corrections/corrections.queries.js';
import { EventsCorrectController } from './corrections/corrections.controller.js';
import { ExamineAmendment, JudgeAmendment, PrepareSupersede } from './corrections/prepare-supersede.js';
import { PrepareVoid } from './corrections/prepare-void.js';
import {
  CommittedQueries,
  KeyDataElementQueries,
  DocumentQueries,
  LotsAfterEventsQueries,
  MetadataQueries,
} from './events/event-facts.queries.js';
import { ChangeRules } from './events/tenant-rules/change-tenant-rules.js';
import { MakeDrafts } from './events/prepare/make-drafts.js';
import { SaveDrafts, PrepareEvent } from './events/prepare/prepare-event.js';
import { AccountReader, EventFormats, KnownFormats } from './events/event-formats.dto.js';
import { TrackingQueries, PreparedQueries } from './events/prepare/prepared-events.queries.js';
import { EventResponses } from './events/event-responses.dto.js';
import { EventsPrepareController } from './events/prepare/events-prepare.controller.js';
import { EventsReadController } from './events/events.controller.js';
import { ExamineEvent, ValidateEvent } from './events/prepare/validate-event.js';
import { FindEvent } from './events/find-event.js';
import { GeneratedCodeQueries } from './events/prepare/generated-codes.queries.js';
import { ReadCodes } from './events/prepare/read-codes.js';
import { ReadContext, ReadInputs } from './events/prepare/read-event-context.js';
import { ReserveCodes } from './events/prepare/reserve-codes.js';
import { RulesController } from './events/tenant-rules/tenant-rules.controller.js';
import { TenantRulesQueries } from './events/tenant-rules/tenant-rules.queries.js';
import { WithdrawEvent } from './events/prepare/withdraw-event.js';
import { ChainRecordsClient } from './evidence/chain-records.client.js';
import { EventsEvidenceController } from './evidence/evidence.controller.js';
import { StoredBlocksClient } from './evidence/stored-blocks.client.js';
import { ReadContent } from './evidence/read-content.js';
import { VerifyEvent } from './evidence/verify-event.js';
import { FootprintController } from './footprint/footprint.controller.js';
import { FootprintQueries } from './footprint/footprints.queries.js';
import { ExternalContents } from './landing/find-external-content.js';
import { TraceabilityProjector } from './landing/traceability.projector.js';
import { GraphController } from './lineage/graph.controller.js';
import { HoldQueries, AffectedSetQueries } from './lineage/recall-affected.queries.js';
import { LineageQueries } from './lineage/lineage.queries.js';
import { RecallReader } from './lineage/recalled-lots.dto.js';
import { RelationsController } from './lineage/relations.controller.js';
import { TracebackQueries } from './lineage/tracebacks.queries.js';
import { LotResponses } from './lots/lots-response.dto.js';
import { LotsController } from './lots/lots.controller.js';
import { LotQueries } from './lots/lots.queries.js';
import { ReadSubject } from './privacy/read-subject.js';
import { EraseContents } from './privacy/erase-contents.js';
import { ConcludeErasure, ErasureEntries, EraseValues } from './privacy/erase-values.js';
import { FindNotes } from './privacy/find-notes.js';
import { FindSubject } from './privacy/find-subject.js';
import { PrivacyController } from './privacy/privacy.controller.js';
import { PrivacyQueries } from './privacy/privacy.queries.js';
import { SynchroniseErasures } from './privacy/synchronise-erasures.js';
import { FindProcessMap, ReadProcesses } from './process-maps/read-process-maps.js';
import {
  ProcessMapTemplatesController,
  ProcessMapTrialsController,
  ProcessMapsController,
} from './process-maps/process-maps.controller.js';
import { ProcessMapQueries } from './process-maps/process-maps.queries.js';
import { ExamineValues } from './process-maps/examine-values.js';
import { ExamineProcessMap, PublishProcessMap, StoreProcessMap } from './process-maps/publish-process-map.js';
import { CheckMetadata } from './process-maps/schemas/check-metadata.js';
import { SchemaSettings, SchemaThreads } from './process-maps/schemas/schema-threads.client.js';
import { PreparationSettings } from './events/prepare/prepared-event.js';

/** Routes that record: they validate and prepare. */
export const recordingControllers: Type[] = [
  EventsPrepareController,
  EventsCorrectController,
  EventsEvidenceController,
  ProcessMapsController,
  ProcessMapTemplatesController,
  ProcessMapTrialsController,
  RulesController,
  PrivacyController,
];

/** Routes that read what has landed. */
export const readingControllers: Type[] = [LotsController, GraphController, RelationsController, FootprintController, EventsReadController];

const queries: Provider[] = [
  ProcessMapQueries,
  TenantRulesQueries,
  ChainRecordsClient,
  CommittedQueries,
  CorrectionQueries,
  LotQueries,
  PreparedQueries,
];

const useCases: Provider[] = [
  ChangeRules,
  ReadInputs,
  ReadCodes,
  GeneratedCodeQueries,
  ReserveCodes,
  ReadContext,
  ExamineEvent,
  MakeDrafts,
  SaveDrafts,
  ValidateEvent,
  PrepareEvent,
  FindEvent,
  WithdrawEvent,
  StoredBlocksClient,
  ReadContent,
  VerifyEvent,
  JudgeAmendment,
  ExamineAmendment,
  PrepareVoid,
  PrepareSupersede,
  FindProcessMap,
  SchemaThreads,
  CheckMetadata,
  ExamineProcessMap,
  ExamineValues,
  StoreProcessMap,
  PublishProcessMap,
  PrivacyQueries,
  EraseContents,
  ErasureEntries,
  ConcludeErasure,
  EraseValues,
  FindNotes,
  FindSubject,
  ReadSubject,
  SynchroniseErasures,
];

/** What other contexts may ask about recording. */
const recordingContract: Provider[] = [
  { provide: EventPreparation, useExisting: PrepareEvent },
  { provide: Corrections, useExisting: PrepareVoid },
  { provide: ContentCorrections, useExisting: PrepareSupersede },
  { provide: Processes, useClass: ReadProcesses },
  { provide: EventTracking, useClass: TrackingQueries },
];

/** What other contexts may ask about what has landed. */
const readingContract: Provider[] = [
  { provide: Lots, useExisting: LotQueries },
  { provide: Lineage, useClass: LineageQueries },
  { provide: Footprints, useClass: FootprintQueries },
  { provide: EventDocuments, useClass: DocumentQueries },
  { provide: EventMetadata, useClass: MetadataQueries },
  { provide: LotsAfterEvents, useClass: LotsAfterEventsQueries },
  { provide: Tracebacks, useClass: TracebackQueries },
  { provide: KeyDataElements, useClass: KeyDataElementQueries },
  { provide: RecalledLots, useClass: RecallReader },
  { provide: EventAccounts, useClass: AccountReader },
  { provide: ListFormats, useClass: KnownFormats },
  EventFormats,
  { provide: Holds, useClass: HoldQueries },
  { provide: AffectedSets, useClass: AffectedSetQueries },
];

export const recordingProviders: Provider[] = [...queries, ...useCases, ...recordingContract];
export const readingProviders: Provider[] = [LotQueries, LotResponses, EventResponses, ...readingContract];

/** The composition root imports `forRoot` once, other contexts import the class alone: all get the same instance. */
@Module({
  imports: [PrepareModule],
  controllers: [...recordingControllers, ...readingControllers],
  providers: [...recordingProviders, ...readingProviders, ExternalContents, TraceabilityProjector],
  // The indexer calls the log handlers of the contexts in the order of their dependencies.
  exports: [...recordingContract, ...readingContract, PublishProcessMap, SynchroniseErasures, TraceabilityProjector],
})
export class TraceabilityModule {
  static forRoot(config: Pick<Config, 'events' | 'schemas'>): DynamicModule {
    const settings = Object.assign(new PreparationSettings(), config.events);
    const schemas = Object.assign(new SchemaSettings(), config.schemas);
    return {
      module: TraceabilitySettings,
      global: true,
      imports: [TraceabilityModule],
      providers: [
        { provide: PreparationSettings, useValue: settings },
        { provide: SchemaSettings, useValue: schemas },
      ],
      exports: [PreparationSettings, SchemaSettings, TraceabilityModule],
    };
  }
}

/** Apart from the module itself, which would otherwise exist twice: once with settings and once without. */
@Module({})
class TraceabilitySettings {}
