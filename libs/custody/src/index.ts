import { custodyCopies } from './copies.queries.js';
import type { ContextPersistence } from '#persistence';
import { custodyContents } from './retention.queries.js';

export { CustodyProjector } from './landing/custody.projector.js';
export { CustodyModule } from './custody.module.js';
export { type CustodyTransferred, custodyTopics } from './topics.js';

/** Its rows are read and written by SQL alone (bulk at landing, lists), so there is nothing to map. */
export const custodyPersistence: ContextPersistence = {
  schema: 'custody',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
  contents: custodyContents,
  copies: custodyCopies,
};
