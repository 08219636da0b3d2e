import type { ContextPersistence } from '#persistence';
import { lotEntity } from './adapters/persistence/lot.schema.js';
import { entities } from './events.wiring.js';

export * from './adapters/chain/traceability-log-handler.js';
export { DeclarationView, declarationView } from './adapters/http/events-correct.controller.js';
export { BatchItemView, PreparedEventView, VerdictView, batchItemView, preparedEventView } from './adapters/http/events-prepare.view.js';
export { LotView } from './adapters/http/lots.view.js';
export { type LooksBack, AsOfField, stateAt } from './adapters/http/as-of.js';
export { mostWalkedPast } from './domain/lineage-graph.js';
export { MapRecorders } from './adapters/persistence/map-recorders.js';
export { PublishProcessMap } from './application/publish-process-map.js';
export * from './contract.js';
export { wrongIdentifier } from './domain/check-digits.js';
export { asOfNotReached, notATransfer } from './domain/errors.js';
export { scopePatterns } from './domain/projection-scope.js';
export { EventSettings } from './ports.js';
export { processMapTemplate, processMapTemplates } from './templates/templates.js';
export { ExpireEvents } from './application/expire-events.js';
export * from './traceability.module.js';
export * from './traceability-worker.module.js';

export const traceabilityPersistence: ContextPersistence = {
  schema: 'traceability',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [...entities, lotEntity],
};
