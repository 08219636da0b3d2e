export * from './log-book.js';
export * from './projection-parts.js';
