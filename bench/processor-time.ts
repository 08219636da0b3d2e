import { readFileSync, readdirSync } from 'node:fs';

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const TICKS = 100;

/**
 * Seconds of processor time that this process and all that it started have used so far: what a piece of work costs, however many others
 * want the processors meanwhile. Linux only; elsewhere this process alone.
 * @param program only of processes of this name, as the system cuts it; `self` of this process alone
 */
export function processorTime(program?: string): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  return program === 'self' ? own : startedByUs(program) + (program === undefined ? own : 0);
}

interface Process {
  readonly parent: number;
  readonly program: string;
  readonly ticks: number;
}

function startedByUs(program?: string): number {
  const processes = new Map<number, Process>();
  for (const name of readable()) {
    const found = /^\d+$/.test(name) ? processOf(name) : null;
    if (found) processes.set(Number(name), found);
  }
  let ticks = 0;
  for (const [pid, { ticks: own, program: name }] of processes)
    if (pid !== process.pid && (program === undefined || name === program) && isOurs(pid, processes)) ticks += own;
  return ticks / TICKS;
}

function readable(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

/** Null when it ended meanwhile. */
function processOf(pid: string): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before may hold spaces and brackets; proc(5) counts the fields from there.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const program = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return { parent: Number(fields[1]), program, ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}

function isOurs(pid: number, processes: ReadonlyMap<number, Process>): boolean {
  for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (at === process.pid) return true;
  return false;
}
