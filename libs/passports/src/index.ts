import type { ContextPersistence } from '#persistence';
import { passportsCopies } from './copies.queries.js';

export type { CheckedLink, Report } from './verifier/report.js';
export { verifyBundle } from './verifier/verifier.js';
export type { AskChain } from './verifier/chain-check.js';
export { ExportPassports, type ExportTarget } from './export/export-passports.job.js';
export { PassportsExportModule, PassportsModule, PassportsWorkerModule } from './passports.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const passportsPersistence: ContextPersistence = {
  schema: 'passports',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
  copies: passportsCopies,
};
