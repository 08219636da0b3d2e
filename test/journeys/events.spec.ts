import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type ApiProblem, type Json, Sender, type TraceabilityClient } from '#client';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually } from '../harness/eventually.js';
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

const steps = readScenario('rice').steps as readonly { processType?: string; outputTlc?: string; metadata?: Json }[];
const metadataOf = (processType: string): Json => structuredClone(steps.find((step) => step.processType === processType)!.metadata!);

describe('events: corrections', () => {
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
  }, 120_000);
  afterAll(() => world.close());

  const post = <T = Json>(path: string, body: unknown, as: TraceabilityClient = admin): Promise<T> => as.post<T>(`/api/v1${path}`, body);
  const eventOf = async (processType: string): Promise<Event> => (await admin.events.list({ processType })).data[0] as Event;
  const lot = (tlc: string) => admin.lots.byTlc(tlc);
  /** Signs and sends; resolves when the service shows what it does. */
  const land = async (prepared: { preparedTx: any }, shows: () => Promise<unknown>): Promise<void> => {
    await signer.sendAndWait(prepared.preparedTx);
    await eventually('the landing', async () => Boolean(await shows()), { withinMs: 20_000 });
  };
  const statusIs = (id: string, status: string) => async (): Promise<boolean> => (await admin.events.get(id)).status === status;

  it('voids leaf first, and names what is in the way', async () => {
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

  it('refuses those who may not, and events that are not there', async () => {
    const { id } = await eventOf('RICE_PACKING');
    const body = { reason: 'did_not_occur' };
    expect(await refusal(post(`/events/${id}/void/prepare`, body, mill.api))).toMatchObject({ status: 403 });
    expect(await refusal(post(`/events/${id}/supersede/prepare`, { metadata: {} }, mill.api))).toMatchObject({ status: 403 });
    for (const missing of ['nonsense', '00000000-0000-4000-8000-000000000000'])
      expect(await refusal(post(`/events/${missing}/void/prepare`, body))).toMatchObject({ status: 404, code: 'event_not_found' });
    const wool = await world.admin('wool');
    expect(await refusal(post(`/events/${id}/void/prepare`, body, wool))).toMatchObject({ status: 404, code: 'event_not_found' });
  });

  it('takes back what the event did, keeps it visible, and frees its code', async () => {
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
  }, 60_000);

  describe('supersede', () => {
    it('corrects words, not what stands on chain', async () => {
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

    it('puts the better content beside the event, and declares the first one wrong', async () => {
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
      const told = await eventually('the webhook of the correction', () =>
        world.sink
          .at('/corrections')
          .map((request) => JSON.parse(request.body.toString()) as Json)
          .find(({ data }) => (data as Json).eventId === prepared.eventId),
      );
      expect(told.data).toMatchObject({ supersedes: milling.id });
    }, 60_000);
  });
});
