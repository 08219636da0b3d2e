export * from './log-book.js';
