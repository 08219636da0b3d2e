import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { RecallLogHandler } from './adapters/chain/recall-log-handler.js';

@Module({ imports: [TraceabilityModule], providers: [RecallLogHandler], exports: [RecallLogHandler] })
export class RecallModule {}
