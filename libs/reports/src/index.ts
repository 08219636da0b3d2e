import type { ContextPersistence } from '#persistence';

export { EvaluateAlerts } from './application/evaluate-alerts.js';
export { ReportsModule } from './reports.module.js';
export { ReportsWorkerModule } from './reports-worker.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const reportsPersistence: ContextPersistence = {
  schema: 'reports',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [],
};
