import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { type Lot, Sender, type TraceabilityClient, verifyWebhook } from '#client';
import { eventually } from '../harness/eventually.js';
import { type TopicBody, TopicCatalogue } from '../harness/topic-catalogue.js';
import { World } from '../harness/world.js';

interface Expected {
  readonly lots: Readonly<Record<string, { readonly assetType: string; readonly massKg: number; readonly remainingKg: number }>>;
}
const expectedOf = (slug: string): Expected =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.expected.json`, import.meta.url), 'utf8')) as Expected;
/** Kilograms in one unit, from the maps. */
const MASS: Readonly<Record<string, number>> = { KGM: 1, H87: 5 };

describe('from a prepared event to a signed webhook', () => {
  let world: World;
  let admin: TraceabilityClient;
  let secret: string;

  beforeAll(async () => {
    world = await World.start();
    admin = await world.admin('rice');
    ({ secret } = await admin.webhooks.create(world.sink.url('/rice'), [
      'event.recorded',
      'nft.created',
      'custody.transferred',
      'nft.recalled',
    ]));
    await admin.webhooks.create(world.sink.url('/everything'), ['*']);
    await world.play('rice');
  });
  afterAll(() => world.close());

  it('leaves the lots with the masses of the golden result', async () => {
    const lots = Object.entries(expectedOf('rice').lots);
    const found = await Promise.all(
      lots.map(async ([tlc]) => {
        const { assetType, uom, quantity, remainingQuantity } = await admin.lots.byTlc(tlc);
        const perUnit = MASS[uom as string]!;
        return [tlc, { assetType, massKg: Number(quantity) * perUnit, remainingKg: Number(remainingQuantity) * perUnit }];
      }),
    );
    expect(found).toEqual(lots.map(([tlc, { assetType, massKg, remainingKg }]) => [tlc, { assetType, massKg, remainingKg }]));
  });

  it('knows who holds what, and in which state', async () => {
    const { actors } = world.tenant('rice');
    const state = async (tlc: string): Promise<object> => {
      const { status, custodian } = await admin.lots.byTlc(tlc);
      return { status, custodian };
    };
    expect(await state('RH-20260915-A1')).toEqual({ status: 'consumed', custodian: actors.mill!.address });
    expect(await state('RP262641')).toEqual({ status: 'active', custodian: actors.dist!.address });
    expect(await state('095200000000000011')).toEqual({ status: 'retired', custodian: actors.dist!.address });
    expect(await state('RM-20260920-01H')).toEqual({ status: 'retired', custodian: actors.mill!.address });
  });

  it('shows every field of the specification on a lot, null where there is none', async () => {
    const fields =
      'id tokenId tenantId tlc assetType assetTypeName processMapName status custodian custodianLabel custodianLabelKind metadataCid metadata txHash blockNumber dataHash expiresAt pendingCustodian mintEventId eventCount createdAt';
    const lot: Lot = await admin.lots.byTlc('RP262641');
    for (const field of fields.split(' ')) expect(lot).toHaveProperty(field);
    expect(lot).toMatchObject({
      tenantId: 'rice',
      assetTypeName: 'Milled rice, 5 kg bag',
      custodianLabel: 'Example Distributor',
      custodianLabelKind: 'organization',
      pendingCustodian: null,
    });
    // Good until the end of its best-before date where it was packed (+07:00).
    expect(lot.expiresAt).toBe('2028-03-21T16:59:59.000Z');
  });

  it('delivers each topic once, signed over the raw body', async () => {
    const counts = (): Record<string, number> => {
      const byTopic: Record<string, number> = {};
      for (const { headers } of world.sink.at('/rice'))
        byTopic[String(headers['x-webhook-event'])] = (byTopic[String(headers['x-webhook-event'])] ?? 0) + 1;
      return byTopic;
    };
    await eventually(`23 deliveries, there are ${JSON.stringify(counts())}`, () => world.sink.at('/rice').length >= 23);
    expect(counts()).toEqual({ 'event.recorded': 10, 'nft.created': 9, 'custody.transferred': 4 });
    for (const { headers, body } of world.sink.at('/rice')) {
      expect(verifyWebhook(secret, body, headers).id).toBe(headers['x-webhook-id']);
      expect(headers['content-type']).toBe('application/json');
    }
    expect(new Set(world.sink.at('/rice').map(({ headers }) => headers['x-webhook-id'])).size).toBe(23);
  });

  it('records nothing twice when it is played again', async () => {
    await world.play('rice');
    expect(await admin.lots.list({ limit: 1 })).toMatchObject({ total: 9 });
    expect(await admin.events.list({ limit: 1 })).toMatchObject({ total: 10 });
  });

  it('recalls a lot by a prepared call and notifies its subscribers', async () => {
    const { tokenId } = await admin.lots.byTlc('RD-20260917-01');
    const { preparedTx } = await admin.tx.prepare({
      method: 'recall',
      processId: `0x${'0'.repeat(64)}`,
      metadata: { args: { tokenId }, reason: 'husk found' },
    });
    await new Sender(world.demo.rpcUrl, new Wallet(world.tenant('rice').admin.privateKey)).sendAndWait(preparedTx);
    await eventually('the recall', async () => (await admin.lots.get(tokenId)).status === 'recalled');
    const recalled = await eventually('nft.recalled', () =>
      world.sink.at('/rice').find(({ headers }) => headers['x-webhook-event'] === 'nft.recalled'),
    );
    expect(JSON.parse(recalled.body.toString())).toMatchObject({
      event: 'nft.recalled',
      data: { tenantId: 'rice', tokenId, tlc: 'RD-20260917-01' },
    });
  });

  it('has exactly the fields of the topic catalogue in every body', async () => {
    const [everything] = (await admin.webhooks.list()).filter(({ events }) => events.includes('*'));
    await admin.post(`/api/v1/webhooks/${everything!.id}/test`);
    const catalogue = await TopicCatalogue.read(admin);
    const bodies = (): TopicBody[] => world.sink.at('/everything').map(({ body }) => JSON.parse(body.toString()) as TopicBody);
    const topics = (): string[] => [...new Set(bodies().map(({ event }) => event))].toSorted();
    const expected = [
      'custody.offered',
      'custody.transferred',
      'event.recorded',
      'nft.created',
      'nft.recalled',
      'transaction.confirmed',
      'webhook.test',
    ];
    await eventually(`all topics, there are ${topics().join()}`, () => topics().length >= expected.length);
    expect(topics()).toEqual(expected);
    expect(bodies().flatMap((body) => catalogue.faults(body))).toEqual([]);
  });

  it('keeps tenants apart: the other one plays its own chain and sees nothing of this one', async () => {
    await world.play('wool', 2);
    const wool = await world.admin('wool');
    expect((await wool.lots.list()).data.map(({ tlc }) => tlc).toSorted()).toEqual([
      'WB-20260304-AAAM',
      'WB-20260304-PCS',
      'WS-20260302-M1',
    ]);
    await expect(wool.lots.byTlc('RP262641')).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
    await expect(wool.webhooks.list()).resolves.toEqual([]);
  });

  it('lists the deliveries with their outcome', async () => {
    const [hook] = await admin.webhooks.list();
    const deliveries = await eventually('settled deliveries', async () => {
      const listed = await admin.webhooks.deliveries(hook!.id);
      return listed.every(({ success }) => success === true) && listed;
    });
    expect(deliveries[0]).toMatchObject({ subscriptionId: hook!.id, statusCode: 200, success: true, attempt: 1, error: null });
  });

  it('gave only answers that its OpenAPI document describes: status, code and exactly its fields', async () => {
    await fetch(`${world.baseUrl}/api/v1/nfts/no-number`);
    await expect(admin.get('/api/v1/nfts?page=0')).rejects.toMatchObject({ code: 'malformed_request' });
    expect([...world.contract.seen]).toEqual(
      expect.arrayContaining(['POST /api/v1/events/prepare', 'GET /api/v1/nfts/by-tlc/{tlc}', 'GET /api/v1/tx/{trackingId}']),
    );
    expect([...world.contract.violations]).toEqual([]);
  });
});
