import type { ContextPersistence } from '#persistence';

export { CustodyLogHandler } from './adapters/chain/custody-log-handler.js';
export { CustodyModule } from './custody.module.js';
export type { CustodyTransferred } from './domain/custody-transferred.js';

/** Its rows are read and written by SQL alone (bulk at landing, lists), so there is nothing to map. */
export const custodyPersistence: ContextPersistence = {
  schema: 'custody',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [],
};
