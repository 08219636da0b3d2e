export { eventsOfBody } from '../conformance/bodies.js';
export { documentFaults, eventFaults } from '../conformance/conformance.js';
export { eventHashId, preHash } from '../epcis/event-hash.js';
export type { Json } from '../epcis/json.js';
export { RepositoryStateQueries } from '../repository/repository-state.queries.js';
export { readAndWrite } from './round-trip.js';
export { UNTP_EVENTS, UNTP_PASSPORT } from './untp-schemas.js';
export { documentXml } from '../xml/epcis-xml.js';
export { readEpcisXml } from '../xml/read-epcis-xml.js';
