import type { ContextPersistence } from '#persistence';
import { documentsContents, documentsCopies, documentsRetention } from './retention.queries.js';

export * from './contract.js';
export { DocumentsModule, FilesModule } from './documents.module.js';
export { DocumentsSettings, clamdAddress } from './documents.settings.js';
export { documentInfected, scannerUnavailable } from './errors.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const documentsPersistence: ContextPersistence = {
  schema: 'documents',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
  retention: documentsRetention,
  contents: documentsContents,
  copies: documentsCopies,
};
