import { configFrom, type WebhooksConfig } from '#config';
import { createHttpApp, createLogger } from '#http';
import type { PostgresEndpoint } from '#persistence';
import type { QueueEngine } from '#queue';
import { worldModule } from '../../test/engines/webhooks-world.js';

export interface WorkerRun {
  readonly endpoint: PostgresEndpoint;
  readonly queue: QueueEngine;
  readonly webhooks: WebhooksConfig;
}

// Relay and worker in a process of their own. Says when it is there, and on each message how much memory it holds.
const { endpoint, queue, webhooks } = JSON.parse(process.argv[2]!) as WorkerRun;
const app = await createHttpApp(worldModule(endpoint, webhooks, true, queue), {
  config: configFrom({ NODE_ENV: 'test' }),
  logger: createLogger({ level: 'warn' }),
});
await app.init();
process.send!({ ready: true });
process.on('message', () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send!({ rss, heapUsed });
});
process.on('disconnect', () => void app.close().then(() => process.exit(0)));
