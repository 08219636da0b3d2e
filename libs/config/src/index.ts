export * from './config.js';
export * from './env.js';
