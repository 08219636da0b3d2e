import type { ContextPersistence } from '#persistence';

export { RecallLogHandler } from './adapters/chain/recall-log-handler.js';
export type { NftRecalled } from './domain/nft-recalled.js';
export { RecallModule, RecallWorkerModule } from './recall.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const recallPersistence: ContextPersistence = {
  schema: 'recall',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [],
};
