import type { ContextPersistence } from '#persistence';

export type { CheckedLink, Report } from './verifier/links.js';
export { verifyBundle } from './verifier/verifier.js';
export type { AskChain } from './verifier/verify-on-chain.js';
export { ExportPassports, type ExportTarget } from './application/export-passports.js';
export * from './passports.module.js';
export * from './passports-export.module.js';
export * from './passports-worker.module.js';

/** Its rows are read and written by SQL alone, so there is nothing to map. */
export const passportsPersistence: ContextPersistence = {
  schema: 'passports',
  migrations: new URL('./adapters/persistence/migrations/', import.meta.url),
  entities: [],
};
