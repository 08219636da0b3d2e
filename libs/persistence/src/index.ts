export * from './outbox.js';
export * from './typeorm-unit-of-work.js';
export * from './unit-of-work.js';
