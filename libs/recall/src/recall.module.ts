import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { RecallLogHandler } from './adapters/chain/recall-log-handler.js';
import { DrillsController } from './adapters/http/drills.controller.js';
import { RecallImpactController } from './adapters/http/recall-impact.controller.js';
import { RecallsController } from './adapters/http/recalls.controller.js';
import { SqlDrills } from './adapters/persistence/sql-drills.js';
import { SqlHoldBook } from './adapters/persistence/sql-hold-book.js';
import { SqlRecalls } from './adapters/persistence/sql-recalls.js';
import { SqlUnreadNotices } from './adapters/persistence/sql-unread-notices.js';
import { NoticeSearch } from './adapters/queue/notice-search.js';
import { AssessImpact } from './application/assess-impact.js';
import { HoldLot } from './application/hold-lot.js';
import { PrepareLift } from './application/prepare-lift.js';
import { PrepareRecall } from './application/prepare-recall.js';
import { ResolveNotices } from './application/resolve-notices.js';
import { RunDrill } from './application/run-drill.js';
import { TellReach } from './application/tell-reach.js';
import { Drills, HoldBook, Recalls, UnreadNotices } from './ports.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [RecallImpactController, RecallsController, DrillsController],
  providers: [
    AssessImpact,
    HoldLot,
    PrepareLift,
    PrepareRecall,
    RecallLogHandler,
    RunDrill,
    TellReach,
    { provide: Drills, useClass: SqlDrills },
    { provide: HoldBook, useClass: SqlHoldBook },
    { provide: Recalls, useClass: SqlRecalls },
  ],
  exports: [RecallLogHandler, HoldBook],
})
export class RecallModule {}

/** The worker's side: notices that could not be read are looked for again. */
@Module({
  imports: [TraceabilityModule, RecallModule],
  providers: [{ provide: UnreadNotices, useClass: SqlUnreadNotices }, ResolveNotices, NoticeSearch],
})
export class RecallWorkerModule {}
