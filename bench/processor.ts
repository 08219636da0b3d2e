import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Processor time in milliseconds that this process and the PostgreSQL of a data folder have used so far: on a machine that others use too
 * it says more than the clock. Null where the system does not tell (it has no /proc).
 */
export function processorTime(dataDir: string): number | null {
  const { user, system } = process.cpuUsage();
  try {
    const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number);
    return (user + system) / 1000 + [postmaster, ...children].reduce((sum, pid) => sum + timeOn(pid), 0);
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
  const [from, before] = [performance.now(), processorTime(dataDir)];
  const result = await work();
  const [until, after] = [performance.now(), processorTime(dataDir)];
  return { took: until - from, worked: before === null || after === null ? null : after - before, result };
}
