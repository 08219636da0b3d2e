import type { ContextPersistence } from '#persistence';
import { passportsCopies } from './copies.queries.js';

export type { CheckedLink, Report } from './verifier/report.js';
export { verifyBundle } from './verifier/verifier.js';
export type { AskChain } from './verifier/chain-check.js';
export { ExportPassports } from './export/export-passports.job.js';
export type { ExportTarget } from './export/export-folders.js';
export { BACK_UP_FORMAT, type BackUpManifest, MANIFEST_FILE } from './backup/back-up.js';
export { MakeBackUp } from './backup/make-back-up.js';
export { ReadBackUp } from './backup/read-back-up.js';
export { REPRESENTATIONS, type Representation } from './dpp/dpp-text.rules.js';
export { resultOf } from './dpp/dpp-result.js';
export { PassportsExportModule, PassportsModule, PassportsWorkerModule } from './passports.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const passportsPersistence: ContextPersistence = {
  schema: 'passports',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
  copies: passportsCopies,
};
