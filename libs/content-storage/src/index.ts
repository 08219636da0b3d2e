export * from './content-store.js';
