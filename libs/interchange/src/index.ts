export { documentFaults, eventFaults } from './domain/conformance.js';
export { eventHashId } from './domain/event-hash.js';
export * from './interchange.module.js';
