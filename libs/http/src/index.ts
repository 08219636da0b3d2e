export * from './fields.js';
export * from './views/plain-json.js';
export * from './views/prepared-tx.view.js';
