import { configFrom, type WebhooksConfig } from '#config';
import { createHttpApp, createLogger } from '#http';
import type { PostgresEndpoint } from '#persistence';
import { worldModule } from './webhooks-world.js';

// A worker in a process of its own, for tests that kill it. Says "ready" and works until it is stopped.
const { endpoint, webhooks } = JSON.parse(process.argv[2]!) as { endpoint: PostgresEndpoint; webhooks: WebhooksConfig };
const app = await createHttpApp(worldModule(endpoint, webhooks, true), {
  config: configFrom({ NODE_ENV: 'test' }),
  logger: createLogger({ level: 'silent' }),
});
app.enableShutdownHooks();
await app.init();
process.stdout.write('ready\n');
