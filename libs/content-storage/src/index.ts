export * from './content-store.js';
export * from './content-storage.module.js';
export { contentPersistence, DatabaseContentStore } from './database/database-content-store.js';
export { FileContentStore } from './files/file-content-store.js';
export { NotingContentStore } from './unsent/noting-content-store.js';
export { UnsentContents } from './unsent/unsent-contents.js';
export { KuboContentStore, type KuboOptions } from './kubo/kubo-content-store.js';
