import type { ChainMetrics, Indexer } from '#chain';
import type { HealthChecks } from '#http';
import type { DatabaseClock, DatabaseHealth, OutboxBacklog } from '#persistence';
import type { JobQueue } from '#queue';
import type { RetractionCounts } from '#traceability';
import type { SponsorReading } from '#transactions';
import type { ConsumerBacklog, DeliveryBacklog } from '#webhooks';
import { Sample } from './sample.js';

/** The parts of a running application that gauges read. */
export interface MetricSources {
  readonly chain: Pick<ChainMetrics, 'counts'>;
  /** Null in a process that has none. */
  readonly indexer: Pick<Indexer, 'status'> | null;
  readonly queue: Pick<JobQueue, 'topics' | 'counts'>;
  readonly pool: () => DatabaseHealth['pool'];
  readonly clock: Pick<DatabaseClock, 'offsetMs'>;
  readonly health: Pick<HealthChecks, 'readiness'>;
  readonly backlog: () => Promise<Backlog>;
}

export interface Backlog {
  readonly outbox: OutboxBacklog;
  readonly deliveries: DeliveryBacklog;
  readonly consumers: ConsumerBacklog;
  readonly retractions: RetractionCounts;
  /** Null where no sponsor has ever run. */
  readonly sponsor: SponsorReading | null;
}

/** Topics by name, each with its jobs by state. */
export type QueueDepth = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Those sources with the samples of what has to be asked for. */
export interface WatchedSources extends MetricSources {
  readonly samples: {
    readonly engines: Sample<Readonly<Record<string, boolean>>>;
    readonly queue: Sample<QueueDepth>;
    readonly backlog: Sample<Backlog>;
  };
}

export function watched(sources: MetricSources): WatchedSources {
  const { health, queue, backlog } = sources;
  return {
    ...sources,
    samples: {
      // Each check has a limit of its own of two seconds, after which it counts as down.
      engines: new Sample(async () => upOrDown((await health.readiness()).checks), { patienceMs: 3_000 }),
      queue: new Sample(() => depthOf(queue)),
      backlog: new Sample(backlog),
    },
  };
}

const upOrDown = (checks: Readonly<Record<string, { readonly state: string }>>): Readonly<Record<string, boolean>> =>
  Object.fromEntries(Object.entries(checks).map(([name, { state }]) => [name, state === 'up']));

async function depthOf(queue: Pick<JobQueue, 'topics' | 'counts'>): Promise<QueueDepth> {
  const counted = await Promise.all(queue.topics.map(async (topic) => [topic, await queue.counts(topic)] as const));
  return Object.fromEntries(counted);
}
