export { SqlHoldBook } from '../adapters/persistence/sql-hold-book.js';
export { AssessImpact } from '../application/assess-impact.js';
