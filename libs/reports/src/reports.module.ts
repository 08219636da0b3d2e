import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { AlertsController } from './adapters/http/alerts.controller.js';
import { reportControllers } from './adapters/http/report-controller.js';
import { SqlKeptAnswers } from './adapters/persistence/sql-kept-answers.js';
import { REPORTS } from './adapters/reports/index.js';
import { pointerProviders } from './pointers.wiring.js';
import { alertProviders } from './alerts.wiring.js';
import { AskReport } from './application/ask-report.js';
import { RunReport } from './application/run-report.js';
import { KeptAnswers } from './ports.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [AlertsController, ...REPORTS.flatMap(reportControllers)],
  providers: [AskReport, RunReport, { provide: KeptAnswers, useClass: SqlKeptAnswers }, ...alertProviders, ...pointerProviders, ...REPORTS],
})
export class ReportsModule {}
