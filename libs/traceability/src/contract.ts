/** What other contexts may ask of this one, by subject. */
export * from './contract/events.js';
export * from './contract/footprint.js';
export * from './contract/lineage.js';
export * from './contract/lots.js';
export * from './contract/preparation.js';

/** What requests and answers of other contexts have in common with those of this one. */
export {
  asOfNotReached,
  eventNotFound,
  eventNotLanded,
  eventVoided,
  inputNotFinal,
  notATransfer,
  notEntitled,
  tlcAmbiguous,
  tlcTaken,
} from './errors.js';
export { mostWalkedPast } from './lineage/lineage-graph.js';
export { AsOfField, type AsOfQuery, stateAt } from './lots/as-of.dto.js';
export { LotView } from './lots/lots-response.dto.js';
export { readsAll, scopePatterns } from './process-maps/visibility.js';
