export { OutboxRelay } from '../adapters/queue/outbox-relay.js';
