export { BullMqJobQueue, type BullMqOptions } from './bullmq/bullmq-job-queue.js';
export { migrateQueue, openQueueConnections, QueueConnections, type QueueEngine } from './bullmq/connections.js';
export * from './for-each-tenant.js';
export * from './job-queue.js';
export { PERIODIC_TOPIC } from './job-runner.js';
export * from './jobs.js';
export * from './queue.module.js';
