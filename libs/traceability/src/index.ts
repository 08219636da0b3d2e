import type { ContextPersistence } from '#persistence';
import { entities } from './events.wiring.js';

export { PublishProcessMap } from './application/publish-process-map.js';
export * from './contract.js';
export { EventSettings } from './events.ports.js';
export { processMapTemplates } from './templates/templates.js';
export * from './traceability.module.js';

export const traceabilityPersistence: ContextPersistence = {
  schema: 'traceability',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [...entities],
};
