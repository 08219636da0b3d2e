import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Config } from '#config';
import type { AttemptListener } from '#webhooks';
import { chainGauges } from './chain-gauges.js';
import { engineGauges } from './engine-gauges.js';
import { RequestTimes } from './request-times.js';
import { type MetricSources, type WatchedSources, watched } from './sources.js';
import { attemptCounters, backlogGauges } from './webhook-metrics.js';

/**
 * What one process tells Prometheus. Made before anything else starts, with every metric in it; those that read the
 * application are empty until it is there. No label has a value that callers or tenants choose.
 */
export class Metrics {
  private readonly registry = new Registry();
  private sources: WatchedSources | null = null;
  readonly requests = new RequestTimes();
  readonly attempts: AttemptListener;

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
    this.attempts = attemptCounters(registry);
  }

  watch(sources: MetricSources): void {
    this.sources = watched(sources);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** In the text format 0.0.4. Rejects never because of an engine. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** What there is to scrape, without values. */
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
