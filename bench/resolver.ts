import { fork } from 'node:child_process';
import { once } from 'node:events';
import { UnitOfWork } from '#persistence';
import { withDemoService } from './demo-service.js';
import { spent } from './processor.js';
import { type Measurement, type Scenario, median } from './report.js';

const PIPELINED = 8;
const REQUESTS = 3_000;
const ROUNDS = 7;
const PRODUCT = '/01/09520123450014';

export const scenario: Scenario = {
  name: 'resolver',
  about:
    'The resolver of GS1 Digital Links: a redirect to a link of a tenant of a hundred products, over HTTP, load from another process. Once all requests are for one link, which is in memory; once each is for another lot, so that each reads the database and walks up to the link of the product. Processor time of the process that serves a request, and for different links of service and database together; medians.',
  run: (say) =>
    withDemoService(
      'resolver',
      async ({ folder, service: { app, baseUrl } }): Promise<readonly Measurement[]> => {
        await addLinks(app.get(UnitOfWork));
        const child = fork(new URL('guard-load.js', import.meta.url));
        const cost = async (requests: readonly { readonly path: string }[]): Promise<{ service: number; both: number | null }> => {
          const before = process.cpuUsage();
          const { worked } = await spent(folder, async () => {
            // On one connection, so that each is asked for once.
            child.send({ url: baseUrl, connections: 1, pipelining: PIPELINED, amount: REQUESTS, requests });
            const [failed] = (await once(child, 'message')) as [number];
            if (failed > 0) throw new Error(`${failed} requests were refused`);
          });
          const { user, system } = process.cpuUsage(before);
          return { service: (user + system) / REQUESTS, both: worked === null ? null : (worked * 1_000) / REQUESTS };
        };
        try {
          const one = [{ path: PRODUCT }];
          const kept: number[] = [];
          const read: { service: number; both: number | null }[] = [];
          for (let round = 0; round <= ROUNDS; round++) {
            const first = await cost(one);
            const each = await cost(Array.from({ length: REQUESTS }, (_, i) => ({ path: `${PRODUCT}/10/R${round}-${i}` })));
            // The first round warms up.
            if (round === 0) continue;
            kept.push(first.service);
            read.push(each);
          }
          const both = read.flatMap(({ both: worked }) => worked ?? []);
          say(`in memory ${median(kept).toFixed(0)} µs, each another ${median(read.map(({ service }) => service)).toFixed(0)} µs`);
          return [
            { what: 'a link in memory', value: median(kept), unit: 'µs of processor a request', limit: 'at most 300' },
            { what: 'each time another lot', value: median(read.map(({ service }) => service)), unit: 'µs of processor a request' },
            ...(both.length === 0 ? [] : [{ what: 'the same, with the database', value: median(both), unit: 'µs of processor a request' }]),
          ];
        } finally {
          child.kill();
        }
      },
      { RATE_PUBLIC_PER_ADDRESS: '1000000000' },
    ),
};

/** A hundred products with three links each; no passport. */
async function addLinks(work: UnitOfWork): Promise<void> {
  await work.asSystem((tx) =>
    tx.sql(
      `insert into passports.link (tenant_id, id, anchor, link_type, href, title, languages, is_default, created_at, changed_at, changed_by)
       select t.tenant_id, gen_random_uuid(), case p when 0 then $1 else '/01/' || lpad(p::text, 14, '0') end, 'pip',
         'https://brand.example/' || p || '/' || l, 'Page', '{}', l = 0, now(), now(), 'bench'
       from identity.tenant_v1 t cross join generate_series(0, 99) p cross join generate_series(0, 2) l where t.slug = 'rice'`,
      [PRODUCT],
    ),
  );
}
