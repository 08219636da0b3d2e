import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type as osType } from 'node:os';

/** One line of a result. `limit` is the figure that an issue or the architecture promised, with what it is compared to. */
export interface Measurement {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly limit?: string;
  /** What a figure does not say, for example the plan of the database; listed under the table. */
  readonly note?: string;
}

export interface Scenario {
  readonly name: string;
  /** What is measured against what, in a sentence or two: it opens the result file. */
  readonly about: string;
  run(say: (line: string) => void): Promise<readonly Measurement[]>;
}

/** Prints the table and commits it to `bench/results/<name>.md`, with the machine and the date: figures of one run only compare with each other. */
export function report({ name, about }: Scenario, measurements: readonly Measurement[]): string {
  const lines = [
    `# ${name}`,
    about,
    '',
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${osType()} ${release()}, Node ${process.versions.node}, load average ${loadavg()[1]!.toFixed(1)}`,
    '',
    '| what | measured | unit | to hold |',
    '|---|---:|---|---|',
    ...measurements.map(({ what, value, unit, limit }) => `| ${what} | ${rounded(value)} | ${unit} | ${limit ?? ''} |`),
    '',
    ...measurements.flatMap(({ what, note }) => (note === undefined ? [] : [`- ${what}: ${note}`])),
  ];
  if (lines.at(-1) !== '') lines.push('');
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(`bench/results/${name}.md`, lines.join('\n'));
  return lines.join('\n');
}

const rounded = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
