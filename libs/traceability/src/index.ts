import type { ContextPersistence } from '#persistence';

export * from './contract.js';
export * from './traceability.module.js';

export const traceabilityPersistence: ContextPersistence = {
  schema: 'traceability',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [],
};
