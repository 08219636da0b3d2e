export * from './config.js';
export * from './env.js';
export * from './reference.js';
export type { RetentionConfig } from './retention.js';
export { misspeltSettings } from './misspelt.js';
