import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { CustodyLogHandler } from './adapters/chain/custody-log-handler.js';
import { CustodyListsController } from './adapters/http/custody-lists.controller.js';
import { CustodyController } from './adapters/http/custody.controller.js';
import { RetirementController } from './adapters/http/retirement.controller.js';
import { CheckCustody } from './application/check-custody.js';
import { PrepareCustody } from './application/prepare-custody.js';
import { PrepareRetirement } from './application/prepare-retirement.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [CustodyController, CustodyListsController, RetirementController],
  providers: [CheckCustody, CustodyLogHandler, PrepareCustody, PrepareRetirement],
  exports: [CustodyLogHandler],
})
export class CustodyModule {}
