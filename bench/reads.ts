import { type Pair, REQUESTS, Side, alternate } from './reads-side.js';
import type { Work } from './read-work.js';
import type { ReadService } from './reads-service.js';
import { type Measurement, type Scenario, median } from './report.js';

/** Root of a built checkout of an earlier state, which the same is asked. */
const BEFORE = process.env['READS_BEFORE'];

export const scenario: Scenario = {
  name: 'reads',
  about: [
    'Processor time a request of the service process and of its PostgreSQL, embedded engines with the demo tenant and its value chain; every service is a process of its own, and so is the sender.',
    'The bare route is the same HTTP stack in the same process, without guard and row-level security: one named statement on a pool of the driver, whose rows are the lots as the service answers them, as many as it answers. It is compared by the time of the service process.',
    `Nothing is compressed (\`Accept-Encoding: identity\`). Rounds of ${REQUESTS} requests alternate; a ratio is the median of those of neighbouring rounds. "After a change" is the same request when something of the tenant has changed since the one before, so that no answer is cached.`,
    BEFORE === undefined
      ? ''
      : 'The state before is that of the service when its reads began to be made in one exchange (`READS_BEFORE`), with the same load at the same time; it is compared by the time of the service process. What a service takes while nobody asks it anything is taken off.',
  ].join(' '),
  async run(say) {
    const [own, before] = await Promise.all([Side.start(process.cwd(), true), BEFORE === undefined ? null : Side.start(BEFORE, false)]);
    try {
      return [...(await all(own, before, say)), ...(await againstBare(own, say))];
    } finally {
      own.end();
      before?.end();
    }
  },
};

async function againstBare(own: Side, say: (line: string) => void): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const [what, path, bare, limit] of [
    ['a lot', `/api/v1/nfts/${own.at.lot}`, '/bare/lot', 'at most 2'],
    [`a list of ${own.at.lots.length} lots`, '/api/v1/nfts?limit=20', '/bare/lots', 'at most 3'],
  ] as const) {
    const pairs = await alternate(
      () => own.cost(path),
      () => own.cost(bare, own.at.bareUrl!),
    );
    const ratio = median(pairs.map(([one, other]) => one.service / other.service));
    const [cost, base] = [0, 1].map((side) => median(pairs.map((pair) => pair[side]!.service))) as [number, number];
    say(`${what}: ${cost.toFixed(0)} µs, bare ${base.toFixed(0)} µs, ${ratio.toFixed(2)} ×`);
    measurements.push(
      { what: `${what}: the bare route`, value: base, unit: 'µs' },
      { what: `${what}: service`, value: cost, unit: 'µs' },
      { what: `${what}: of the bare route`, value: ratio, unit: '×', limit },
    );
  }
  return measurements;
}

interface Read {
  readonly path: (at: ReadService) => string;
  /** Its answer is cached until something of the tenant changes, and a third of what the state before took is asked. */
  readonly isCached?: true;
}

const READS: readonly Read[] = [
  { path: () => '/events?format=epcis&limit=100', isCached: true },
  { path: ({ lot }) => `/nfts/${lot}/exports/untp-dte`, isCached: true },
  { path: () => '/reports/fsma204', isCached: true },
  { path: () => '/reports/yield', isCached: true },
  { path: ({ event }) => `/events/${event}` },
  { path: () => '/events?limit=20' },
  { path: ({ lot }) => `/nfts/${lot}/events?limit=20` },
  { path: ({ lot }) => `/nfts/${lot}/relations` },
];

async function all(own: Side, before: Side | null, say: (line: string) => void): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const { path, isCached } of READS) {
    const what = path(own.at).replaceAll(/[0-9a-f-]{36}|(?<=nfts\/)\d+/g, '{id}');
    const asked = `/api/v1${path(own.at)}`;
    const pairs = await alternate(
      () => own.cost(asked),
      async () => before && before.cost(`/api/v1${path(before.at)}`),
    );
    const [service, database] = (['service', 'database'] as const).map((part) => median(pairs.map(([cost]) => cost[part]))) as [
      number,
      number,
    ];
    measurements.push(
      { what: `${what}: service`, value: service, unit: 'µs' },
      { what: `${what}: PostgreSQL`, value: database, unit: 'µs' },
    );
    const limit = isCached && { limit: 'at most 0.333' };
    const ratio = ratioOf(pairs);
    if (ratio !== null) measurements.push({ what: `${what}: of the state before`, value: ratio, unit: '×', ...limit });
    if (isCached) {
      const revised = await own.costRevised(asked);
      measurements.push({ what: `${what}: after a change, service`, value: revised.service, unit: 'µs' });
      measurements.push({ what: `${what}: after a change, PostgreSQL`, value: revised.database, unit: 'µs' });
    }
    say(`${what}: ${service.toFixed(0)} + ${database.toFixed(0)} µs, ${ratio?.toFixed(3) ?? 'no'} of the state before`);
  }
  return measurements;
}

/** Of the processes of the services: what PostgreSQL does for jobs meanwhile comes in bursts. Null where there is nothing to compare with. */
function ratioOf(pairs: readonly Pair<Work | null>[]): number | null {
  const ratios = pairs.flatMap(([own, other]) => (other === null ? [] : [own.service / other.service]));
  return ratios.length === 0 ? null : median(ratios);
}
