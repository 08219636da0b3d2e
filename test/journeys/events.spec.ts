import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { JsonRpc } from '#chain';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Wallet } from 'ethers';
import { type ApiProblem, type Json, Sender, TraceabilityClient } from '#client';
import { AddMember, CreateUser } from '#identity';
import { addressOf } from '#content-storage';
import { canonicalJson } from '#kernel';
import { ExpireEventsJob } from '#traceability/testing';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
import { DeleteOldRowsJob } from '../../apps/worker/src/delete-old-rows.job.js';
import { World } from '../harness/world.js';

interface Event extends Json {
  readonly id: string;
  readonly status: string;
}

/** What a refused call said: status, code, and the codes of single places. */
const refusal = (call: Promise<unknown>): Promise<object> =>
  call.then(
    (answer) => ({ status: 200, answer }),
    ({ status, code, errors, body }: ApiProblem) => ({
      status,
      code,
      errors: errors.map((e) => [e.pointer, e.code]),
      obstacles: body.obstacles,
    }),
  );

const stages = readScenario('rice').steps as readonly { processType?: string; outputTlc?: string; metadata?: Json }[];
const metadataOf = (processType: string): Json => structuredClone(stages.find((stage) => stage.processType === processType)!.metadata!);

describe('events on chain and prepared events', () => {
  let world: World;
  let admin: TraceabilityClient;
  let mill: Company;
  let signer: Sender;

  beforeAll(async () => {
    world = await World.start();
    admin = await world.admin('rice');
    await admin.webhooks.create(world.sink.url('/corrections'), ['event.recorded']);
    await world.play('rice', 7);
    mill = await world.company('rice', 'mill');
    signer = new Sender(world.node.url, new Wallet(world.tenant('rice').admin.privateKey));
  });
  afterAll(() => world.close());

  const post = <T = Json>(path: string, body: unknown, as: TraceabilityClient = admin): Promise<T> => as.post<T>(`/api/v1${path}`, body);
  const eventOf = async (processType: string): Promise<Event> => (await admin.events.list({ processType })).data[0] as Event;
  const lot = (tlc: string) => admin.lots.byTlc(tlc);
  /** Signs and sends; resolves when the service shows what it does. */
  const land = async (prepared: { preparedTx: any }, shows: () => Promise<unknown>): Promise<void> => {
    await signer.sendAndWait(prepared.preparedTx);
    await eventually('the landing', async () => Boolean(await shows()));
  };
  const statusIs = (id: string, status: string) => async (): Promise<boolean> => (await admin.events.get(id)).status === status;

  it('are voided only after the events that use their lots; these are named', async () => {
    const [milling, packing] = [await eventOf('RICE_MILLING'), await eventOf('RICE_PACKING')];
    const declared = { reason: 'incorrect_data' };
    expect(await refusal(post(`/events/${milling.id}/void/prepare`, declared))).toEqual({
      status: 409,
      code: 'event_in_use',
      errors: [],
      obstacles: [
        {
          tokenId: (await lot('RM-20260920-01')).tokenId,
          tlc: 'RM-20260920-01',
          role: 'output',
          reasons: ['used'],
          eventIds: [packing.id],
        },
      ],
    });
  });

  it.each<[string, object, object]>([
    ['no reason', {}, { status: 400, errors: [['/reason', expect.anything()]] }],
    ['another reason', { reason: 'mistake' }, { status: 400 }],
    ['an unknown field', { reason: 'did_not_occur', why: 'x' }, { status: 400, errors: [['/why', expect.anything()]] }],
    ['what is no event id', { reason: 'did_not_occur', correctiveEventIDs: ['x'] }, { status: 400 }],
    [
      'an unknown corrective event',
      { reason: 'did_not_occur', correctiveEventIDs: ['00000000-0000-4000-8000-000000000000'] },
      { status: 422, errors: [['/correctiveEventIDs/0', 'event_not_found']] },
    ],
  ])('refuses a declaration with %s', async (_, body, expected) => {
    const { id } = await eventOf('RICE_PACKING');
    expect(await refusal(post(`/events/${id}/void/prepare`, body))).toMatchObject(expected);
  });

  it('refuses a member without the right, and unknown events', async () => {
    const { id } = await eventOf('RICE_PACKING');
    const body = { reason: 'did_not_occur' };
    expect(await refusal(post(`/events/${id}/void/prepare`, body, mill.api))).toMatchObject({ status: 403 });
    expect(await refusal(post(`/events/${id}/supersede/prepare`, { metadata: {} }, mill.api))).toMatchObject({ status: 403 });
    for (const missing of ['nonsense', '00000000-0000-4000-8000-000000000000'])
      expect(await refusal(post(`/events/${missing}/void/prepare`, body))).toMatchObject({ status: 404, code: 'event_not_found' });
    const wool = await world.admin('wool');
    expect(await refusal(post(`/events/${id}/void/prepare`, body, wool))).toMatchObject({ status: 404, code: 'event_not_found' });
  });

  it('undoes the event, keeps it visible, and frees the code of its lot', async () => {
    const [packing, harvest] = [await eventOf('RICE_PACKING'), await eventOf('RICE_HARVESTING')];
    const bags = await lot('RP262641');
    expect(await lot('RM-20260920-01')).toMatchObject({ status: 'consumed', remainingQuantity: 0 });
    const prepared = await post(`/events/${packing.id}/void/prepare`, {
      reason: 'did_not_occur',
      correctiveEventIDs: [harvest.id],
      metadata: { note: 'packed the day after' },
    });
    expect(prepared).toMatchObject({ eventId: packing.id, metadata: { method: 'voidEvent' }, warnings: [] });
    await land(prepared as never, statusIs(packing.id, 'voided'));
    expect(await admin.events.get(packing.id)).toMatchObject({
      status: 'voided',
      outputTokenIds: [bags.tokenId],
      errorDeclaration: { reason: 'did_not_occur', correctiveEventIDs: [harvest.id], dataHash: prepared.dataHash, actor: signer.address },
    });
    expect((await admin.events.list({ status: 'voided' })).data).toMatchObject([{ id: packing.id }]);
    expect(await lot('RM-20260920-01')).toMatchObject({ status: 'active', remainingQuantity: 7004 });
    expect(await admin.lots.get(bags.tokenId)).toMatchObject({ status: 'retired' });
    expect(await refusal(post(`/events/${packing.id}/void/prepare`, { reason: 'did_not_occur' }))).toMatchObject({
      status: 409,
      code: 'event_voided',
    });
    const again = await mill.api.events.prepare({
      processType: 'RICE_PACKING',
      inputTokenIds: [(await lot('RM-20260920-01')).tokenId],
      outputTlc: 'RP262641',
      metadata: metadataOf('RICE_PACKING'),
    });
    await mill.land(again.preparedTx, 'event');
    expect(await lot('RP262641')).toMatchObject({ status: 'active', mintEventId: again.eventId });
  });

  it('are found by their process in any case', async () => {
    const { total } = await admin.events.list({ processType: 'RICE_HARVESTING' });
    expect(total).toBeGreaterThan(0);
    expect(await admin.events.list({ processType: 'rice_Harvesting' })).toMatchObject({ total });
  });

  describe('supersede', () => {
    it('corrects content, not what is on chain', async () => {
      const milling = await eventOf('RICE_MILLING');
      const metadata = metadataOf('RICE_MILLING');
      const changed = { ...metadata, quantity: { value: 7005, uom: 'KGM' } };
      expect(await refusal(post(`/events/${milling.id}/supersede/prepare`, { metadata: changed }))).toMatchObject({
        status: 422,
        errors: [['/metadata/quantity', 'graph_stands']],
      });
      const { eventTime: _, ...timeless } = metadata;
      expect(await refusal(post(`/events/${milling.id}/supersede/prepare`, { metadata: timeless }))).toMatchObject({
        status: 422,
        errors: [['/metadata/eventTime', 'required']],
      });
    });

    it('accepts the recorder of the event, and no other sender', async () => {
      const milling = await eventOf('RICE_MILLING');
      const metadata = metadataOf('RICE_MILLING');
      const { farmA, mill: recorder } = world.tenant('rice').actors;
      const compliance = async (name: string, orgId: string): Promise<TraceabilityClient> => {
        const make = { strict: false } as const;
        const [email, password] = [`${name}@compliance.example`, 'correct horse battery'];
        const user = await world.service.app.get(CreateUser, make).create({ email, name, password });
        const { tenantUuid } = await admin.get<{ tenantUuid: string }>('/api/v2/auth/me');
        await world.service.app.get(AddMember, make).add(tenantUuid, user.id, { roles: ['COMPLIANCE'], orgId });
        return TraceabilityClient.login(world.baseUrl, email, password, 'rice');
      };
      const [ofFarm, ofMill] = [await compliance('farm', farmA!.orgId), await compliance('mill', recorder!.orgId)];
      expect(await refusal(ofFarm.events.supersede(milling.id, { metadata, from: farmA!.address }))).toMatchObject({
        ...{ status: 403, code: 'not_entitled' },
      });
      expect(await ofMill.events.supersede(milling.id, { metadata, from: recorder!.address })).toMatchObject({
        preparedTx: { to: world.tenant('rice').contract },
      });
      const packing = (await admin.events.list({ processType: 'RICE_PACKING', status: 'recorded' })).data[0] as Event;
      expect(await ofMill.events.void(packing.id, { reason: 'did_not_occur', from: recorder!.address })).toMatchObject({
        eventId: packing.id,
      });
      expect(await refusal(ofFarm.events.void(packing.id, { reason: 'did_not_occur', from: farmA!.address }))).toMatchObject({
        ...{ status: 422, code: 'not_custodian' },
      });
    });

    it('records the better content as an amendment, and declares the first event wrong', async () => {
      const milling = await eventOf('RICE_MILLING');
      const metadata = { ...metadataOf('RICE_MILLING'), remark: 'the meter was read again' };
      const prepared = await post(`/events/${milling.id}/supersede/prepare`, { metadata });
      await land(prepared as never, statusIs(milling.id, 'superseded'));
      expect(await admin.events.get(milling.id)).toMatchObject({
        supersededBy: prepared.eventId,
        errorDeclaration: { reason: 'incorrect_data', correctiveEventIDs: [prepared.eventId] },
        outputTokenIds: milling.outputTokenIds,
      });
      expect(await admin.events.get(prepared.eventId as string)).toMatchObject({
        status: 'recorded',
        supersedes: milling.id,
        metadata: { remark: 'the meter was read again' },
        inputTokenIds: [],
        outputTokenIds: [],
        calldataMismatch: false,
      });
      expect(await lot('RM-20260920-01')).toMatchObject({ status: 'consumed' });
      expect(await refusal(admin.events.void(prepared.eventId as string, { reason: 'did_not_occur' }))).toMatchObject({
        ...{ status: 409, code: 'event_not_voidable' },
      });
      const delivered = await eventually('the webhook of the correction', () =>
        world.sink
          .at('/corrections')
          .map((request) => JSON.parse(request.body.toString()) as Json)
          .find(({ data }) => (data as Json).eventId === prepared.eventId),
      );
      expect(delivered.data).toMatchObject({ supersedes: milling.id });
    });
  });

  describe('content and verification', () => {
    const answer = (path: string, as: TraceabilityClient = admin) =>
      fetch(`${world.baseUrl}/api/v1${path}`, { headers: (as as unknown as { headers(): Record<string, string> }).headers() });
    const verify = (id: string) => admin.get<{ status: string; links: { link: string; status: string }[] }>(`/api/v1/events/${id}/verify`);
    const states = async (id: string): Promise<object> => {
      const { status, links } = await verify(id);
      return { status, ...Object.fromEntries(links.map((link) => [link.link, link.status])) };
    };
    const ALL_OK = {
      ...{
        status: 'ok',
        bytes_cid: 'ok',
        cid_data_hash: 'ok',
        data_hash_chain: 'ok',
        record_content: 'ok',
        content_sender: 'ok',
        record_chain: 'ok',
      },
    };
    const UNREAD = { record_content: 'unreachable', content_sender: 'unreachable' };
    const blockOf = (cid: string): string => {
      const folder = join(world.environment.DATA_DIR!, 'content');
      return join(
        folder,
        (readdirSync(folder, { recursive: true }) as string[]).find((name) => name.endsWith(cid))!,
      );
    };

    it('gives the exact bytes that were hashed, in which what is restricted is sealed', async () => {
      const { id, ipfsCid, dataHash } = await eventOf('RICE_DRYING');
      const got = await answer(`/events/${String(id)}/content`, mill.api);
      expect(got.headers.get('content-type')).toMatch(/^application\/json/);
      const bytes = Buffer.from(await got.arrayBuffer());
      expect(addressOf(bytes)).toEqual({ cid: ipfsCid, dataHash });
      expect(canonicalJson(JSON.parse(bytes.toString()))).toBe(bytes.toString());
      const farm = await world.company('rice', 'farmA');
      const path = `/api/v1/events/${String(id)}/content`;
      const ofOthers = Buffer.from(await (await answer(`/events/${String(id)}/content`, farm.api)).arrayBuffer());
      expect(ofOthers.equals(bytes)).toBe(true);
      const [own, others] = await Promise.all([mill.api, farm.api].map((api) => api.get<{ content: object }>(`${path}/opened`)));
      const { metadata } = await mill.api.get<{ metadata: object }>(`/api/v1/events/${String(id)}`);
      expect(own).toMatchObject({ version: 2, state: 'open', content: { metadata }, classes: ['restricted'] });
      expect(others).toMatchObject({ version: 2, state: 'open', classes: [] });
      expect(others!.content).toEqual((JSON.parse(bytes.toString()) as { public: object }).public);
      for (const value of ['preparedBy', 'inputTokenIds', 'outputCustodian']) {
        expect(JSON.stringify(own!.content)).toContain(value);
        expect(bytes.toString()).not.toContain(value);
      }
      const wool = await world.admin('wool');
      expect(await refusal(wool.get(`/api/v1/events/${String(id)}/content`))).toMatchObject({ status: 404 });
      expect(await refusal(wool.get(`/api/v1/events/${String(id)}/verify`))).toMatchObject({ status: 404 });
    });

    it('verifies every link of a landed event: recorded, voided, superseded and amending', async () => {
      const { data } = await admin.events.list({ limit: 100 });
      expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['recorded', 'voided', 'superseded']));
      for (const event of data) expect([event.processType, await states(event.id as string)]).toEqual([event.processType, ALL_OK]);
    });

    it('finds a damaged block and a missing one', async () => {
      const { id, ipfsCid } = await eventOf('RICE_DRYING');
      const block = blockOf(ipfsCid as string);
      const whole = readFileSync(block);
      writeFileSync(block, whole.toString().replace('KGM', 'LBR'));
      expect(await states(id)).toEqual({ ...ALL_OK, ...UNREAD, status: 'mismatch', bytes_cid: 'mismatch' });
      expect(await refusal(admin.get(`/api/v1/events/${id}/content`))).toMatchObject({ status: 502, code: 'content_corrupt' });
      rmSync(block);
      expect(await states(id)).toEqual({ ...ALL_OK, ...UNREAD, status: 'unreachable', bytes_cid: 'unreachable' });
      expect(await refusal(admin.get(`/api/v1/events/${id}/content`))).toMatchObject({ status: 404, code: 'content_not_found' });
      writeFileSync(block, whole);
      expect(await states(id)).toEqual(ALL_OK);
    });

    it.each([
      [
        'words that were not stored',
        `update traceability.event set metadata = metadata || '{"x": 1}' where id = $1`,
        { record_content: 'mismatch' },
      ],
      [
        'another data hash',
        `update traceability.event set data_hash = '0x' || repeat('ab', 32) where id = $1`,
        { cid_data_hash: 'mismatch', data_hash_chain: 'mismatch', record_chain: 'mismatch' },
      ],
      ['another draw', `update traceability.event set consumed = array[1, 2] where id = $1`, { record_chain: 'mismatch' }],
      ['another block', `update traceability.event set block_hash = '0x00' where id = $1`, { data_hash_chain: 'mismatch' }],
      ['a void that never was', `update traceability.event set status = 'voided' where id = $1`, { record_chain: 'mismatch' }],
      [
        'another transaction',
        `update traceability.event set tx_hash = '0x' || repeat('0', 64) where id = $1`,
        { data_hash_chain: 'mismatch' },
      ],
    ])('finds a record with %s', async (_, sql, found) => {
      const { id } = await eventOf('RICE_DRYING');
      const columns = 'metadata, data_hash, consumed, block_hash, status, tx_hash';
      const [before] = await world.database.unitOfWork.asSystem((tx) =>
        tx.sql(`select ${columns} from traceability.event where id = $1`, [id]),
      );
      await change(sql, id);
      expect(await states(id)).toEqual({ ...ALL_OK, status: 'mismatch', ...found });
      const { metadata, data_hash, consumed, block_hash, status, tx_hash } = before as Record<string, any>;
      await world.database.unitOfWork.asSystem((tx) =>
        tx.sql(
          'update traceability.event set metadata = $2::jsonb, data_hash = $3, consumed = $4::numeric[], block_hash = $5, status = $6, tx_hash = $7 where id = $1',
          [id, JSON.stringify(metadata), data_hash, consumed, block_hash, status, tx_hash],
        ),
      );
      expect(await states(id)).toEqual(ALL_OK);
    });
  });

  describe('prepared events', () => {
    const harvest = async (outputTlc: string): Promise<string> => {
      const farm = await world.company('rice', 'farmA');
      const { eventId } = await farm.api.events.prepare({
        processType: 'RICE_HARVESTING',
        outputTlc,
        metadata: metadataOf('RICE_HARVESTING'),
      });
      return eventId;
    };
    const remove = (id: string, as: TraceabilityClient) => as.request('DELETE', `/api/v1/events/${id}`);

    it('are listed only when they are asked for, and are marked as not on chain', async () => {
      const id = await harvest('RH-20260920-A1');
      const ids = async (status?: string) => (await admin.events.list({ status, limit: 100 })).data.map((event) => event.id);
      expect(await ids()).not.toContain(id);
      expect(await ids('prepared')).toContain(id);
      expect(await ids('all')).toContain(id);
      expect(await admin.get(`/api/v1/events/${id}/verify`)).toMatchObject({ status: 'not_landed' });
    });

    it('can be withdrawn by their organisation before they are sent', async () => {
      const farm = await world.company('rice', 'farmA');
      const id = await harvest('RH-20260920-A2');
      expect(await refusal(remove(id, mill.api))).toMatchObject({ status: 403, code: 'foreign_event' });
      await remove(id, farm.api);
      expect(await refusal(remove(id, farm.api))).toMatchObject({ status: 404, code: 'event_not_found' });
      const twice = await harvest('RH-20260920-A5');
      const answers = await Promise.all(Array.from({ length: 8 }, () => refusal(remove(twice, farm.api))));
      expect(answers.map((answer) => (answer as { status: number }).status).toSorted((a, b) => a - b)).toEqual([
        200,
        ...Array.from({ length: 7 }, () => 404),
      ]);
      await remove(await harvest('RH-20260920-A3'), admin);
      expect(await refusal(remove((await eventOf('RICE_DRYING')).id, admin))).toMatchObject({ status: 409, code: 'event_not_prepared' });
      const again = await farm.api.events.validate({
        processType: 'RICE_HARVESTING',
        outputTlc: 'RH-20260920-A2',
        metadata: metadataOf('RICE_HARVESTING'),
      });
      expect(again.warnings.filter((warning) => warning.startsWith('/outputTlc'))).toEqual([]);
    });

    it('expire when they are not sent in time; they may still land', async () => {
      const farm = await world.company('rice', 'farmA');
      const body = { processType: 'RICE_HARVESTING', outputTlc: 'RH-20260920-A4', metadata: metadataOf('RICE_HARVESTING') };
      const { eventId: id, preparedTx } = await farm.api.events.prepare(body);
      await change(`update traceability.event set expires_at = now() - interval '1 second' where id = $1`, id);
      await world.service.app.get(ExpireEventsJob, { strict: false }).run(new AbortController().signal);
      expect(await admin.events.get(id)).toMatchObject({ status: 'expired' });
      expect(await refusal(remove(id, farm.api))).toMatchObject({ status: 409, code: 'event_not_prepared' });
      await farm.land(preparedTx, 'event');
      expect(await admin.events.get(id)).toMatchObject({ status: 'recorded', calldataMismatch: false });
    });

    it('are deleted long after they expired, if they never landed', async () => {
      const [young, old] = [await harvest('RH-20260920-A6'), await harvest('RH-20260920-A7')];
      await change(`update traceability.event set expires_at = now() - interval '89 days' where id = $1`, young);
      await change(`update traceability.event set expires_at = now() - interval '91 days' where id = $1`, old);
      const { signal } = new AbortController();
      for (const job of [ExpireEventsJob, DeleteOldRowsJob]) await world.service.app.get(job, { strict: false }).run(signal);
      expect(await admin.events.get(young)).toMatchObject({ status: 'expired' });
      expect(await refusal(admin.events.get(old))).toMatchObject({ status: 404 });
    });
  });

  describe('published views', () => {
    const views = (tenant: string, text: string): Promise<Json[]> =>
      world.database.unitOfWork.inTransaction({ tenantId: tenant }, (tx) => tx.sql<Json>(text));
    const tenantOf = async (map: string): Promise<string> => {
      const [found] = await world.database.unitOfWork.asSystem((tx) =>
        tx.sql<{ tenant_id: string }>('select tenant_id from traceability.process_map where name = $1', [map]),
      );
      return found!.tenant_id;
    };

    it('have the rows of the API: lots with status, events with masses, valid edges', async () => {
      const tenant = await tenantOf('rice');
      const lots = (await admin.lots.list({ limit: 100 })).data.map((one) => [
        one.tokenId,
        one.status,
        one.remainingQuantity,
        one.custodian,
      ]);
      const viewed = await views(
        tenant,
        'select token_id::integer, status, remaining::float, custodian from traceability.lot_v1 order by token_id desc',
      );
      expect(viewed.map((row) => Object.values(row))).toEqual(lots);
      const packing = (await admin.events.list({ processType: 'RICE_PACKING', status: 'recorded' })).data[0]!;
      expect(packing.mass).toEqual({
        ...{ inputKg: 7004, mainOutputKg: 7000, coProductKg: 0, declaredLossKg: 4, gapKg: 0, gapRatio: 0, yield: 0.999429 },
        ...{ materialYield: 0.999429, expectedYield: expect.anything(), tolerance: expect.any(Number), yieldOutside: false },
        ...{ balanceOutside: false, unmeasured: false },
      });
      const counting = await views(tenant, 'select id, metadata from traceability.event_v1 where counts');
      const voided = (await admin.events.list({ status: 'voided' })).data[0]!;
      expect(counting.map(({ id }) => id)).toContain(packing.id);
      expect(counting.map(({ id }) => id)).not.toContain(voided.id);
      const [milling] = await views(
        tenant,
        `select metadata ->> 'remark' as said, own_metadata ->> 'remark' as first from traceability.event_v1 where process_type = 'RICE_MILLING' and counts`,
      );
      expect(milling).toEqual({ said: 'the meter was read again', first: null });
      const edges = await views(tenant, 'select event_id from traceability.edge_v1');
      expect(edges.map((edge) => edge.event_id)).not.toContain(voided.id);
      expect(edges.length).toBeGreaterThan(3);
    });

    it('show nothing of another tenant', async () => {
      const other = await tenantOf('wool');
      for (const view of ['lot_v1', 'event_v1', 'edge_v1']) expect(await views(other, `select * from traceability.${view}`)).toEqual([]);
    });

    it('hide the mass balance from members who may not read the whole event', async () => {
      const farm = await world.company('rice', 'farmA');
      expect(await farm.api.events.get((await eventOf('RICE_DRYING')).id)).toMatchObject({ mass: null });
    });
  });

  describe('a batch', () => {
    const harvest = (outputTlc: string | undefined, over: Json = {}): Json => ({
      processType: 'RICE_HARVESTING',
      ...(outputTlc && { outputTlc }),
      metadata: metadataOf('RICE_HARVESTING'),
      ...over,
    });
    const batch = async (items: readonly unknown[], as: TraceabilityClient): Promise<Json[]> => {
      const { data, prepared, refused } = await as.post<{ data: Json[]; prepared: number; refused: number }>(
        '/api/v1/events/prepare/batch',
        { events: items },
      );
      expect([prepared, refused, data.map(({ index }) => index)]).toEqual([
        data.filter(({ status }) => status === 200).length,
        data.filter(({ status }) => status !== 200).length,
        items.map((_, i) => i),
      ]);
      return data;
    };

    it('answers each item separately, in order; the valid ones land', async () => {
      const farm = await world.company('rice', 'farmA');
      const stored = world.storedBlocks();
      const answers = await batch(
        [
          harvest('RH-20260925-B1'),
          'no object',
          harvest('RH-20260925-B2', { colour: 'red' }),
          harvest('RH-20260915-A1'),
          { processType: 'RICE_HARVEST', metadata: {} },
          harvest('RH-20260925-B3', { metadata: { ...metadataOf('RICE_HARVESTING'), quantity: { value: -1, uom: 'KGM' } } }),
          harvest('RH-20260925-B1'),
          harvest('RH-20260925-B4', { from: mill.address }),
          harvest('RH-20260925-B5', { inputTokenIds: [10 ** 9] }),
          harvest('RH-20260925-B6'),
        ],
        farm.api,
      );
      expect(answers.map(({ status, problem }) => [status, (problem as Json | null)?.code ?? null])).toEqual([
        [200, null],
        [400, 'malformed_request'],
        [400, 'malformed_request'],
        [409, 'tlc_taken'],
        [422, 'invalid_content'],
        [422, 'invalid_content'],
        [200, null],
        [403, 'foreign_sender'],
        [422, 'invalid_content'],
        [200, null],
      ]);
      expect((answers[2]!.problem as Json).errors).toMatchObject([{ pointer: '/colour', code: 'unknown_field' }]);
      const events = answers.flatMap(({ event }) =>
        event ? [event as unknown as { eventId: string; hints: { nonce: number }; warnings: string[]; preparedTx: any }] : [],
      );
      expect(world.storedBlocks() - stored).toBe(3);
      expect(events.map(({ hints }) => hints.nonce - events[0]!.hints.nonce)).toEqual([0, 1, 2]);
      // The second one with that code gets a warning, the first does not: they count in their order.
      const warned = (i: number): boolean => events[i]!.warnings.some((warning) => warning.startsWith('/outputTlc'));
      expect([warned(0), warned(1), warned(2)]).toEqual([false, true, false]);
      await farm.land(events[0]!.preparedTx, 'event');
      await farm.land(events[2]!.preparedTx, 'event');
      expect([(await lot('RH-20260925-B1')).mintEventId, (await lot('RH-20260925-B6')).mintEventId]).toEqual([
        events[0]!.eventId,
        events[2]!.eventId,
      ]);
    });

    it('gives each item another code of a template', async () => {
      const farm = await world.company('rice', 'farmA');
      const metadata = { ...metadataOf('RICE_DRYING'), inputs: [{ tlc: 'RH-20260925-B1', quantity: { value: 8000, uom: 'KGM' } }] };
      const drying = { processType: 'RICE_DRYING', inputTokenIds: [(await lot('RH-20260925-B1')).tokenId], metadata };
      const events = (await batch([drying, drying], farm.api)).map(({ event }) => event as Json);
      expect(events.map(({ outputTlc }) => outputTlc)).toEqual(['RD-20260918-01', 'RD-20260918-02']);
      const reserved = events.map(({ warnings }) => (warnings as string[]).filter((warning) => warning.includes('draws on lot')).length);
      expect(reserved).toEqual([0, 1]);
    });

    it('needs no SQL statement and no call to the node per event', async () => {
      const farm = await world.company('rice', 'farmB');
      const [work, rpc] = [world.service.app.get(UnitOfWork, { strict: false }), world.service.app.get(JsonRpc, { strict: false })];
      const cost = async (count: number): Promise<{ statements: number; exchanges: number }> => {
        const seen = { statements: 0, exchanges: 0 };
        const counting = (tx: TenantTx): TenantTx =>
          new Proxy(tx, { get: (target, name) => (name === 'sql' && seen.statements++, Reflect.get(target, name)) });
        const through = work.inTransaction.bind(work);
        const spies = [
          jest
            .spyOn(work, 'inTransaction')
            .mockImplementation((scope, run) => through(scope, (tx) => run(scope.tenantId === tenantOf() ? counting(tx) : tx))),
          jest
            .spyOn(rpc, 'batch')
            .mockImplementation(
              (calls) => (calls[0]?.method === 'eth_estimateGas' && seen.exchanges++, JsonRpc.prototype.batch.call(rpc, calls)),
            ),
        ];
        await batch(
          Array.from({ length: count }, (_, i) => harvest(`RH-20260926-C${count}X${i}`)),
          farm.api,
        );
        for (const spy of spies) spy.mockRestore();
        return seen;
      };
      const tenantOf = (): string => tenantId;
      const tenantId = (
        await world.database.unitOfWork.asSystem((tx) =>
          tx.sql<{ tenant_id: string }>(`select tenant_id from traceability.process_map where name = 'rice'`),
        )
      )[0]!.tenant_id;
      await cost(1); // maps are remembered from here on
      const one = await cost(2);
      expect(one.exchanges).toBe(1);
      expect(one.statements).toBeGreaterThan(2);
      const many = await cost(100);
      expect(many.exchanges).toBe(1);
      // Workers and timers of the service write for this tenant as well, now and then: a few more are not one for each.
      expect(many.statements).toBeLessThan(one.statements + 49);
    });

    it.each<[string, unknown]>([
      ['no list', {}],
      ['an empty list', { events: [] }],
      ['more than a hundred', { events: Array.from({ length: 101 }, () => ({})) }],
      ['an unknown field', { events: [{}], atomic: true }],
    ])('refuses %s as a whole', async (_, body) => {
      expect(await refusal(post('/events/prepare/batch', body, mill.api))).toMatchObject({ status: 400, code: 'malformed_request' });
    });
  });

  const change = (sql: string, id: string): Promise<unknown> => world.database.unitOfWork.asSystem((tx) => tx.sql(sql, [id]));
});
