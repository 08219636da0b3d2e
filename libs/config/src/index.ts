export * from './config.js';
export * from './env.js';
export * from './reference.js';
