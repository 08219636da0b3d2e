export * from './fake-kubo.js';
