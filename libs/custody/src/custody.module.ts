import { PrepareModule } from '#prepare';
import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { CustodyProjector } from './landing/custody.projector.js';
import { CustodyListsController } from './lists/custody-lists.controller.js';
import { PrepareRetirement } from './retirements/prepare-retirement.js';
import { RetirementsController } from './retirements/retirements.controller.js';
import { CustodyController } from './transfers/custody.controller.js';
import { PrepareCustody } from './transfers/prepare-custody.js';

@Module({
  imports: [PrepareModule, TraceabilityModule],
  controllers: [CustodyController, CustodyListsController, RetirementsController],
  providers: [CustodyProjector, PrepareCustody, PrepareRetirement],
  exports: [CustodyProjector],
})
export class CustodyModule {}
