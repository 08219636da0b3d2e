import { traceabilityCopies } from './copies.queries.js';
import type { ContextPersistence } from '#persistence';
import { processMapEntity } from './process-maps/process-map.entity.js';
import { traceabilityContents, traceabilityRetention } from './retention.queries.js';

export * from './contract.js';
export { TraceabilityProjector } from './landing/traceability.projector.js';
export { type RetractionCounts, retractionCounts } from './landing/retractions.queries.js';
export { MapRecorders } from './process-maps/read-process-maps.js';
export { processMapTemplate, processMapTemplates } from './templates/templates.js';
export { traceabilityTopics } from './topics.js';
export { TraceabilityModule } from './traceability.module.js';
export { TraceabilityWorkerModule } from './traceability.worker.js';

export const traceabilityPersistence: ContextPersistence = {
  schema: 'traceability',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [processMapEntity],
  retention: traceabilityRetention,
  contents: traceabilityContents,
  copies: traceabilityCopies,
};
