import type { ContextPersistence } from '#persistence';
import { trackedEntity } from './adapters/persistence/tracked.schema.js';

export { TransactionsLogHandler } from './adapters/chain/transactions-log-handler.js';
export { TransactionsWorkerModule } from './transactions-worker.module.js';
export { TransactionsModule } from './transactions.module.js';

export const transactionsPersistence: ContextPersistence = {
  schema: 'transactions',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [trackedEntity],
};
