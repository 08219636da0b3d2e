import { PrepareModule } from '#prepare';
import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { AcknowledgeRecall, FindAnswers, FindAskedHolders, FindAskedLots } from './acknowledgements/acknowledge-recall.js';
import { PublishAcknowledgements } from './acknowledgements/publish-acknowledgements.js';
import { AcknowledgementsController } from './acknowledgements/acknowledgements.controller.js';
import { AcknowledgementQueries } from './acknowledgements/acknowledgements.queries.js';
import { FindRecallReport } from './acknowledgements/find-recall-report.js';
import { RecallReportController } from './acknowledgements/recall-report.controller.js';
import { AssessDrill, RunDrill } from './drills/run-drill.js';
import { AskedHolders } from './contract.js';
import { DrillsController } from './drills/drills.controller.js';
import { DrillQueries } from './drills/drills.queries.js';
import { HoldLot } from './holds/hold-lot.js';
import { HoldsController } from './holds/holds.controller.js';
import { HoldQueries } from './holds/holds.queries.js';
import { PropagateRecall } from './holds/propagate-recall.js';
import { AssessImpact } from './impact/assess-impact.js';
import { RecallImpactController } from './impact/recall-impact.controller.js';
import { PublishRecalls } from './landing/publish-recalls.js';
import { RecallProjector } from './landing/recalls.projector.js';
import { NoticeQueries, RecallQueries } from './recalls/recalls.queries.js';
import { ReadNoticesJob } from './landing/read-notices.job.js';
import { ReadNotices } from './landing/read-notices.js';
import { PrepareLift } from './recalls/prepare-lift.js';
import { PrepareRecall } from './recalls/prepare-recall.js';
import { StorePrepared } from './recalls/store-prepared.js';
import { RecallsController } from './recalls/recalls.controller.js';

@Module({
  imports: [PrepareModule, TraceabilityModule],
  controllers: [
    RecallImpactController,
    RecallsController,
    HoldsController,
    DrillsController,
    AcknowledgementsController,
    RecallReportController,
  ],
  providers: [
    AcknowledgeRecall,
    AcknowledgementQueries,
    FindAskedLots,
    FindAnswers,
    FindRecallReport,
    { provide: AskedHolders, useClass: FindAskedHolders },
    PublishAcknowledgements,
    AssessDrill,
    AssessImpact,
    DrillQueries,
    HoldLot,
    HoldQueries,
    PrepareLift,
    PrepareRecall,
    StorePrepared,
    PropagateRecall,
    PublishRecalls,
    RecallProjector,
    RecallQueries,
    RunDrill,
  ],
  exports: [AskedHolders, PropagateRecall, RecallProjector],
})
export class RecallModule {}

/** The worker's side: reads notices that could not be read when their recall landed. */
@Module({ imports: [RecallModule], providers: [NoticeQueries, ReadNotices, ReadNoticesJob] })
export class RecallWorkerModule {}
