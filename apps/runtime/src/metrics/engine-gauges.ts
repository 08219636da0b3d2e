import type { Registry } from 'prom-client';
import { gauge, reading, readingsOf } from './readings.js';
import type { WatchedSources } from './sources.js';

/** The engines of this process: whether they answer, the pool of the database, and the queue. */
export function engineGauges(registry: Registry, sources: () => WatchedSources | null): void {
  // First, for a scrape reads in this order: else it would count its own questions to the database among what waits.
  poolGauges(registry, sources);
  gauge(
    registry,
    { name: 'traceability_engine_up', help: '1 when the engine passes its health check, 0 when it does not.', labelNames: ['engine'] },
    async () =>
      Object.entries((await sources()?.samples.engines.read()) ?? {}).map(([engine, up]) => ({ value: Number(up), labels: { engine } })),
  );
  gauge(
    registry,
    {
      name: 'traceability_metrics_source_up',
      help: '1 when a source of other metrics answered this scrape, 0 when those are missing.',
      labelNames: ['source'],
    },
    async () => {
      const samples = sources()?.samples;
      if (!samples) return [];
      const answers = await Promise.all([samples.engines.read(), samples.queue.read(), samples.backlog.read()]);
      const [engines, queue, backlog] = answers.map((answer) => Number(answer !== null));
      return readingsOf('source', { engines: engines!, queue: queue!, backlog: backlog! });
    },
  );
  gauge(
    registry,
    {
      name: 'traceability_clock_offset_seconds',
      help: 'Clock of the machine less the clock of the database; positive when the machine is ahead.',
    },
    () => {
      const offsetMs = sources()?.clock.offsetMs ?? null;
      return reading(offsetMs === null ? null : offsetMs / 1_000);
    },
  );
  gauge(registry, { name: 'traceability_queue_jobs', help: 'Jobs of a topic, by state.', labelNames: ['topic', 'state'] }, async () =>
    Object.entries((await sources()?.samples.queue.read()) ?? {}).flatMap(([topic, states]) =>
      Object.entries(states).map(([state, value]) => ({ value, labels: { topic, state } })),
    ),
  );
}

function poolGauges(registry: Registry, sources: () => WatchedSources | null): void {
  const pool = () => sources()?.pool();
  gauge(registry, { name: 'traceability_database_pool_size', help: 'Connections that the pool may open (DATABASE_POOL).' }, () =>
    reading(pool()?.size),
  );
  gauge(registry, { name: 'traceability_database_pool_connections', help: 'Open connections of the pool.', labelNames: ['state'] }, () => {
    const now = pool();
    return now ? readingsOf('state', { idle: now.idle, used: now.open - now.idle }) : [];
  });
  gauge(registry, { name: 'traceability_database_pool_waiting', help: 'Transactions that wait for a connection.' }, () =>
    reading(pool()?.waiting),
  );
}
