import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Histogram, Registry } from 'prom-client';
import { Metrics } from '../apps/runtime/src/index.js';
import { type Measurement, type Scenario, median } from './report.js';

const ROUTES = Array.from({ length: 150 }, (_, i) => `/api/v1/contexts/${i}/things/:thingId`);
const ROUNDS = 15;
const REQUESTS = 100_000;

interface Answered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Requests as the hook sees them, one a route. */
async function answered(): Promise<readonly Answered[]> {
  const fastify = Fastify();
  const seen: Answered[] = [];
  for (const route of ROUTES) fastify.get(route, () => ({ ok: true }));
  fastify.addHook('onResponse', (request, reply, done) => {
    seen.push({ request, reply });
    done();
  });
  for (const route of ROUTES) await fastify.inject(route.replace(':thingId', '17'));
  return seen;
}

function cpuPerRequest(requests: readonly Answered[], observe: (each: Answered) => void): number {
  const from = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i++) observe(requests[i % requests.length]!);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / REQUESTS;
}

async function run(): Promise<readonly Measurement[]> {
  const requests = await answered();
  const metrics = new Metrics({ role: 'api' });
  const histogram = new Histogram({
    name: 'theirs',
    help: 'the same',
    labelNames: ['method', 'route', 'status'],
    registers: [new Registry()],
  });
  const ours = ({ request, reply }: Answered): void =>
    metrics.requests.observe(request.method, request.routeOptions.url, reply.statusCode, reply.elapsedTime);
  const theirs = ({ request, reply }: Answered): void => {
    const labels = { method: request.method, route: request.routeOptions.url!, status: `${Math.trunc(reply.statusCode / 100)}xx` };
    histogram.observe(labels, reply.elapsedTime / 1_000);
  };
  const rounds = Array.from({ length: ROUNDS }, () => ({ ours: cpuPerRequest(requests, ours), theirs: cpuPerRequest(requests, theirs) }));
  const settled = rounds.slice(3);
  const scrapes: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const from = process.cpuUsage();
    await metrics.text();
    const { user, system } = process.cpuUsage(from);
    scrapes.push((user + system) / 1_000);
  }
  return [
    { what: 'a request, counted', value: median(settled.map((round) => round.ours)), unit: 'µs' },
    { what: "the same by prom-client's histogram", value: median(settled.map((round) => round.theirs)), unit: 'µs' },
    { what: 'ratio', value: median(settled.map((round) => round.ours / round.theirs)), unit: '' },
    { what: `a scrape of ${ROUTES.length} routes`, value: median(scrapes), unit: 'ms' },
    { what: 'its text', value: (await metrics.text()).length / 1_024, unit: 'KiB' },
  ];
}

export const scenario: Scenario = {
  name: 'metrics',
  about:
    'What it costs to count a request by method, route and class of status: the hook of the service on real requests of Fastify, and the histogram of prom-client in its place; then what a scrape takes. Processor time, which other work on the machine disturbs less; rounds alternate, figures and the ratio are medians.',
  run,
};
