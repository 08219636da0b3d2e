import { interchangeCopies } from './copies.queries.js';
import type { ContextPersistence } from '#persistence';
import { interchangeRetention } from './retention.queries.js';

export { importFinished, interchangeTopics } from './topics.js';
export { InterchangeModule } from './interchange.module.js';
export { InterchangeWorkerModule } from './interchange.worker.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const interchangePersistence: ContextPersistence = {
  schema: 'interchange',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
  retention: interchangeRetention,
  copies: interchangeCopies,
};
