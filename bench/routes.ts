import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster } from '../test/chaos/cluster.js';
import { eventually } from '../test/harness/eventually.js';
import { type Costs, costsOf } from './load/hot-costs.js';
import { type Kind, MIX, Mix, requestsOf } from './load/mix.js';
import { Processes } from './load/processes.js';
import { makeTenants } from './load/tenants.js';
import type { Measurement, Scenario } from './report.js';
import { Child } from './webhooks/child.js';

const SECONDS = Number(process.env['ROUTES_SECONDS'] ?? 15);
const TENANTS = 20;
/** Few enough that nobody waits for a processor: a thread that does so within a system call would be counted as busy there. */
const CONNECTIONS = 2;
const APIS = 2;
const LISTED_COSTS = 8;

export const scenario: Scenario = {
  name: 'routes',
  about: [
    `Where an API process spends its time, route by route of the mix of \`npm run bench:load\`: each alone for ${SECONDS} s after a third of that to warm up, on ${CONNECTIONS} connections, in the whole topology with ${TENANTS} tenants, by a CPU profile of both API processes.`,
    'Time is attributed to the package or the library of this project whose code ran, and where the runtime ran (a system call, the cipher, JSON), to that work and the package that asked for it. PostgreSQL is none of it. Tracks are of transactions that nobody sent. `node:inspector` is the beginning and the end of the profile itself.',
  ].join(' '),
  async run(say): Promise<readonly Measurement[]> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-profiles-'));
    const NODE_OPTIONS = `--import=${new URL('./load/profiler.js', import.meta.url).href}`;
    const [cluster, sink] = await Promise.all([
      Cluster.start({ DATABASE_TIMEOUT_MS: '60000', CHAIN_TIMEOUT_MS: '60000', LOAD_PROFILE: folder, NODE_OPTIONS }, 0),
      Child.start<{ port: number }, { taken: number }>('sink'),
    ]);
    try {
      const tenants = await makeTenants(cluster, TENANTS, `http://127.0.0.1:${sink.said.port}`);
      const processes = new Processes({ api: 'apps/api/src/main.js' });
      const measurements: Measurement[] = [];
      for (const kind of Object.keys(MIX) as Kind[]) {
        const mix = new Mix(tenants, CONNECTIONS, { [kind]: 100 });
        const target = { baseUrls: cluster.baseUrls, kind: 'service' } as const;
        await mix.run(target, SECONDS / 3);
        processes.signal('api', 'SIGUSR2');
        const outcome = await mix.run(target, SECONDS);
        processes.signal('api', 'SIGUSR2');
        const requests = requestsOf(outcome);
        if (outcome.faults.size > 0) throw new Error(`${kind}: ${JSON.stringify([...outcome.faults])}`);
        say(`${kind}: ${(requests / outcome.seconds).toFixed(0)}/s`);
        measurements.push(...measurementsOf(kind, added(await profiles(folder)), requests));
      }
      return measurements;
    } finally {
      await sink.child.end();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Those of all API processes, which are taken away. */
async function profiles(folder: string): Promise<readonly Profiler.Profile[]> {
  const found = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  await eventually('the profiles to be written', () => found().length === APIS);
  return found().map((name) => {
    const file = join(folder, name);
    const profile = JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile;
    rmSync(file);
    return profile;
  });
}

function added(all: readonly Profiler.Profile[]): Costs {
  const sums = new Map<string, number>();
  for (const profile of all) for (const [name, ms] of costsOf(profile)) sums.set(name, (sums.get(name) ?? 0) + ms);
  return sums;
}

function measurementsOf(kind: Kind, costs: Costs, requests: number): Measurement[] {
  const total = [...costs.values()].reduce((sum, ms) => sum + ms, 0);
  const dearest = [...costs].toSorted(([, a], [, b]) => b - a).slice(0, LISTED_COSTS);
  return [
    { what: `**${kind}**: busy`, value: total / requests, unit: 'ms/request' },
    ...dearest.map(([name, ms]) => ({ what: `${kind}: ${name}`, value: (100 * ms) / total, unit: '%' })),
  ];
}
