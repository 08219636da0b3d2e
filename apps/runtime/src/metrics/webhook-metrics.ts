import { Counter, type Registry } from 'prom-client';
import type { AttemptListener, AttemptResult } from '#webhooks';
import { gauge, reading, readingsOf } from './readings.js';
import type { Backlog, WatchedSources } from './sources.js';

/** What waits on the way to receivers, over all processes. */
export function backlogGauges(registry: Registry, sources: () => WatchedSources | null): void {
  const backlog = async (): Promise<Backlog | null> => (await sources()?.samples.backlog.read()) ?? null;
  const unfinal = 'unfinal: their block is not final yet; waiting: to be made into deliveries';
  gauge(
    registry,
    { name: 'traceability_outbox_topics', help: `Topics in the outbox, 10,000 at most (${unfinal}).`, labelNames: ['state'] },
    async () => {
      const now = await backlog();
      return now ? readingsOf('state', { unfinal: now.outbox.unfinal, waiting: now.outbox.waiting }) : [];
    },
  );
  gauge(
    registry,
    { name: 'traceability_outbox_oldest_seconds', help: `Age of the oldest topic in the outbox (${unfinal}).`, labelNames: ['state'] },
    async () => {
      const now = await backlog();
      return now ? readingsOf('state', { unfinal: now.outbox.unfinalSeconds, waiting: now.outbox.waitingSeconds }) : [];
    },
  );
  gauge(
    registry,
    { name: 'traceability_webhook_deliveries_due', help: 'Deliveries whose time has come and that nobody attempts, 10,000 at most.' },
    async () => reading((await backlog())?.deliveries.due),
  );
  gauge(registry, { name: 'traceability_webhook_oldest_due_seconds', help: 'For how long the oldest of those has been due.' }, async () =>
    reading((await backlog())?.deliveries.oldestSeconds),
  );
  gauge(
    registry,
    {
      name: 'traceability_events_retracted',
      help: 'Final events that left the chain, 10,000 at most (waiting: undone, and not found again yet; announced: within the last 24 hours).',
      labelNames: ['state'],
    },
    async () => {
      const now = await backlog();
      return now ? readingsOf('state', { ...now.retractions }) : [];
    },
  );
}

/** How far readers of the change feed are behind. */
export function consumerGauges(registry: Registry, sources: () => WatchedSources | null): void {
  const backlog = async (): Promise<Backlog | null> => (await sources()?.samples.backlog.read()) ?? null;
  gauge(
    registry,
    {
      name: 'traceability_change_consumer_lag',
      help: 'Changes, of all topics, that the consumer of the change feed which is the farthest behind has not acknowledged.',
    },
    async () => reading((await backlog())?.consumers.mostBehind),
  );
  gauge(
    registry,
    {
      name: 'traceability_change_consumer_lag_seconds',
      help: 'Age of the oldest change that a consumer of the change feed has not acknowledged.',
    },
    async () => reading((await backlog())?.consumers.oldestSeconds),
  );
}

/** Counts the attempts of this process, each once what came of it is committed. */
export function attemptCounters(registry: Registry): AttemptListener {
  const attempts = new Counter({
    name: 'traceability_webhook_attempts_total',
    help: 'Attempts to deliver, by what came of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const deliveries = new Counter({
    name: 'traceability_webhook_deliveries_total',
    help: 'Deliveries after an attempt, by the status that it left them in.',
    labelNames: ['status'],
    registers: [registry],
  });
  // From zero on: a rate of what first appears with its first count would miss just that one.
  for (const outcome of OUTCOMES) attempts.inc({ outcome }, 0);
  for (const status of STATUSES) deliveries.inc({ status }, 0);
  return {
    settled: (outcome, status) => {
      attempts.inc({ outcome });
      deliveries.inc({ status });
    },
  };
}

const OUTCOMES: readonly AttemptResult[] = [
  'success',
  'http_3xx',
  'http_4xx',
  'http_5xx',
  'http_other',
  'timeout',
  'not_allowed',
  'unreachable',
  'broken_off',
  'not_signed',
  'interrupted',
];
const STATUSES: readonly Parameters<AttemptListener['settled']>[1][] = ['delivered', 'retrying', 'failed', 'discarded'];
