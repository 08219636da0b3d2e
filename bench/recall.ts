import { UnitOfWork } from '#persistence';
import { Lineage } from '#traceability';
import { type Measurement, type Scenario, median } from './report.js';
import { sizeOf } from './seed-fill.js';
import { openSeeded } from './seed-tenant.js';

const DATA = process.env['BENCH_DATA'] ?? '.data-bench';
const LOTS = Number(process.env['BENCH_LOTS'] ?? 1_000_000);
const ROUNDS = 9;
const ALL = { maxDepth: 200, maxNodes: 20_000 };

export const scenario: Scenario = {
  name: 'recall',
  about: `What a recall of a lot with 10,000 affected lots at depth 100 reaches, in a tenant of ${LOTS} lots (\`npm run bench:seed\`): the whole answer over HTTP, read and parsed, beside the walk of the same lots over HTTP (\`descendants\`), and beside the walk alone inside the process. Medians; rounds alternate.`,
  async run(say): Promise<readonly Measurement[]> {
    const { service, seeded } = await openSeeded(DATA, sizeOf(LOTS), say);
    try {
      const root = seeded.landmarks.tree;
      const ask = await caller(service.baseUrl, seeded.login, seeded.tenant.slug);
      const [unitOfWork, lineage] = [service.app.get(UnitOfWork), service.app.get(Lineage, { strict: false })];
      const bounds = `maxDepth=${ALL.maxDepth}&maxNodes=${ALL.maxNodes}`;
      const times = { impact: [] as number[], walk: [] as number[], alone: [] as number[] };
      let affected = 0;
      let peak = 0;
      const idle = process.memoryUsage().rss;
      for (let round = 0; round < ROUNDS; round++) {
        const impact = await timed(() => ask<{ descendants: unknown[] }>(`/api/v1/nfts/${root}/recall-impact?${bounds}`));
        peak = Math.max(peak, process.memoryUsage().rss);
        affected = impact.answer.descendants.length;
        times.impact.push(impact.took);
        times.walk.push((await timed(() => ask(`/api/v1/nfts/${root}/descendants?${bounds}`))).took);
        times.alone.push(
          (await timed(() => unitOfWork.inSnapshot({ tenantId: seeded.tenant.id }, (tx) => lineage.affectedBy(tx, BigInt(root), ALL))))
            .took,
        );
      }
      const [impact, walk, alone] = [median(times.impact), median(times.walk), median(times.alone)];
      return [
        { what: 'affected lots', value: affected, unit: 'lots' },
        { what: 'recall impact over HTTP', value: impact, unit: 'ms', limit: 'under 1000' },
        { what: 'the walk of the same lots over HTTP', value: walk, unit: 'ms' },
        { what: 'the walk alone', value: alone, unit: 'ms' },
        { what: 'recall impact / walk over HTTP', value: impact / walk, unit: '', limit: 'at most 1.5' },
        { what: 'resident memory over idle at its peak, client included', value: (peak - idle) / 2 ** 20, unit: 'MiB' },
      ];
    } finally {
      await service.close();
    }
  },
};

async function timed<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly took: number }> {
  const begun = performance.now();
  const answer = await work();
  return { answer, took: performance.now() - begun };
}

/** The service over HTTP as one caller; an answer is read to the last byte and parsed. */
async function caller(
  baseUrl: string,
  { email, password }: { readonly email: string; readonly password: string },
  tenantId: string,
): Promise<<T>(path: string) => Promise<T>> {
  const login = await fetch(`${baseUrl}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, tenantId }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  return async <T>(path: string): Promise<T> => {
    const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${accessToken}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
}
