import { configFrom, type WebhooksConfig } from '#config';
import { createHttpApp, createLogger } from '#http';
import type { PostgresEndpoint } from '#persistence';
import { worldModule } from './webhooks-world.js';

// A process of its own, for tests that kill it: a worker, or with a port the API. Says "ready" and works until it is stopped.
const { endpoint, webhooks, port } = JSON.parse(process.argv[2]!) as {
  endpoint: PostgresEndpoint;
  webhooks: WebhooksConfig;
  port?: number;
};
const app = await createHttpApp(worldModule(endpoint, webhooks, port === undefined), {
  config: configFrom({ NODE_ENV: 'test' }),
  logger: createLogger({ level: 'silent' }),
});
app.enableShutdownHooks();
await (port === undefined ? app.init() : app.listen(port, '127.0.0.1'));
process.stdout.write('ready\n');
