import { recallCopies } from './copies.queries.js';
import type { ContextPersistence } from '#persistence';
import { recallContents, recallRetention } from './retention.queries.js';

export { type AskedHolder, AskedHolders } from './contract.js';
export { RecallProjector } from './landing/recalls.projector.js';
export { type NftRecalled, recallTopics } from './topics.js';
export { RecallModule, RecallWorkerModule } from './recall.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const recallPersistence: ContextPersistence = {
  schema: 'recall',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
  retention: recallRetention,
  contents: recallContents,
  copies: recallCopies,
};
