import type { ContextPersistence } from '#persistence';
import { entities } from './entities.js';

export const identityPersistence: ContextPersistence = {
  schema: 'identity',
  migrations: new URL('./migrations/', import.meta.url),
  entities,
};
