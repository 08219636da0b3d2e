import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { TraceabilityClient } from '#client';
import { readDemoFile } from '../apps/cli/src/demo/demo-file.js';
import { ATTACKS, COSTLY_MAPS, type Json, mapOf } from '../test/harness/costly-schemas.js';
import { longestStop } from '../test/harness/loop-stops.js';
import { withDemoService } from './demo-service.js';
import { type Measurement, type Scenario, median } from './report.js';

const REQUESTS = 1_000;
const CONNECTIONS = 4;
const ROUNDS = 3;
const MEASURED = [
  ['a pattern that backtracks without end', 'event'],
  ['700 parts for each of 125,000 numbers', 'event'],
  ['formats with slow expressions', 'event'],
  ['many objects that must differ', 'event'],
  ['five processes that share 9,000 parts', 'map'],
  ['a thousand patterns of a thousand instructions', 'map'],
] as const;

interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

interface Request {
  readonly path: string;
  readonly body: Json;
}

export const scenario: Scenario = {
  name: 'schemas',
  about:
    '1,000 requests of one tenant (`GET /api/v1/nfts`, 4 connections) while another tenant sends what takes long to check, again and again over two connections: metadata that are expensive for their schema, and process maps that are expensive to compile. Each program runs in a process of its own. The figures are medians of three runs; each run is compared with a quiet one just before it. Other work on the machine delays both.',
  run: (say) =>
    withDemoService('schemas', async ({ folder, service }): Promise<readonly Measurement[]> => {
      const [attacker, other] = readDemoFile(folder)!.tenants;
      const login = ({ email, password }: { readonly email: string; readonly password: string }) =>
        new TraceabilityClient(service.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', { email, password });
      const [attacking, reading] = [await login(attacker!.admin), await login(other!.admin)];
      const reader = fork(new URL('schemas-load.js', import.meta.url));
      const read = () =>
        latencies(reader, {
          url: `${service.baseUrl}/api/v1/nfts?limit=20`,
          connections: CONNECTIONS,
          amount: REQUESTS,
          headers: { authorization: `Bearer ${reading.accessToken}` },
        });
      try {
        for (let round = 0; round < 3; round++) await read();
        const results: Measurement[] = [];
        for (const [name, kind] of MEASURED) {
          const { path, body } = await requestFor(new TraceabilityClient(service.baseUrl, attacking), name, kind);
          const attack = { url: service.baseUrl + path, body: JSON.stringify(body), token: attacking.accessToken };
          results.push(...(await measure(name, read, attack, say)));
        }
        return results;
      } finally {
        reader.kill();
      }
    }),
};

let published = 0;

/** The request that takes long; its map is published before it. */
async function requestFor(client: TraceabilityClient, name: string, kind: 'event' | 'map'): Promise<Request> {
  if (kind === 'map') return { path: '/api/v1/process-maps/validate', body: COSTLY_MAPS[name]!.map() };
  const attack = ATTACKS[name]!;
  const map = mapOf(attack);
  const processType = `ATTACK_${++published}`;
  await client.post('/api/v1/process-maps', { ...map, key: `attack-${published}`, processes: { [processType]: map['processes'].ATTACK } });
  return { path: '/api/v1/events/validate', body: { processType, outputTlc: attack.outputTlc ?? 'X-1', metadata: attack.metadata() } };
}

async function measure(
  name: string,
  read: () => Promise<Latencies>,
  attack: { readonly url: string; readonly body: string; readonly token: string },
  say: (line: string) => void,
): Promise<Measurement[]> {
  const [quiet, loaded, stops]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push((await read()).p99);
    const child = fork(new URL('schemas-load.js', import.meta.url));
    child.send({
      ...{ url: attack.url, method: 'POST', body: attack.body, connections: 2, duration: 600, timeout: 60 },
      headers: { authorization: `Bearer ${attack.token}`, 'content-type': 'application/json' },
    });
    await new Promise((resolve) => void setTimeout(resolve, 1_000));
    const { stop, answer } = await longestStop(read);
    loaded.push(answer.p99);
    stops.push(stop);
    child.kill();
    await once(child, 'exit');
    say(`${name}: quiet ${quiet.at(-1)} ms, meanwhile ${loaded.at(-1)} ms, longest stop ${stops.at(-1)!.toFixed(0)} ms`);
  }
  const ratios = loaded.map((p99, round) => p99 / quiet[round]!);
  return [
    { what: `${name}: p99 of the other tenant, quiet`, value: median(quiet), unit: 'ms' },
    { what: `${name}: p99 meanwhile`, value: median(loaded), unit: 'ms' },
    { what: `${name}: ratio`, value: median(ratios), unit: '', limit: 'under 3' },
    { what: `${name}: longest stop of the event loop`, value: median(stops), unit: 'ms', limit: 'under 50' },
  ];
}

async function latencies(child: ChildProcess, order: object): Promise<Latencies> {
  child.send(order);
  const [answer] = (await once(child, 'message')) as [Latencies];
  if (answer.failed > 0) throw new Error(`${answer.failed} requests were not answered with 200`);
  return answer;
}
