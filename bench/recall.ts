import { UnitOfWork } from '#persistence';
import { AFFECTED, reach } from '#traceability/testing';
import { openApart } from './apart.js';
import type { TimedAnswer } from './apart-client.js';
import { processorTime } from './processor-time.js';
import { type Measurement, type Scenario, median } from './report.js';
import { sizeOf } from './seed-fill.js';
import { openSeeded } from './seed-tenant.js';

const DATA = process.env['BENCH_DATA'] ?? '.data-bench';
const LOTS = Number(process.env['BENCH_LOTS'] ?? 1_000_000);
const ROUNDS = 9;
const ALL = { maxDepth: 200, maxNodes: 20_000 };
const SAMPLE_MS = 5;

export const scenario: Scenario = {
  name: 'recall',
  about: [
    `What a recall of a lot with 10,000 affected lots at depth 100 reaches, in a tenant of ${LOTS} lots (\`npm run bench:seed\`): the whole answer over HTTP, read and parsed by a client in its own process, compared with the walk alone over HTTP (\`descendants\` of the same lots) and with the bare statement: the one recursive statement that finds the same lots, on a connection of the service, without the data of the lots and without an answer.`,
    'Medians; rounds alternate. Processor time is what the work costs however many others want the processors; it is counted in hundredths of a second. The memory is that of the process of the service alone.',
  ].join(' '),
  async run(say): Promise<readonly Measurement[]> {
    const { service, seeded } = await openSeeded(DATA, sizeOf(LOTS), say);
    const client = await openApart(service.baseUrl, seeded);
    try {
      const unitOfWork = service.app.get(UnitOfWork);
      const root = BigInt(seeded.landmarks.tree);
      const bounds = `maxDepth=${ALL.maxDepth}&maxNodes=${ALL.maxNodes}`;
      const path = `/api/v1/nfts/${root}/recall-impact?${bounds}`;
      const walkPath = `/api/v1/nfts/${root}/descendants?${bounds}`;
      const bare = (): Promise<number> =>
        unitOfWork.inSnapshot({ tenantId: seeded.tenant.id }, async (tx) => {
          const begun = performance.now();
          await reach(tx, [{ tokenId: root, role: 0 }], AFFECTED, ALL, null);
          return performance.now() - begun;
        });
      // One run of each to warm up plans, caches and the compiler.
      await bare();
      for (const asked of [path, walkPath, path]) await client.ask(asked);
      const idle = process.memoryUsage().rss;
      const memory = watched();
      const times = { impact: [] as number[], walk: [] as number[], bare: [] as number[] };
      const worked = { impact: [] as number[], walk: [] as number[], bare: [] as number[] };
      let answer: TimedAnswer;
      for (let round = 0; round < ROUNDS; round++) {
        const begun = processorTime();
        times.bare.push(await bare());
        const between = processorTime();
        times.impact.push((answer = await client.ask(path)).took);
        const after = processorTime();
        times.walk.push((await client.ask(walkPath)).took);
        worked.bare.push(1000 * (between - begun));
        worked.impact.push(1000 * (after - between));
        worked.walk.push(1000 * (processorTime() - after));
      }
      const [impact, walk, bareWalk] = [median(times.impact), median(times.walk), median(times.bare)];
      return [
        { what: 'affected lots', value: answer!.lots, unit: 'lots' },
        { what: 'size of the answer', value: answer!.bytes / 2 ** 20, unit: 'MiB' },
        { what: 'recall impact over HTTP', value: impact, unit: 'ms', limit: 'under 1000' },
        { what: 'the walk alone over HTTP: `descendants` of the same lots', value: walk, unit: 'ms' },
        { what: 'recall impact / walk alone, both over HTTP', value: impact / walk, unit: '', limit: 'at most 1.5' },
        { what: 'the same by processor time', value: median(worked.impact) / median(worked.walk), unit: '' },
        { what: 'the bare statement of the walk, in SQL, without an answer', value: bareWalk, unit: 'ms' },
        { what: 'recall impact over HTTP / bare statement', value: impact / bareWalk, unit: '' },
        { what: 'processor time of an impact: client, service and database', value: median(worked.impact), unit: 'ms' },
        { what: 'processor time of a walk over HTTP: client, service and database', value: median(worked.walk), unit: 'ms' },
        { what: 'processor time of a bare statement: service and database', value: median(worked.bare), unit: 'ms' },
        {
          what: 'resident memory of the service over what it had before, at its peak',
          value: (memory.peak() - idle) / 2 ** 20,
          unit: 'MiB',
        },
      ];
    } finally {
      client.close();
      await service.close();
    }
  },
};

/** What a timer sees: the loop is free between the statements and the pieces of an answer. */
function watched(): { readonly peak: () => number } {
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS);
  timer.unref();
  return {
    peak: () => {
      clearInterval(timer);
      return Math.max(peak, process.memoryUsage.rss());
    },
  };
}
