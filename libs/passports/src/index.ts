import type { ContextPersistence } from '#persistence';

export * from './passports.module.js';
export * from './passports-worker.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const passportsPersistence: ContextPersistence = {
  schema: 'passports',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [],
};
