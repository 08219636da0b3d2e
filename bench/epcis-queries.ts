import { TraceabilityClient } from '#client';
import { UnitOfWork } from '#persistence';
import { type DemoService, withDemoService } from './demo-service.js';
import { type Measurement, type Scenario, median } from './report.js';

/** Events of the repository. */
const QUERIED = Number(process.env['EPCIS_QUERIED'] ?? 1_000_000);
const SEEDED_AT_ONCE = 50_000;
const REPEATS = 21;
/** Each thing is named by so many events. */
const EVENTS_OF_A_THING = 5;

/** One event each twenty seconds: forty bizSteps, a thousand places. */
const SEED_EVENTS = `insert into interchange.epcis_event (tenant_id, key, audience, is_scoped, event_id, type, action, event_time, record_time, biz_step,
    disposition, read_point, terms, event)
  select $1::uuid, 'kept:' || lpad(i::text, 9, '0'), 'all', false, 'https://bench.example/' || i, 'ObjectEvent', 'OBSERVE', at, at,
    'https://ref.gs1.org/cbv/BizStep-' || biz_step, 'https://ref.gs1.org/cbv/Disp-in_transit', place,
    array['https://ext.example/load=' || i % 100],
    json_build_object('type', 'ObjectEvent', 'eventID', 'https://bench.example/' || i, 'eventTime', at, 'eventTimeZoneOffset', '+00:00',
      'action', 'OBSERVE', 'bizStep', biz_step, 'disposition', 'in_transit', 'epcList', json_build_array(thing), 'readPoint', json_build_object('id', place))::text
  from generate_series($2::int, $3::int) i
  cross join lateral (select timestamptz '2026-01-01' + i * interval '20 seconds' as at,
    (array['shipping', 'receiving', 'packing', 'unpacking', 'storing', 'loading', 'unloading', 'inspecting'])[1 + i % 8] || case when i % 40 < 8 then '' else '_' || i % 40 end as biz_step,
    'https://id.gs1.org/414/9520000100018/254/' || i % 1000 as place,
    'https://id.gs1.org/01/09520123450014/21/' || i / ${EVENTS_OF_A_THING} as thing) s`;
const SEED_NAMES = `insert into interchange.epcis_name (tenant_id, name, role, key, audience)
  select $1::uuid, n.name, n.role, 'kept:' || lpad(i::text, 9, '0'), 'all' from generate_series($2::int, $3::int) i
  cross join lateral (values ('https://id.gs1.org/01/09520123450014/21/' || i / ${EVENTS_OF_A_THING}, 'epc'),
    ('urn:epcglobal:cbv:bt:9520000100032:' || i / 10, 'bizTransaction_https://ref.gs1.org/cbv/BTT-po')) n(name, role)`;

export const scenario: Scenario = {
  name: 'epcis-queries',
  about: `\`GET /epcis/{tenant}/events\` over a repository of ${QUERIED} events that is filled by SQL (\`EPCIS_QUERIED\`), 30 events a page, one client after the other, embedded engines, the whole answer read. PostgreSQL may have no statistics of the tables yet: no query may depend on them.`,
  run: (say) => withDemoService('epcis-queries', (demo) => queried(demo, say)),
};

async function queried({ service, tenant }: DemoService, say: (line: string) => void): Promise<Measurement[]> {
  const { email, password } = tenant.actors.farmA!;
  const { accessToken } = await new TraceabilityClient(service.baseUrl).post<{ accessToken: string }>('/api/v2/auth/login', {
    email,
    password,
  });
  await seed(service.app.get(UnitOfWork, { strict: false }), say);
  const ask = async (parameters: string): Promise<number> => {
    const began = performance.now();
    const answer = await fetch(`${service.baseUrl}/epcis/rice/events?${parameters}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const text = await answer.text();
    if (!answer.ok || !text.includes('"eventID"')) throw new Error(`${parameters}: ${answer.status} without an event`);
    return performance.now() - began;
  };
  const some = (i: number): number => Math.floor((QUERIED * (i + 1)) / (REPEATS + 2));
  const kinds: readonly (readonly [string, (i: number) => string])[] = [
    [
      'by EPC',
      (i) => `MATCH_epc=${encodeURIComponent(`https://id.gs1.org/01/09520123450014/21/${Math.floor(some(i) / EVENTS_OF_A_THING)}`)}`,
    ],
    ['by time', (i) => windowAt(some(i))],
    ['by bizStep', (i) => `EQ_bizStep=${['shipping', 'receiving', 'packing'][i % 3]!}`],
    ['by bizStep and time', (i) => `EQ_bizStep=shipping&${windowAt(some(i))}`],
    ['by place', (i) => `EQ_readPoint=${encodeURIComponent(`https://id.gs1.org/414/9520000100018/254/${i}`)}`],
    ['by document', (i) => `EQ_bizTransaction_po=urn:epcglobal:cbv:bt:9520000100032:${Math.floor(some(i) / 10)}`],
  ];
  const measurements: Measurement[] = [];
  for (const [what, parametersOf] of kinds) {
    await ask(parametersOf(REPEATS));
    const times: number[] = [];
    for (let i = 0; i < REPEATS; i++) times.push(await ask(parametersOf(i)));
    say(`${what}: median ${median(times).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms`);
    measurements.push({ what: `query ${what} over ${QUERIED} events, median`, value: median(times), unit: 'ms', limit: 'below 100' });
    measurements.push({ what: `query ${what}, slowest of ${REPEATS}`, value: Math.max(...times), unit: 'ms' });
  }
  return measurements;
}

/** An hour. */
function windowAt(event: number): string {
  const at = Date.UTC(2026, 0, 1) + event * 20_000;
  return `GE_eventTime=${new Date(at).toISOString()}&LT_eventTime=${new Date(at + 3_600_000).toISOString()}`;
}

async function seed(work: UnitOfWork, say: (line: string) => void): Promise<void> {
  const began = performance.now();
  const [{ id }] = (await work.asSystem((tx) =>
    tx.sql<{ id: string }>(`select tenant_id as id from identity.tenant_v1 where slug = 'rice'`),
  )) as [{ id: string }];
  for (let from = 1; from <= QUERIED; from += SEEDED_AT_ONCE) {
    const parameters = [id, from, Math.min(from + SEEDED_AT_ONCE - 1, QUERIED)];
    await work.asSystem(async (tx) => {
      await tx.sql(SEED_EVENTS, parameters);
      await tx.sql(SEED_NAMES, parameters);
    });
  }
  say(`${QUERIED} events in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}
