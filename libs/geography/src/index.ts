export * from './country-borders.js';
export * from './plots.js';
export { type Box, allOutlines, boxOf, clipped, countryOutlines, landOutlines, middleOfCountry, pointsIn } from './world-map.js';
export { isPlace } from './shapes.js';
export type { Position, Ring } from './shapes.js';
