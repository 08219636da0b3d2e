import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { EpcisFormat } from './adapters/epcis-format.js';
import { KnownExporters } from './adapters/known-exporters.js';
import { CaptureController } from './adapters/http/capture.controller.js';
import { ExportsController } from './adapters/http/exports.controller.js';
import { CustodySteps } from './adapters/journal/custody-steps.js';
import { RecallSteps } from './adapters/journal/recall-steps.js';
import { RecordedEvents } from './adapters/journal/recorded-events.js';
import { SqlCaptureSurroundings } from './adapters/persistence/sql-capture-surroundings.js';
import { SqlCapturedEvents } from './adapters/persistence/sql-captured-events.js';
import { SqlDossierFacts } from './adapters/persistence/sql-dossier-facts.js';
import { CaptureDocument } from './application/capture-document.js';
import { DeclareWrong } from './application/declare-wrong.js';
import { ExportLot } from './application/export-lot.js';
import { Journal, ReadJournal } from './application/read-journal.js';
import { CaptureSurroundings, CapturedEvents, DossierFacts, Exporters } from './ports.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [CaptureController, ExportsController],
  providers: [
    CaptureDocument,
    DeclareWrong,
    { provide: CapturedEvents, useClass: SqlCapturedEvents },
    { provide: CaptureSurroundings, useClass: SqlCaptureSurroundings },
    ExportLot,
    { provide: DossierFacts, useClass: SqlDossierFacts },
    { provide: Exporters, useFactory: () => KnownExporters.load() },
    RecordedEvents,
    {
      provide: Journal,
      inject: [RecordedEvents],
      useFactory: (events: RecordedEvents): Journal => ({
        events,
        custody: [new CustodySteps('custody.offer_step_v1'), new CustodySteps('custody.closing_step_v1')],
        recalls: [new RecallSteps()],
      }),
    },
    ReadJournal,
    EpcisFormat,
  ],
})
export class InterchangeModule {}
