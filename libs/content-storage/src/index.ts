export * from './content-store.js';
export * from './canonical-bytes.js';
