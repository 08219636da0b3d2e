export { type StatusFacts, lotStatus, lotStatusSql } from '../domain/lot-status.js';
export * from './events-module.js';
export * from './leafy-greens.js';
export * from './log-book.js';
export * from './lot-fold.js';
export * from './projection-parts.js';
export * from './reads-module.js';
export * from './scenario.js';
export { StoreCallNote } from '../application/store-call-note.js';
