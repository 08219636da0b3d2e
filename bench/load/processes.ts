import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const TICK_MS = 10;

export interface Sample {
  /** Resident, in MiB. */
  readonly memory: number;
  /** Milliseconds of processor time so far. */
  readonly worked: number;
}

/** The processes that this one has started, by what they are: `api 1`, `api 2`, `worker 1`, …, in the order in which they came. */
export class Processes {
  private readonly pids = new Map<string, number>();
  readonly samples = new Map<string, Sample[]>();
  private timer: NodeJS.Timeout | null = null;

  /** @param programs part of the command line, by what to call those that have it */
  constructor(programs: Readonly<Record<string, string>>) {
    const all = children(process.pid).map((pid) => ({ pid, line: read(pid, 'cmdline').replaceAll('\0', ' ') }));
    for (const [name, part] of Object.entries(programs)) {
      const found = all.filter(({ line }) => line.includes(part));
      if (found.length === 0) throw new Error(`no ${name} runs`);
      for (const [i, { pid }] of found.entries()) this.pids.set(found.length === 1 ? name : `${name} ${i + 1}`, pid);
    }
  }

  watch(everyMs: number): void {
    this.timer = setInterval(() => {
      for (const [name, sample] of this.sample()) this.samples.set(name, [...(this.samples.get(name) ?? []), sample]);
    }, everyMs);
  }

  signal(name: string, signal: NodeJS.Signals): void {
    for (const [known, pid] of this.pids) if (known.startsWith(name)) process.kill(pid, signal);
  }

  stop(): void {
    clearInterval(this.timer ?? undefined);
  }

  /** A process that has ended reads as zero, which shows in every measurement. */
  sample(): ReadonlyMap<string, Sample> {
    return new Map([...this.pids].map(([name, pid]) => [name, { memory: memoryOf(pid), worked: timeOf(pid) }]));
  }
}

const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0) / 1_024;

function timeOf(pid: number): number {
  // The name may hold spaces and brackets; proc(5) counts the fields from its end.
  const fields = read(pid, 'stat').split(') ').at(-1)!.split(' ').map(Number);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) * TICK_MS;
}

const children = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

function read(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}
