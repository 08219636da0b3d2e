import type { ContextPersistence } from '#persistence';

export { documentFaults, eventFaults } from './domain/conformance.js';
export { eventHashId } from './domain/event-hash.js';
export * from './interchange.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const interchangePersistence: ContextPersistence = {
  schema: 'interchange',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [],
};
