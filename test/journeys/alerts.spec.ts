import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpc } from '#chain';
import type { PreparedTx, TraceabilityClient } from '#client';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { makeFaults } from './alert-faults.js';

type Body = Record<string, any>;

/** In the order of a journey: each part goes on from the facts of the one before. */
describe('alerts', () => {
  let world: World;
  let rice: TraceabilityClient;
  let riceId: string;

  beforeAll(async () => {
    world = await World.withReorgs({ ALERTS_EVERY_MS: '250' });
    rice = await world.admin('rice');
    await world.play('rice');
    [{ tenant_id: riceId }] = (await sql("select tenant_id from identity.tenant_v1 where slug = 'rice'")) as [{ tenant_id: string }];
  });
  afterAll(() => world?.close());

  const sql = (text: string, parameters: readonly unknown[] = []): Promise<Body[]> =>
    world.database.unitOfWork.asSystem((tx) => tx.sql<Body>(text, parameters));
  const read = (query = '', client = rice): Promise<Body> => client.get<Body>(`/api/v1/reports/alerts?limit=1000${query}`);
  /** Of a type, by what they are about. */
  const found = (report: Body, type: string): Body[] => report['alerts'].filter((alert: Body) => alert['type'] === type);
  const severities = (report: Body, type: string): string[] =>
    found(report, type).map(({ severity, subject }) => `${severity} ${subject.tlc}`);
  /** Evaluations run by themselves; under load they take long. */
  const once = <T>(assertion: () => Promise<T>): Promise<T> => eventuallyHolds(assertion, 45_000);
  const orgIdOf = async (name: string): Promise<string> =>
    (await rice.get<{ data: Body[] }>('/api/v1/organisations?limit=100')).data.find((one) => one['name'] === name)!['id'];

  it('of the rice scenario are events recorded months later, and a footprint with gaps', async () => {
    const report = await once(async () => {
      const seen = await read();
      expect(seen['summary']).toMatchObject({ total: 11, byType: { EVENT_LATE: 10, FOOTPRINT_GAP: 1 }, activeLots: 3, complete: true });
      // Golden coverage by mass (data/expected/rice.golden.json), and where the bags are in the end.
      expect(found(seen, 'FOOTPRINT_GAP')).toMatchObject([
        {
          severity: 'low',
          subject: { kind: 'lot', tokenId: 8, tlc: 'RP262641' },
          evidence: { massCoverage: { carbon: 1, water: 0.220414 } },
        },
      ]);
      return seen;
    });
    // Three lots are active at the end: the bags, the broken rice and the bran. e^(-11 / (10 × √3)) = 0.52991.
    expect(report['summary']).toMatchObject({
      bySeverity: { critical: 0, high: 0, medium: 0, low: 11 },
      activeLots: 3,
      healthScore: 52.99,
    });
    expect(report['insights'].map(({ headline }: Body) => headline)).toContain(
      '1 finished lot of Milled rice, 5 kg bag has an incomplete footprint',
    );
    expect(report).toMatchObject({
      report: 'alerts',
      version: 1,
      engine: { kind: 'rules', version: '1', narration: null },
      truncated: false,
    });
    expect(new Set(report['alerts'].map(({ id }: Body) => id)).size).toBe(11);
  });

  it('are those of the own organisation for an ADMIN, and none for an OPERATOR', async () => {
    const key = async (body: object) => {
      const { secret } = await rice.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads alerts', ...body });
      return (path = ''): Promise<Response> => fetch(`${world.baseUrl}/api/v1/reports/alerts${path}`, { headers: { 'x-api-key': secret } });
    };
    const mill = await key({ roles: ['ADMIN'], orgId: await orgIdOf('Example Mill') });
    // The mill dried, milled, packed, palletised, shipped and disposed; the bags are at the distributor.
    const seen = await once(async () => {
      const report = (await (await mill()).json()) as Body;
      expect(report['summary'].byType).toEqual({ EVENT_LATE: 6 });
      return report;
    });
    expect(seen).toMatchObject({ summary: { total: 6, activeLots: 2 }, total: 6 });
    expect(await (await mill(`?orgId=${await orgIdOf('Example Farm A')}`)).json()).toMatchObject({ code: 'own_organisation_only' });
    expect((await (await key({ roles: ['OPERATOR'] }))()).status).toBe(403);
    const scoped = await key({ roles: ['AUDITOR'], roleScopes: { AUDITOR: ['*_MILLING'] } });
    expect(await (await scoped()).json()).toMatchObject({ summary: { byType: { EVENT_LATE: 1, FOOTPRINT_GAP: 1 } } });
    // Another tenant has its own, and no lot yet.
    expect(await read('', await world.admin('wool'))).toMatchObject({ alerts: [], insights: [], summary: { total: 0, healthScore: 100 } });
  });

  it('are paged, and can be read as CSV', async () => {
    const pages: Body[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Body = await rice.get<Body>(`/api/v1/reports/alerts?limit=4${cursor && `&cursor=${cursor}`}`);
      pages.push(page);
      cursor = page['nextCursor'];
    }
    expect(pages.map(({ alerts }) => alerts.length)).toEqual([4, 4, 3]);
    expect(pages.flatMap(({ alerts }) => alerts.map(({ id }: Body) => id))).toEqual((await read())['alerts'].map(({ id }: Body) => id));
    const { secret } = await rice.post<{ secret: string }>('/api/v1/api-keys', { name: 'table', roles: ['AUDITOR'] });
    const answer = await fetch(`${world.baseUrl}/api/v1/reports/alerts?format=csv&type=FOOTPRINT_GAP`, {
      headers: { 'x-api-key': secret },
    });
    const [header, row, ...rest] = (await answer.text()).trimEnd().split('\r\n');
    expect(header).toMatch(/^id,type,severity,title,detail,subjectKind,subjectId,tokenId,tlc,/);
    expect(row).toMatch(/^[0-9a-f]{16},FOOTPRINT_GAP,low,The footprint of RP262641 is incomplete,/);
    expect(rest).toEqual([]);
  });

  it('name every live lot that a class I recall of the dried paddy affects', async () => {
    const [lot] = (await rice.get<{ data: Body[] }>('/api/v1/nfts?tlc=RD-20260917-01')).data;
    const tokenId = lot!['tokenId'] as number;
    expect(lot!['tlc']).toBe('RD-20260917-01');
    const { preparedTx } = await rice.post<{ preparedTx: PreparedTx }>(`/api/v1/nfts/${tokenId}/recall/prepare`, {
      reason: 'aflatoxin',
      recallClass: 'I',
      propagation: 'flag',
    });
    await send(preparedTx);
    await once(async () => {
      const report = await read();
      // The dried paddy and the bulk rice are consumed, the husk is burnt: bags, broken rice and bran are live.
      expect(severities(report, 'RECALL_AFFECTED_LIVE').toSorted()).toEqual([
        'critical RM-20260920-01B',
        'critical RM-20260920-01N',
        'critical RP262641',
      ]);
      expect(found(report, 'RECALLED_IN_STOCK')).toEqual([]);
    });
    const bran = (await rice.get<{ data: Body[] }>('/api/v1/nfts?tlc=RM-20260920-01N')).data[0]!['tokenId'] as number;
    await send(
      (await rice.post<{ preparedTx: PreparedTx }>(`/api/v1/nfts/${bran}/recall/prepare`, { reason: 'aflatoxin too' })).preparedTx,
    );
    await once(async () => {
      const report = await read();
      expect(severities(report, 'RECALLED_IN_STOCK')).toEqual(['critical RM-20260920-01N']);
      expect(severities(report, 'RECALL_AFFECTED_LIVE').toSorted()).toEqual(['critical RM-20260920-01B', 'critical RP262641']);
    });
    const over = await read('&from=2026-01-01&type=RECALL_AFFECTED_LIVE');
    expect(over['alerts'].filter(({ resolvedAt }: Body) => resolvedAt !== null).map(({ subject }: Body) => subject.tlc)).toEqual([
      'RM-20260920-01N',
    ]);
  });

  const send = async (preparedTx: PreparedTx): Promise<void> => {
    const { Wallet } = await import('ethers');
    const { Sender } = await import('#client');
    await new Sender(world.node.url, new Wallet(world.tenant('rice').admin.privateKey)).sendAndWait(preparedTx);
  };

  it('can be acknowledged and muted, and keep that in the next evaluation', async () => {
    const [alert] = found(await read(), 'RECALLED_IN_STOCK');
    const before = (await read())['summary'];
    const path = `/api/v1/reports/alerts/${alert!['id']}/ack`;
    const acknowledged = await rice.post<Body>(path, { note: 'fetched tomorrow' });
    expect(acknowledged).toMatchObject({ id: alert!['id'], acknowledged: { note: 'fetched tomorrow' }, mutedUntil: null });
    const round = (await read())['summary'].evaluatedAt;
    await once(async () => expect((await read())['summary'].evaluatedAt > round).toBe(true));
    expect(found(await read(), 'RECALLED_IN_STOCK')).toMatchObject([
      { acknowledged: { note: 'fetched tomorrow' }, firstSeenAt: alert!['firstSeenAt'] },
    ]);
    expect((await read())['summary']).toMatchObject({ acknowledged: 1, total: before.total });
    await rice.post(path, { muteUntil: '2999-01-01T00:00:00Z' });
    const muted = await read();
    expect([found(muted, 'RECALLED_IN_STOCK'), muted['summary'].total]).toEqual([[], before.total - 1]);
    expect((await read('&muted=true'))['alerts']).toMatchObject([{ id: alert!['id'], mutedUntil: '2999-01-01T00:00:00.000Z' }]);
    await rice.request('DELETE', path);
    expect(found(await read(), 'RECALLED_IN_STOCK')).toMatchObject([{ acknowledged: null, mutedUntil: null }]);
    // Another tenant cannot acknowledge it.
    await expect((await world.admin('wool')).post(path, {})).rejects.toMatchObject({ status: 404, code: 'alert_not_found' });
  });

  it('follow the limits of the tenant', async () => {
    const limits = (own: object): Promise<Body> => rice.request<Body>('PATCH', '/api/v1/reports/alerts/limits', { limits: own });
    expect(await limits({ footprintCoverage: 0.2 })).toMatchObject({
      own: { footprintCoverage: 0.2 },
      limits: { footprintCoverage: 0.2, yieldScore: 3.5 },
    });
    await once(async () => expect(found(await read(), 'FOOTPRINT_GAP')).toEqual([]));
    expect(await limits({ footprintCoverage: null })).toMatchObject({ own: {}, limits: { footprintCoverage: 0.8 } });
    await once(async () => expect(found(await read(), 'FOOTPRINT_GAP')).toHaveLength(1));
    await expect(limits({ footprintCoverage: 2, nonsense: 1, yieldScore: 'x' })).rejects.toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/limits/footprintCoverage' }, { pointer: '/limits/nonsense' }, { pointer: '/limits/yieldScore' }] },
    });
    expect(await rice.get('/api/v1/reports/alerts/limits')).toMatchObject({ own: {} });
  });

  it.each([
    ['&severity=worst', 'malformed_request'],
    ['&type=nothing', 'malformed_request'],
    ['&muted=perhaps', 'malformed_request'],
    ['&cursor=x', 'malformed_request'],
    ['&from=2027-01-01&to=2026-01-01', 'malformed_request'],
  ])('refuse %s', async (query, code) => {
    await expect(read(query)).rejects.toMatchObject({ status: 400, code });
  });

  it('refuse a mute that ends in the past, and unknown fields', async () => {
    const path = `/api/v1/reports/alerts/${(await read())['alerts'][0].id}/ack`;
    await expect(rice.post(path, { muteUntil: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({ status: 422, code: 'mute_in_past' });
    await expect(rice.post(path, { muteUntil: 'tomorrow' })).rejects.toMatchObject({ status: 400 });
    await expect(rice.post(path, { noted: true })).rejects.toMatchObject({ status: 400 });
    await expect(rice.post('/api/v1/reports/alerts/0000000000000000/ack', {})).rejects.toMatchObject({ status: 404 });
    expect(await read('&from=1000-01-01&to=2999-12-31')).toMatchObject({ truncated: false });
    expect(await read('&from=2998-01-01')).toMatchObject({ report: 'alerts' });
  });

  /** The database is changed, one fault for each rule, and everything is evaluated again with new limits. */
  it('name everything that is wrong in a small world', async () => {
    await makeFaults(sql, riceId);
    const lot = (tlc: string, set: string): Promise<Body[]> =>
      sql(`update traceability.lot set ${set} where tenant_id = $1 and tlc = $2 and to_block is null returning token_id`, [riceId, tlc]);
    const webhook = await rice.webhooks.create(world.sink.url('/down'), ['webhook.test']);
    await sql(
      `insert into webhooks.delivery (tenant_id, id, subscription_id, message_id, event, url, status, error, created_at, updated_at)
       select $1, gen_random_uuid(), $2, gen_random_uuid(), 'webhook.test', 'http://x', d.status, 'answered 500', now() + d.n * interval '1 s', now()
       from (values (0, 'delivered'), (1, 'failed'), (2, 'failed'), (3, 'failed'), (4, 'failed'), (5, 'failed')) as d(n, status)`,
      [riceId, webhook.id],
    );
    const paused = await rice.webhooks.create(world.sink.url('/paused'), ['webhook.test']);
    await sql(`update webhooks.subscription set paused_since = now(), paused_reason = 'Nothing came through.' where id = $1`, [paused.id]);
    await rice.request('PATCH', '/api/v1/reports/alerts/limits', { limits: { yieldScore: 3.6 } });

    const report = await once(async () => {
      const seen = await read();
      expect(seen['summary'].byType).toEqual({
        CLAIM_BREACH: 1,
        CUSTODY_PENDING: 1,
        DOCUMENT_EXPIRED: 1,
        DOCUMENT_MISSING: 1,
        EVENT_LATE: 10,
        EVENT_ORDER: 1,
        EVENT_UNSUBMITTED: 1,
        FOOTPRINT_GAP: 1,
        GEO_QUALITY: 1,
        KDE_MISSING: 1,
        LOT_EXPIRED: 1,
        LOT_EXPIRING: 1,
        MASS_BALANCE: 1,
        OVER_CONSUMPTION: 1,
        POLICY_BREACH: 1,
        RECALLED_IN_STOCK: 1,
        RECALL_AFFECTED_LIVE: 2,
        TX_FAILED: 1,
        TX_STUCK: 1,
        WEBHOOK_FAILING: 2,
        YIELD_OUTLIER: 1,
      });
      return seen;
    });
    const one = (type: string): Body => found(report, type)[0]!;
    expect(severities(report, 'LOT_EXPIRED')).toEqual(['critical RP262641']);
    expect(severities(report, 'LOT_EXPIRING')).toEqual(['low RM-20260920-01B']);
    // 8000 of 7000 kg; 12000 kg in, 10775 out; 7004 / 10775; 8000 of 12000 kg are of the map; offered 150 h ago, more than 2 × 72.
    expect(one('OVER_CONSUMPTION')).toMatchObject({
      severity: 'critical',
      evidence: { used: 8_000, quantity: 7_000 },
      subject: { tlc: 'RH-20260915-A1' },
    });
    expect(one('MASS_BALANCE')).toMatchObject({
      severity: 'high',
      evidence: { inputKg: 12_000, outputKg: 10_775, gapKg: 1_225, gapRatio: 0.102083, gain: false },
    });
    expect(one('YIELD_OUTLIER')).toMatchObject({
      severity: 'medium',
      evidence: { yield: 0.650023 },
      threshold: { yieldMin: 0.7, yieldMax: 0.72 },
    });
    expect(one('CLAIM_BREACH')).toMatchObject({
      severity: 'high',
      evidence: { claimShare: 0.666667, unknown: [{ tlc: 'RH-20260916-B1' }] },
    });
    expect(one('CUSTODY_PENDING')).toMatchObject({ severity: 'high', threshold: { custodyAcceptWithinSeconds: 259_200 } });
    expect(one('EVENT_ORDER')).toMatchObject({ evidence: { inputTlc: 'RD-20260917-01', inputMadeAt: '2026-09-17T20:00:00.000Z' } });
    expect(one('KDE_MISSING')).toMatchObject({ severity: 'high', evidence: { missing: ['/packedOn'] } });
    expect(one('DOCUMENT_EXPIRED')).toMatchObject({ evidence: { number: 'LAB-9931', validTo: '2026-11-01', lots: [{ tlc: 'RP262641' }] } });
    expect(one('DOCUMENT_MISSING')).toMatchObject({ evidence: { type: 'BATCH_LOG' } });
    expect(one('GEO_QUALITY')).toMatchObject({ evidence: { plot: 'B1', faults: ['no_polygon', 'few_decimals'] } });
    const failing = (id: string): Body => found(report, 'WEBHOOK_FAILING').find(({ subject }: Body) => subject.id === id)!;
    expect(failing(webhook.id)).toMatchObject({ evidence: { failedInARow: 5, pausedSince: null } });
    expect(failing(paused.id)).toMatchObject({ title: expect.stringContaining('are paused'), evidence: { failedInARow: 0 } });
    expect(one('TX_FAILED')).toMatchObject({ detail: 'It reverted: NotCustodian.' });
    expect(one('EVENT_UNSUBMITTED')).toMatchObject({ severity: 'low', subject: { tlc: 'RH-NEVER-1' } });
    expect(one('POLICY_BREACH')).toMatchObject({ subject: { kind: 'event', tlc: '095200000000000011' } });
    expect(report['insights'][0].severity).toBe('critical');
    expect(report['insights'].length).toBe(20);

    // What is put right is over, and known when it comes back.
    await lot('RP262641', "expires_at = now() + interval '2 years'");
    await once(async () => expect(found(await read(), 'LOT_EXPIRED')).toEqual([]));
    await lot('RP262641', "expires_at = now() - interval '1 day'");
    await once(async () =>
      expect(found(await read(), 'LOT_EXPIRED')).toMatchObject([
        { id: one('LOT_EXPIRED')['id'], firstSeenAt: one('LOT_EXPIRED')['firstSeenAt'] },
      ]),
    );
    expect(found(await read(), 'LOT_EXPIRED')[0]!['detectedAt'] > one('LOT_EXPIRED')['detectedAt']).toBe(true);
  });

  it('report a mass balance claim (ISO 22095) that exceeds the claimed input', async () => {
    const [map] = (await rice.get<{ data: Body[] }>('/api/v1/process-maps')).data as [{ name: string }];
    const { document } = await rice.get<{ document: object }>(`/api/v1/process-maps/${map.name}`);
    await rice.post('/api/v1/process-maps', { ...document, version: '9.0.0', chainOfCustody: 'mass_balance' });
    await once(async () => {
      // The mill by time: 10,775 kg × 0.72 milled to 7,004; 8,000 of 12,000 kg (the rest is of another map now) × 0.98 dried to 10,775;
      // 7,004 kg × 1.001 packed to 7,000. It is overdrawn since the drying.
      expect(found(await read(), 'CLAIM_BREACH')).toMatchObject([
        {
          severity: 'high',
          subject: { kind: 'event', tlc: 'RD-20260917-01' },
          evidence: {
            site: 'https://id.gs1.org/414/9520000100032',
            from: '2026-07-01T00:00:00.000Z',
            to: '2026-10-01T00:00:00.000Z',
            claimedInKg: 25_779,
            convertedInKg: 22_609.004,
            claimedOutKg: 24_779,
            excessKg: 2_169.996,
            unmeasuredEvents: 0,
          },
        },
      ]);
    });
    // The alert ends when the cause is corrected: all goods are of the map again, 12,000 kg × 0.98.
    await sql("update traceability.lot set process_map_name = 'rice' where tenant_id = $1 and tlc = 'RH-20260916-B1'", [riceId]);
    await once(async () => expect(found(await read(), 'CLAIM_BREACH')).toEqual([]));
  });

  describe('of the wool scenario', () => {
    let wool: TraceabilityClient;
    const LATE = 'WS-20260302-M9';

    beforeAll(async () => {
      await world.play('wool');
      wool = await world.admin('wool');
    });

    it('are events recorded months later, and a jacket whose footprint has gaps; no alert of yield or mass balance', async () => {
      const report = await once(async () => {
        const seen = await read('', wool);
        // Eleven events of spring and summer; the map gives forty-eight hours. Every yield is in its range (0.8, 0.66, 0.82, 0.95, 0.83),
        // and the widest gap is 1.2 % of what was woven, where 3 % are tolerated. The jackets do not name their substances of concern, which
        // the map recommends.
        expect(seen['summary']).toMatchObject({ total: 13, byType: { EVENT_LATE: 11, FOOTPRINT_GAP: 1, KDE_MISSING: 1 }, complete: true });
        // An evaluation after the last event: before it there were fewer lots.
        expect(seen['summary'].activeLots).toBe(5);
        // Golden coverage by mass: less than 0.8 of everything, carbon too. Before the jackets were shipped it was another one.
        expect(found(seen, 'FOOTPRINT_GAP')).toMatchObject([
          {
            subject: { tlc: 'JK2630A100' },
            evidence: { massCoverage: { carbon: 0.794719, water: 0.468763, energy: 0.489212, waste: 0.489212 } },
          },
        ]);
        return seen;
      });
      expect(found(report, 'EVENT_LATE').map(({ threshold }) => threshold.lateAfterSeconds)).toEqual(Array(11).fill(172_800));
      // Pieces, scoured wool, grease, noil and jackets are left: e^(-13 / (10 × √5)) = 0.55913.
      expect(report['summary']).toMatchObject({
        healthScore: 55.91,
        bySeverity: { low: 13, medium: 0, high: 0, critical: 0 },
      });
    });

    it('end when the block of their event is undone', async () => {
      const station = await world.company('wool', 'station');
      const [shearing] = readScenario('wool').steps as unknown as { processType: string; metadata: object }[];
      const { preparedTx } = await station.api.events.prepare({
        processType: shearing!.processType,
        inputTokenIds: [],
        outputTlc: LATE,
        metadata: shearing!.metadata,
      });
      await station.land(preparedTx, 'shearing');
      const [late] = await once(async () => {
        const seen = found(await read('', wool), 'EVENT_LATE').filter(({ subject }) => subject.tlc === LATE);
        expect(seen).toHaveLength(1);
        return seen;
      });
      await new JsonRpc({ urls: [world.node.url], timeoutMs: 30_000 }).call('anvil_reorg', [1, []]);
      await once(async () => {
        const seen = await read('', wool);
        expect(found(seen, 'EVENT_LATE').map(({ id }) => id)).not.toContain(late!['id']);
        expect(seen['summary'].byType.EVENT_LATE).toBe(11);
      });
      // The ended alert is kept.
      const ended = (await read('&from=2026-01-01&type=EVENT_LATE', wool))['alerts'].find(({ id }: Body) => id === late!['id']);
      expect(ended).toMatchObject({ firstSeenAt: late!['firstSeenAt'], resolvedAt: expect.any(String) });
    });
  });
});
