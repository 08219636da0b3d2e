/** What other contexts may ask of this one, by subject. */
export * from './contract/event-formats.js';
export * from './contract/events.js';
export * from './contract/lineage.js';
export * from './contract/lots.js';
export * from './contract/preparation.js';
export * from './contract/processes.js';
export * from './contract/recalled-lots.js';
