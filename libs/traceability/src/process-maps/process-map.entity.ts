import { EntitySchema } from 'typeorm';
import { ProcessMap } from './process-map.js';

export const processMapEntity = new EntitySchema<ProcessMap>({
  name: 'ProcessMap',
  target: ProcessMap,
  schema: 'traceability',
  tableName: 'process_map',
  columns: {
    tenantId: { name: 'tenant_id', type: 'uuid', primary: true },
    name: { type: 'text', primary: true },
    version: { type: 'text', primary: true },
    document: { type: 'jsonb' },
    cid: { type: 'text' },
    publishedAt: { name: 'published_at', type: 'timestamptz' },
    publishedBy: { name: 'published_by', type: 'text' },
  },
});
