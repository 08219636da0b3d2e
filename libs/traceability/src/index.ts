import type { ContextPersistence } from '#persistence';
import { lotSchema } from './adapters/persistence/lot.schema.js';

export * from './adapters/chain/traceability-log-handler.js';
export * from './contract.js';
export * from './traceability.module.js';

export const traceabilityPersistence: ContextPersistence = {
  schema: 'traceability',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [lotSchema],
};
