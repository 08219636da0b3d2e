export * from './lot-fold.js';
export * from './scenario.js';
