import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process that can be told from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the platform's own words. */
  readonly started: string;
}

/** Null when no such process runs. */
export function identityOf(pid: number): ProcessIdentity | null {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === null ? null : { pid, started };
}

export const isRunning = (known: ProcessIdentity): boolean => identityOf(known.pid)?.started === known.started;

/** proc(5): field 22 is the start time in clock ticks since boot; the name in field 2 may contain spaces. A zombie has ended. */
function startedOnLinux(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : fields[19]!;
  } catch {
    return null;
  }
}

function startedByPs(pid: number): string | null {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || null;
}
