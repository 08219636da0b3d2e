import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

let world: World;
let trade: RiceTrade;
let packing: string;
beforeAll(async () => {
  world = await World.start({ ALERTS_EVERY_MS: '250' });
  await world.play('rice');
  trade = await RiceTrade.of(world);
  packing = (await trade.lot(await trade.tokenOf('RP262641')))['mintEventId'];
});
afterAll(() => world?.close());

async function correct(documents: readonly object[]): Promise<void> {
  const metadata = { ...trade.metadataOf('RICE_PACKING'), documents };
  await trade.land(trade.admin, trade.api.post<Json>(`/api/v1/events/${packing}/supersede/prepare`, { metadata }));
}

const TYPES = ['KDE_MISSING', 'DOCUMENT_MISSING', 'DOCUMENT_EXPIRED'] as const;

/** Alerts about the documents of the packing, by type, with their evidence. */
async function alerts(): Promise<Json> {
  const reports = await Promise.all(TYPES.map((type) => trade.api.get<Json>(`/api/v1/reports/alerts?limit=1000&type=${type}`)));
  const all = reports.flatMap((report) => report['alerts'] as Json[]).filter(({ subject }) => subject.id === packing);
  return Object.fromEntries(all.map(({ type, evidence }) => [type, evidence]));
}

/** Evaluations run by themselves; under load they take long. */
const eventuallyAre = (expected: object): Promise<void> => eventuallyHolds(async () => expect(await alerts()).toEqual(expected), 45_000);
const log = { type: 'BATCH_LOG', number: 'BL-26-264-1' };

it('alerts follow what a correction leaves out, adds, and dates otherwise', async () => {
  await eventuallyAre({});
  await correct([]);
  await eventuallyAre({
    KDE_MISSING: { missing: ['/documents/0/number'] },
    DOCUMENT_MISSING: { type: 'BATCH_LOG', given: [] },
  });
  await correct([{ ...log, validTo: '2020-01-31' }]);
  await eventuallyAre({
    DOCUMENT_EXPIRED: expect.objectContaining({ documentType: 'BATCH_LOG', number: log.number, validTo: '2020-01-31' }),
  });
  await correct([{ ...log, validTo: '2999-01-31' }]);
  await eventuallyAre({});
});

it('alerts about its products follow the corrected time of a harvest, also where a part of it was used', async () => {
  const { farmA, mill } = trade;
  const lot = await trade.harvest();
  await trade.land(
    farmA,
    trade.custody(farmA, { lots: [{ tokenId: lot.tokenId, quantity: { value: 5_000, uom: 'KGM' } }], to: mill.address }),
  );
  const part = lot.tokenId + 1;
  await trade.land(mill, trade.custody(mill, { action: 'accept', tokenIds: [part] }));
  await trade.known(part);
  const metadata: Json = {
    ...trade.metadataOf('RICE_DRYING'),
    inputs: [{ tokenId: part, quantity: { value: 5_000, uom: 'KGM' } }],
    quantity: { value: 4_500, uom: 'KGM' },
    losses: [{ kind: 'moisture', quantity: { value: 500, uom: 'KGM' } }],
  };
  const event = { processType: 'RICE_DRYING', inputTokenIds: [part], outputTlc: 'RD-20261102-ORDER', metadata };
  const drying = await trade.land(mill, trade.event(mill, event));
  const { mintEventId: harvest, metadata: words } = await trade.lot(lot.tokenId);
  const dated = async (eventTime: string): Promise<void> => {
    const prepared = trade.api.post<Json>(`/api/v1/events/${harvest}/supersede/prepare`, { metadata: { ...words, eventTime } });
    await trade.land(trade.admin, prepared);
  };
  const outOfOrder = async (): Promise<unknown[]> => {
    const { alerts: found } = await trade.api.get<Json>('/api/v1/reports/alerts?limit=1000&type=EVENT_ORDER');
    const ofDrying = (found as Json[]).filter(({ subject }) => subject.id === drying['eventId']);
    return ofDrying.map(({ evidence }) => [evidence.inputTokenId, evidence.inputMadeAt] as unknown);
  };
  const eventuallyOutOfOrder = (expected: unknown[]): Promise<void> =>
    eventuallyHolds(async () => expect(await outOfOrder()).toEqual(expected), 45_000);

  await eventuallyOutOfOrder([]);
  const late = new Date(Date.parse(metadata['eventTime']) + 3_600_000).toISOString();
  await dated(late);
  await eventuallyOutOfOrder([[part, late]]);
  const later = new Date(Date.parse(late) + 3_600_000).toISOString();
  await dated(later);
  await eventuallyOutOfOrder([[part, later]]);
  await dated(words['eventTime']);
  await eventuallyOutOfOrder([]);
});

it('alerts about origins follow the corrected place of a harvest, also those of products of its products', async () => {
  const { farmB, mill } = trade;
  const { document } = await trade.api.get<Json>('/api/v1/process-maps/rice');
  await trade.api.post('/api/v1/process-maps', { ...document, version: '9.0.0', chainOfCustody: 'identity_preserved' });
  const first = await trade.harvest();
  await trade.handOver([first.tokenId]);
  const words: Json = trade.metadataOf('RICE_HARVESTING');
  const elsewhere = { name: 'Another farm', street: '2 Example Road', city: 'Cantho', country: 'VN' };
  const outputTlc = 'RH-20261101-OTHER';
  const metadata = { ...words, location: elsewhere };
  const harvest = await trade.land(farmB, trade.event(farmB, { processType: 'RICE_HARVESTING', outputTlc, metadata }));
  const second = { tokenId: await trade.tokenOf(outputTlc), tlc: outputTlc };
  await trade.handOver([second.tokenId], farmB);
  const drying = await trade.land(mill, trade.dry([first, second]));
  const dried = { tokenId: await trade.tokenOf(drying['outputTlc'] as string), tlc: drying['outputTlc'] as string };
  const milling = await trade.land(mill, trade.event(mill, trade.milling(dried)));
  const breaches = async (): Promise<Json[]> => {
    const { alerts: found } = await trade.api.get<Json>('/api/v1/reports/alerts?limit=1000&type=CLAIM_BREACH');
    return (found as Json[]).filter(({ subject }) => [drying['eventId'], milling['eventId']].includes(subject.id));
  };
  await eventuallyHolds(async () => expect(await breaches()).toHaveLength(2), 45_000);
  const prepared = trade.api.post<Json>(`/api/v1/events/${harvest['eventId']}/supersede/prepare`, {
    metadata: { ...words, location: words['location'] },
  });
  await trade.land(trade.admin, prepared);
  await eventuallyHolds(async () => expect(await breaches()).toEqual([]), 45_000);
});
