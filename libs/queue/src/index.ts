export { BullMqJobQueue, type BullMqOptions } from './bullmq/bullmq-job-queue.js';
export { migrateQueue, openQueueConnections, QueueConnections, type QueueEngine } from './bullmq/connections.js';
export * from './job-queue.js';
export * from './queue.module.js';
export * from './sweep.js';
export * from './tenant-by-tenant.js';
