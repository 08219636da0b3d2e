import type { ContextPersistence } from '#persistence';
import { trackedEntity } from './tracking/tracked-transactions.queries.js';
import { transactionsRetention } from './retention.queries.js';
import { transactionsSchedules } from './schedules.queries.js';

export { TransactionsProjector } from './effects/effects.projector.js';
export { sponsorReading, type SponsorReading } from './sponsor/sponsor-reading.queries.js';
export { signerOf, SponsorWorkerModule } from './sponsor.worker.js';
export { TransactionsWorkerModule } from './transactions.worker.js';
export { transactionsTopics } from './topics.js';
export { TransactionsModule } from './transactions.module.js';

export const transactionsPersistence: ContextPersistence = {
  schema: 'transactions',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [trackedEntity],
  retention: transactionsRetention,
  schedules: transactionsSchedules,
};
