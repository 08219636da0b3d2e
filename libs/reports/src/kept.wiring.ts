import type { Provider } from '@nestjs/common';
import { SqlEventFacts } from './adapters/persistence/sql-event-facts.js';
import { SqlTransferFacts } from './adapters/persistence/sql-transfer-facts.js';
import { SqlStock } from './adapters/persistence/sql-stock.js';
import { SqlKeptAnswers } from './adapters/persistence/sql-kept-answers.js';
import { AnswerKeeper } from './adapters/queue/answer-keeper.js';
import { EventFollower } from './adapters/queue/event-follower.js';
import { DocumentsReport } from './adapters/reports/documents.js';
import { InventoryReport } from './adapters/reports/inventory.js';
import { SuppliersReport } from './adapters/reports/suppliers.js';
import { YieldReport } from './adapters/reports/yield.js';
import { AskReport } from './application/ask-report.js';
import { FollowEvents } from './application/follow-events.js';
import { FollowStock } from './application/follow-stock.js';
import { FollowTransfers } from './application/follow-transfers.js';
import { KeepReady, READY_REPORTS, type ReadyReports } from './application/keep-ready.js';
import { RunReport } from './application/run-report.js';
import { EventFacts, Stock, TransferFacts } from './facts.ports.js';
import { KeptAnswers, type Report } from './ports.js';

/** To ask reports. */
export const askingProviders: readonly Provider[] = [AskReport, RunReport, { provide: KeptAnswers, useClass: SqlKeptAnswers }];

const READY = [DocumentsReport, InventoryReport, SuppliersReport, YieldReport] as const;

/** To have their answers ready. */
export const keepingProviders: readonly Provider[] = [
  ...askingProviders,
  ...READY,
  {
    provide: READY_REPORTS,
    inject: [...READY],
    useFactory: (...reports: Report[]): ReadyReports => READY.map((type, i) => [type, reports[i]!]),
  },
  KeepReady,
  AnswerKeeper,
  { provide: EventFacts, useClass: SqlEventFacts },
  { provide: TransferFacts, useClass: SqlTransferFacts },
  FollowTransfers,
  { provide: Stock, useClass: SqlStock },
  FollowStock,
  FollowEvents,
  EventFollower,
];
