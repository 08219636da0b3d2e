/** One sample of the text format: `name{label="value"} number`. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/;
const NUMBER = /^(?:[+-]?Inf|NaN|[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)$/i;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] };

/**
 * The metrics of a process, parsed by the rules of the text format 0.0.4: a line of help and one of type, then all samples of the
 * metric; every sample once; escapes undone. @throws Error naming the line that breaks a rule
 */
export class Exposition {
  readonly types = new Map<string, string>();
  readonly help = new Map<string, string>();
  readonly samples: MetricSample[] = [];
  private readonly seen = new Set<string>();
  private current = '';

  static parse(text: string): Exposition {
    if (!text.endsWith('\n')) throw new Error('the last line has no end');
    const exposition = new Exposition();
    text.split('\n').forEach((line, i) => {
      const fault = exposition.take(line);
      if (fault !== null) throw new Error(`line ${i + 1}, ${fault}: ${line}`);
    });
    return exposition;
  }

  /** The one value; @throws Error when there is none, or several. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const found = this.all(name, labels);
    if (found.length !== 1) throw new Error(`${found.length} samples of ${name}${JSON.stringify(labels)}`);
    return found[0]!.value;
  }

  /** Those that have at least these labels. */
  all(name: string, labels: Readonly<Record<string, string>> = {}): readonly MetricSample[] {
    return this.samples.filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    );
  }

  private take(line: string): string | null {
    if (line === '') return null;
    if (line.startsWith('#')) return this.takeComment(line);
    const name = NAME.exec(line)?.[0];
    if (!name) return 'no name';
    if (!this.belongs(name)) return `not of ${this.current}`;
    const labels: Record<string, string> = {};
    let rest = line.slice(name.length);
    if (rest.startsWith('{')) {
      rest = rest.slice(1);
      while (!rest.startsWith('}')) {
        const label = LABEL.exec(rest);
        if (!label) return 'a label that is none';
        if (Object.hasOwn(labels, label[1]!)) return 'a label twice';
        labels[label[1]!] = label[2]!.replaceAll(/\\(["\\n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
        rest = rest.slice(label[0].length).replace(/^,/, '');
      }
      rest = rest.slice(1);
    }
    const value = rest.trim();
    if (!NUMBER.test(value)) return 'no number';
    const key = JSON.stringify([name, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    if (this.seen.has(key)) return 'a sample twice';
    this.seen.add(key);
    this.samples.push({ name, labels, value: Number(value.replace('Inf', 'Infinity')) });
    return null;
  }

  private takeComment(line: string): string | null {
    const [, kind, name, rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (!kind || !name) return null;
    const lines = kind === 'HELP' ? this.help : this.types;
    if (lines.has(name)) return `${kind} twice`;
    if (kind === 'TYPE' && !TYPES.includes(rest)) return 'no type';
    lines.set(name, rest);
    this.current = name;
    return null;
  }

  private belongs(name: string): boolean {
    const type = this.types.get(this.current);
    return type !== undefined && (SUFFIXES[type] ?? ['']).some((suffix) => name === `${this.current}${suffix}`);
  }
}
