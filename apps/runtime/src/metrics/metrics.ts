import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Config } from '#config';
import type { JobListener } from '#queue';
import type { AttemptListener } from '#webhooks';
import { chainGauges } from './chain-gauges.js';
import { engineGauges } from './engine-gauges.js';
import { jobCounters } from './job-metrics.js';
import { RequestTimes } from './request-times.js';
import { sponsorGauges } from './sponsor-metrics.js';
import { type RetentionListener, deletionCounter } from './retention-metrics.js';
import { type MetricSources, type WatchedSources, watched } from './sources.js';
import { attemptCounters, backlogGauges, consumerGauges } from './webhook-metrics.js';

/**
 * The metrics of one process. Created before anything else starts, with every metric in it; metrics that read the
 * application are empty until it has started. No label has a value that callers or tenants choose.
 */
export class Metrics {
  private readonly registry = new Registry();
  private sources: WatchedSources | null = null;
  readonly requests = new RequestTimes();
  readonly attempts: AttemptListener;
  readonly jobs: JobListener;
  readonly deletions: RetentionListener;

  constructor({ role }: Pick<Config, 'role'>) {
    const { registry } = this;
    const sources = (): WatchedSources | null => this.sources;
    collectDefaultMetrics({ register: registry });
    new Gauge({ name: 'traceability_info', help: '1, and what this process is.', labelNames: ['role'], registers: [registry] }).set(
      { role },
      1,
    );
    this.requests.registerIn(registry);
    engineGauges(registry, sources);
    chainGauges(registry, sources);
    backlogGauges(registry, sources);
    consumerGauges(registry, sources);
    sponsorGauges(registry, sources);
    this.attempts = attemptCounters(registry);
    this.jobs = jobCounters(registry);
    this.deletions = deletionCounter(registry);
  }

  watch(sources: MetricSources): void {
    this.sources = watched(sources);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** In the text format 0.0.4. An engine never makes it reject. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The names and descriptions of all metrics, without values. */
  get list(): readonly DescribedMetric[] {
    return this.registry.getMetricsAsArray().map((metric) => {
      const { name, type, labelNames = [] } = metric as unknown as Omit<DescribedMetric, 'labelNames'> & { labelNames?: readonly string[] };
      return { name, type, labelNames };
    });
  }
}

export interface DescribedMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labelNames: readonly string[];
}
