import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { EpcisFormat } from './adapters/epcis-format.js';
import { CustodySteps } from './adapters/journal/custody-steps.js';
import { RecallSteps } from './adapters/journal/recall-steps.js';
import { RecordedEvents } from './adapters/journal/recorded-events.js';
import { Journal, ReadJournal } from './application/read-journal.js';

@Module({
  imports: [TraceabilityModule],
  providers: [
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
