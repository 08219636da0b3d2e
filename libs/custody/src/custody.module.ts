import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { CustodyLogHandler } from './adapters/chain/custody-log-handler.js';
import { CustodyController } from './adapters/http/custody.controller.js';
import { CheckCustody } from './application/check-custody.js';
import { PrepareCustody } from './application/prepare-custody.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [CustodyController],
  providers: [CheckCustody, CustodyLogHandler, PrepareCustody],
  exports: [CustodyLogHandler],
})
export class CustodyModule {}
