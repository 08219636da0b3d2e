export * from './log-book.js';
export * from './lot-fold.js';
export * from './projection-parts.js';
export * from './reads-module.js';
export { lotStatus, lotStatusSql, type StatusFacts } from '../domain/lot-status.js';
export * from './scenario.js';
