import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp, createLogger } from '#http';
import { type Actor, newId } from '#kernel';
import { testActor } from '#kernel/testing';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { keysPersistence } from '#sealed-contents';
import { processMapTemplates, traceabilityPersistence } from '#traceability';
import { EventsModule, landingParts, OneContract, readScenario, SchemaThreads, walletOf, WillingChain } from '#traceability/testing';
import { ATTACKS, COSTLY_MAPS, type Json, mapOf } from '../harness/costly-schemas.js';
import { neverStops } from '../harness/loop-stops.js';

const scenario = readScenario(new URL('../../apps/cli/src/demo/scenarios/rice.scenario.json', import.meta.url));
const harvest = scenario.steps[0]!;

describe('what a tenant writes', () => {
  let db: TestDatabase;
  let app: NestFastifyApplication;
  let base: string;
  let actor: Actor;
  const { content, parties } = landingParts('demo', { [walletOf('farmA')]: 'farmA' });

  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence, keysPersistence]);
    const module = EventsModule.of({
      unitOfWork: db.unitOfWork,
      parties,
      tenants: new OneContract('demo', '0x5FbDB2315678afecb367f032d93F642f64180aa3'),
      contents: content,
      chain: new WillingChain(),
      actor: () => actor,
      finalBlock: () => 1_000_000,
      now: () => new Date('2026-11-28T00:00:00Z'),
      schemas: { threads: 0, checkMs: 3000, validationMs: 1000 },
    });
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    app = await createHttpApp(module, {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } },
      logger: createLogger({ level: 'error' }, silent),
    });
    await app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/api/v1`;
  });
  afterAll(async () => {
    await app.close();
    await db.drop();
  });
  beforeEach(() => {
    const wallet = walletOf('farmA');
    const roles = ['TENANT_ADMIN', 'OPERATOR'] as const;
    actor = testActor([...roles], { id: 'farmA', tenantId: newId(), tenantSlug: 'demo', orgId: 'farmA', wallet, wallets: [wallet] });
  });

  const post = (path: string, body: Json) => send(path, JSON.stringify(body));

  /** Asks again when a machine that others use gave the check no processor. */
  async function send(path: string, body: string): Promise<{ status: number; body: Json }> {
    for (;;) {
      const response = await fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const answer = { status: response.status, body: (await response.json()) as Json };
      if (answer.body['code'] !== 'service_busy') return answer;
    }
  }

  const codesOf = (issues: readonly Json[] | undefined): string[] => [
    ...new Set((issues ?? []).filter(({ severity }) => severity !== 'warning').map(({ code }) => String(code))),
  ];
  const eventOf = ({ metadata, outputTlc = 'RH-20260915-01' }: { metadata: () => Json; outputTlc?: string }): Json => ({
    processType: 'ATTACK',
    outputTlc,
    metadata: { ...harvest.metadata, ...metadata() },
  });

  describe('in a schema', () => {
    it.each(Object.entries(ATTACKS))('does not stop the others: %s', async (_, attack) => {
      expect((await post('/process-maps', mapOf(attack))).body).toMatchObject({ name: 'attack' });
      const event = JSON.stringify(eventOf(attack));
      const { body } = await neverStops(() => send('/events/validate', event));
      expect(codesOf(body.issues)).toEqual(attack.says);
    });

    it('does not stop the others by preparing, alone or in a batch', async () => {
      const attack = ATTACKS['700 parts for each of 125,000 numbers']!;
      await post('/process-maps', mapOf(attack));
      const refusal = { code: 'validation_too_long', pointer: '/metadata' };
      const event = eventOf(attack);
      const [one, three] = [JSON.stringify(event), JSON.stringify({ events: [event, event, event] })];
      const alone = await neverStops(() => send('/events/prepare', one));
      expect(alone).toMatchObject({ status: 422, body: { code: 'invalid_content', errors: [refusal] } });
      const batch = await neverStops(() => send('/events/prepare/batch', three));
      expect(batch.body.data.map((item: Json) => codesOf(item.problem?.errors))).toEqual(Array(3).fill(['validation_too_long']));
    });
  });

  describe('in a map', () => {
    it.each(Object.entries(COSTLY_MAPS))('does not stop the others: %s', async (_, { map, says }) => {
      const document = map();
      const { status, body } = await neverStops((run) => post(run === 0 ? '/process-maps' : '/process-maps/validate', document));
      expect([status, codesOf(body.errors)]).toEqual([422, says]);
    });

    it('does not stop the others by a new version that is compared with the old one', async () => {
      const wide = (version: string, names: string) => {
        const list = Array.from({ length: 8000 }, (_, i) => `${names}${i}`);
        return { ...mapOf({ schema: { properties: { x: { enum: list } } } }), version };
      };
      expect((await post('/process-maps', wide('1.0.0', 'a'))).status).toBe(201);
      const { status, body } = await neverStops((run) => post('/process-maps/validate', wide(`1.1.${run}`, 'b')));
      expect(status).toBe(422);
      expect(['breaking_change', 'schema_too_costly']).toContain(codesOf(body.errors)[0]);
    });
  });

  it('does not occupy all threads: another tenant publishes meanwhile', async () => {
    const slow = COSTLY_MAPS['a thousand patterns of a thousand instructions']!.map();
    const attacker = newId();
    let open = 4;
    for (let i = 0; i < 4; i++) {
      const ended = (): number => open--;
      void app
        .get(SchemaThreads)
        .run(attacker, { kind: 'check', document: { ...slow, name: `Slow ${i}` } })
        .then(ended, ended);
    }
    const { status } = await post('/process-maps', processMapTemplates[0] as unknown as Json);
    expect(status).toBe(201);
    expect(open).toBeGreaterThanOrEqual(2);
  });
});
