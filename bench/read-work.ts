import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Microseconds of processor time. Linux only. */
export interface Work {
  readonly service: number;
  /** Of its PostgreSQL: every process of it. */
  readonly database: number;
  /** By the clock. */
  readonly took: number;
}

/** What a service and its embedded PostgreSQL have used so far. A backend that ends takes its time with it, so the pool must be open. */
export function workOf(pid: number, dataDir: string): Work {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number);
  return {
    service: timeOf(pid),
    database: [postmaster, ...children].reduce((sum, one) => sum + timeOf(one), 0),
    took: 1e3 * performance.now(),
  };
}

/** Of all threads. */
function timeOf(pid: number): number {
  let nanoseconds = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // It ended meanwhile.
  }
  return nanoseconds / 1e3;
}

const NOTHING: Work = { service: 0, database: 0, took: 1 };

/** Of one request. @param idle what they take meanwhile without any: it is taken off */
export function difference(after: Work, before: Work, requests: number, idle = NOTHING): Work {
  const took = after.took - before.took;
  const of = (part: 'service' | 'database'): number => Math.max(0, after[part] - before[part] - (idle[part] * took) / idle.took) / requests;
  return { service: of('service'), database: of('database'), took: took / requests };
}
