import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { EpcisFormat } from './adapters/epcis-format.js';
import { CaptureController } from './adapters/http/capture.controller.js';
import { CustodySteps } from './adapters/journal/custody-steps.js';
import { RecallSteps } from './adapters/journal/recall-steps.js';
import { RecordedEvents } from './adapters/journal/recorded-events.js';
import { SqlCaptureSurroundings } from './adapters/persistence/sql-capture-surroundings.js';
import { SqlCapturedEvents } from './adapters/persistence/sql-captured-events.js';
import { CaptureDocument } from './application/capture-document.js';
import { DeclareWrong } from './application/declare-wrong.js';
import { Journal, ReadJournal } from './application/read-journal.js';
import { CaptureSurroundings, CapturedEvents } from './ports.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [CaptureController],
  providers: [
    CaptureDocument,
    DeclareWrong,
    { provide: CapturedEvents, useClass: SqlCapturedEvents },
    { provide: CaptureSurroundings, useClass: SqlCaptureSurroundings },
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
