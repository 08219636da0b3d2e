import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { reportControllers } from './adapters/http/report-controller.js';
import { REPORTS } from './adapters/reports/index.js';
import { RunReport } from './application/run-report.js';

@Module({
  imports: [TraceabilityModule],
  controllers: REPORTS.flatMap(reportControllers),
  providers: [RunReport, ...REPORTS],
})
export class ReportsModule {}
