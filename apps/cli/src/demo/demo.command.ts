import { setTimeout as pause } from 'node:timers/promises';
import { ApiProblem, TraceabilityClient } from '#client';
import { OperatorError } from '../../../runtime/src/index.js';
import { type DemoFile, type DemoTenant, readDemoFile } from './demo-file.js';
import { playScenario } from './play-scenario.js';
import { readScenario } from './scenario.js';
import { WebhookReceiver } from './webhook-receiver.js';

const TOPICS = ['event.recorded', 'nft.created', 'custody.transferred'];
const QUIET_MS = 1_500;

/** Plays the sample value chains through the public API, and prints the result. */
export async function runDemo(dataDir: string, say: (line: string) => void): Promise<void> {
  const demo = readDemoFile(dataDir);
  if (!demo) throw new OperatorError(`There is no demo in ${dataDir} yet. Start the service first: npm start`);
  await requireRunning(demo);
  const receiver = await WebhookReceiver.listen();
  try {
    for (const tenant of demo.tenants) await playTenant(demo, tenant, receiver, say);
  } catch (error) {
    // Its message is a sentence. What was done before is not done twice.
    if (!(error instanceof ApiProblem)) throw error;
    throw new OperatorError(`The service at ${demo.baseUrl} refused a request: ${error.message} Run the demo again to go on.`);
  } finally {
    await receiver.close();
  }
}

export async function requireRunning(demo: DemoFile): Promise<void> {
  const alive = await fetch(`${demo.baseUrl}/health/ready`).catch(() => null);
  if (!alive?.ok) throw new OperatorError(`The service at ${demo.baseUrl} is not ready. Start it in another terminal: npm start`);
}

async function playTenant(demo: DemoFile, tenant: DemoTenant, receiver: WebhookReceiver, say: (line: string) => void): Promise<void> {
  const admin = await TraceabilityClient.login(demo.baseUrl, tenant.admin.email, tenant.admin.password, tenant.slug);
  const hook = await admin.webhooks.create(receiver.urlFor(tenant.slug), TOPICS);
  receiver.trust(tenant.slug, hook.secret);
  const before = receiver.all.length;
  try {
    say(`\n${tenant.slug}`);
    // Finished goods then get a public page, as the process map asks for.
    await admin.call('PATCH /api/v1/passport-settings', { body: { enabled: true } });
    await playScenario(demo, tenant, readScenario(tenant.scenario ?? tenant.slug), ({ number, of, text, outcome, ms }) =>
      say(`  ${String(number).padStart(2)}/${of}  ${outcome === 'done' ? `✓ ${text} (${ms} ms)` : `· ${text} (done before)`}`),
    );
    await untilQuiet(receiver);
    await summary(admin, receiver.all.slice(before), say);
  } finally {
    await admin.webhooks.delete(hook.id);
  }
}

/** Deliveries are sent after finality. A pause without one means that all have arrived. */
async function untilQuiet(receiver: WebhookReceiver): Promise<void> {
  let seen = -1;
  while (seen !== receiver.all.length) {
    seen = receiver.all.length;
    await pause(QUIET_MS);
  }
}

async function summary(admin: TraceabilityClient, webhooks: WebhookReceiver['all'], say: (line: string) => void): Promise<void> {
  const [lots, events] = await Promise.all([admin.lots.list({ limit: 1 }), admin.events.list({ limit: 1 })]);
  const byTopic = TOPICS.map((topic) => `${topic} ${webhooks.filter((hook) => hook.topic === topic).length}`);
  const passports = await admin.call('GET /api/v1/passports', { query: { limit: 1 } });
  say(`  now: ${lots.total} lots, ${events.total} events, ${passports.total} passports`);
  say(
    `  webhooks received: ${webhooks.length} (${byTopic.join(', ')}); signatures verified: ${webhooks.filter((hook) => hook.verified).length}`,
  );
}
