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
