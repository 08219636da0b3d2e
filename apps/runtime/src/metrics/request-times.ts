import type { Histogram, Registry } from 'prom-client';

/** In seconds: from a read by key to the longest that a client waits. */
export const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** The parser knows some thirty more, which no route takes. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const NAME = 'traceability_http_request_duration_seconds';
const HELP = 'Time from the arrival of a request to the end of its answer, by method, route and class of status.';

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: string };
  /** For each bucket how many fell into it and none below, the last one beyond all of them. */
  readonly counts: Float64Array;
  seconds: number;
}

/**
 * The times of requests, counted without an allocation: prom-client's own histogram joins its labels again for each observation,
 * which costs ten times as much (bench/results/metrics.md). What is scraped is the same.
 */
export class RequestTimes {
  private readonly routes = new Map<string, Map<string, Series[]>>();

  /** @param route its pattern; undefined where no route took the request */
  observe(method: string, route: string | undefined, status: number, ms: number): void {
    const series = this.seriesOf(
      METHODS.has(method) ? method : 'other',
      route ?? 'none',
      Math.min(5, Math.max(1, Math.trunc(status / 100))),
    );
    const seconds = ms / 1_000;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.seconds += seconds;
  }

  registerIn(registry: Registry): void {
    const get = () => Promise.resolve({ name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values: this.values() });
    registry.registerMetric({
      name: NAME,
      help: HELP,
      type: 'histogram',
      labelNames: ['method', 'route', 'status'],
      get,
    } as unknown as Histogram);
  }

  private seriesOf(method: string, route: string, statusClass: number): Series {
    let methods = this.routes.get(route);
    if (!methods) this.routes.set(route, (methods = new Map()));
    let classes = methods.get(method);
    if (!classes) methods.set(method, (classes = []));
    return (classes[statusClass] ??= {
      labels: { method, route, status: CLASSES[statusClass - 1]! },
      counts: new Float64Array(BUCKETS.length + 1),
      seconds: 0,
    });
  }

  private values(): object[] {
    const all = [...this.routes.values()].flatMap((methods) => [...methods.values()].flatMap((classes) => classes.filter(Boolean)));
    return all.flatMap(({ labels, counts, seconds }) => {
      let below = 0;
      const buckets = Array.from(counts, (count, i) => ({
        metricName: `${NAME}_bucket`,
        labels: { le: i < BUCKETS.length ? String(BUCKETS[i]) : '+Inf', ...labels },
        value: (below += count),
      }));
      return [...buckets, { metricName: `${NAME}_sum`, labels, value: seconds }, { metricName: `${NAME}_count`, labels, value: below }];
    });
  }
}
