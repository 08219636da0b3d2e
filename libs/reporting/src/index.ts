import { reportingCopies } from './copies.queries.js';
import type { ContextPersistence } from '#persistence';
import { reportingRetention } from './retention.queries.js';
import { reportingSchedules } from './schedules.queries.js';

export { ReportingModule } from './reporting.module.js';
export { ReportingWorkerModule } from './reporting.worker.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const reportingPersistence: ContextPersistence = {
  schema: 'reporting',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
  retention: reportingRetention,
  schedules: reportingSchedules,
  copies: reportingCopies,
};
