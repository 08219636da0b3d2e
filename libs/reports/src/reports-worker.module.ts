import type { Config } from '#config';
import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module } from '@nestjs/common';
import { alertWorkerProviders } from './alerts.wiring.js';
import { keepingProviders } from './kept.wiring.js';
import { pointerWorkerProviders } from './pointers.wiring.js';
import { ReportSettings } from './settings.js';

/** The worker's side: alerts are looked for, pointers checked, and answers of large tenants made ready. Any number of processes may run it. */
@Module({})
export class ReportsWorkerModule {
  static forRoot(config: Pick<Config, 'reports'>): DynamicModule {
    return {
      module: ReportsWorkerModule,
      imports: [TraceabilityModule],
      providers: [
        { provide: ReportSettings, useValue: new ReportSettings(config) },
        ...alertWorkerProviders,
        ...pointerWorkerProviders,
        ...keepingProviders,
      ],
    };
  }
}
