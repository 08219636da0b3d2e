import type { ContextPersistence } from '#persistence';

export const chainPersistence: ContextPersistence = {
  schema: 'chain',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
};
