import { Counter, Gauge, type Registry } from 'prom-client';

export interface Reading {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Described {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** What is there to read now; nothing where the source does not know. */
type Read = () => readonly Reading[] | Promise<readonly Reading[]>;

/** A gauge that reads its source when it is asked for. */
export function gauge(registry: Registry, described: Described, read: Read): Gauge {
  return new Gauge({
    ...configuration(registry, described),
    async collect(): Promise<void> {
      const readings = await read();
      empty(this);
      for (const { value, labels = {} } of readings) this.set(labels, value);
    },
  });
}

/** A counter that the source keeps itself, from the start of the process on. */
export function counter(registry: Registry, described: Described, read: Read): Counter {
  return new Counter({
    ...configuration(registry, described),
    async collect(): Promise<void> {
      const readings = await read();
      empty(this);
      for (const { value, labels = {} } of readings) this.inc(labels, value);
    },
  });
}

export const reading = (value: number | null | undefined, labels: Readonly<Record<string, string>> = {}): readonly Reading[] =>
  value === null || value === undefined ? [] : [{ value, labels }];

export const readingsOf = (label: string, values: Readonly<Record<string, number | null>>): readonly Reading[] =>
  Object.entries(values).flatMap(([name, value]) => reading(value, { [label]: name }));

const configuration = (registry: Registry, { labelNames = [], ...described }: Described) => ({
  ...described,
  labelNames: [...labelNames],
  registers: [registry],
});

/** `reset` alone would leave a zero where there are no labels: a source without a value would seem to have one. */
function empty(metric: Gauge | Counter): void {
  metric.reset();
  metric.remove({});
}
