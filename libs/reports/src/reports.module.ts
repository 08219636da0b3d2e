import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { AlertsController } from './adapters/http/alerts.controller.js';
import { reportControllers } from './adapters/http/report-controller.js';
import { REPORTS } from './adapters/reports/index.js';
import { pointerProviders } from './pointers.wiring.js';
import { alertProviders } from './alerts.wiring.js';
import { askingProviders } from './kept.wiring.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [AlertsController, ...REPORTS.flatMap(reportControllers)],
  providers: [...askingProviders, ...alertProviders, ...pointerProviders, ...REPORTS],
})
export class ReportsModule {}
