import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const OURS = 0;

/**
 * Processor time in milliseconds that this process and each of the PostgreSQL of a data folder have used so far: on a machine that others
 * use too it says more than the clock. Null where the system does not tell (it has no /proc).
 */
function processorTimes(dataDir: string): ReadonlyMap<number, number> | null {
  const { user, system } = process.cpuUsage();
  try {
    const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number);
    return new Map([[OURS, (user + system) / 1000], ...[postmaster, ...children].map((pid) => [pid, timeOn(pid)] as const)]);
  } catch {
    return null;
  }
}

/** Zero for a backend that has ended meanwhile. */
function timeOn(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

export interface Spent {
  /** Milliseconds by the clock. */
  readonly took: number;
  /** Milliseconds of processor time, of client, service and database together; null where the system does not tell. */
  readonly worked: number | null;
}

export async function spent<T>(dataDir: string, work: () => T | Promise<T>): Promise<Spent & { readonly result: T }> {
  const [from, before] = [performance.now(), processorTimes(dataDir)];
  const result = await work();
  const [until, after] = [performance.now(), processorTimes(dataDir)];
  const grown = before && after && [...after].map(([pid, time]) => Math.max(0, time - (before.get(pid) ?? 0)));
  return { took: until - from, worked: grown && grown.reduce((sum, time) => sum + time, 0), result };
}

/** The part of a processor that the service takes while nobody asks it anything: its workers look for work. */
export async function idleShare(dataDir: string): Promise<number> {
  const { took, worked } = await spent(dataDir, () => pause(5000));
  return (worked ?? 0) / took;
}
