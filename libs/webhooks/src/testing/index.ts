export { OutboxRelay } from '../outbox/relay-outbox.job.js';
