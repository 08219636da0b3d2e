import { Module } from '@nestjs/common';
import { RecallLogHandler } from './adapters/chain/recall-log-handler.js';

@Module({ providers: [RecallLogHandler], exports: [RecallLogHandler] })
export class RecallModule {}
