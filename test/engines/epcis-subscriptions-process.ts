import { setTimeout as pause } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { configFrom, type WebhooksConfig } from '#config';
import { createHttpApp, createLogger } from '#http';
import { SendQueryResults, queryResultProviders } from '#interchange/testing';
import type { PostgresEndpoint } from '#persistence';
import { worldModule } from './webhooks-world.js';

// A worker in a process of its own, for a test that kills it: it sends results of subscriptions, and their deliveries.
const { endpoint, webhooks, tenant } = JSON.parse(process.argv[2]!) as {
  endpoint: PostgresEndpoint;
  webhooks: WebhooksConfig;
  tenant: { tenantId: string; slug: string };
};

@Module({ imports: [worldModule(endpoint, webhooks, true)], providers: [...queryResultProviders] })
class Worker {}

const app = await createHttpApp(Worker, { config: configFrom({ NODE_ENV: 'test' }), logger: createLogger({ level: 'silent' }) });
await app.init();
process.stdout.write('ready\n');
const sending = app.get(SendQueryResults);
const { signal } = new AbortController();
for (;;) {
  await sending.send(tenant, signal);
  await pause(20);
}
