export * from './country-borders.js';
export * from './plots.js';
