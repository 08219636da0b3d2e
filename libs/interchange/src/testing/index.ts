export { documentFaults, eventFaults } from '../conformance/conformance.js';
export { eventHashId } from '../epcis/event-hash.js';
export { UNTP_EVENTS, UNTP_PASSPORT } from './untp-schemas.js';
