export * from './canonical-bytes.js';
export * from './content-storage.module.js';
export * from './content-store.js';
export { contentPersistence, DatabaseContentStore } from './database/database-content-store.js';
export { FileContentStore } from './files/file-content-store.js';
export * from './in-time.js';
export { KuboContentStore, type KuboOptions } from './kubo/kubo-content-store.js';
