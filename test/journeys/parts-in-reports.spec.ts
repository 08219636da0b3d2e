import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChainHead, ChainProfile } from '#chain';
import { UnitOfWork } from '#persistence';
import { factsProjector } from '#reporting/testing';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Goods, type Json, RiceTrade } from './rice-trade.js';

let world: World;
let trade: RiceTrade;
beforeAll(async () => {
  world = await World.start();
  trade = await RiceTrade.of(world);
});
afterAll(() => world?.close());

const kg = (value: number): object => ({ value, uom: 'KGM' });
const place = (name: string): object => ({ name, street: '1 Example Road', city: 'Cantho', country: 'VN' });
const minute = (value: number): string => new Date(Date.UTC(2026, 10, 10, 8, value)).toISOString();

/** Names of the places of the stock, with their kilograms of paddy. */
async function stock(): Promise<Record<string, number>> {
  const { locations } = await trade.api.get<Json>('/api/v1/reports/inventory');
  // Where goods are on their way to, there may be none yet.
  const stocked = (locations as Json[]).filter(({ totals }) => totals.lots > 0);
  return Object.fromEntries(stocked.map((one) => [one['location']?.name ?? one['locationKey'], one['totals'].massKg as number]));
}

async function projectFacts(): Promise<void> {
  const get = <T>(type: abstract new (...asked: never[]) => T): T => world.service.app.get<T>(type, { strict: false });
  const { tenantUuid } = await trade.api.get<{ tenantUuid: string }>('/api/v2/auth/me');
  await factsProjector(get(UnitOfWork), get(ChainProfile), get(ChainHead)).project(tenantUuid);
}

/** The same of the lots themselves and, for a large tenant, of their sums. */
async function stockOfBoth(): Promise<Record<string, number>> {
  await world.database.unitOfWork.asSystem((tx) => tx.sql('update reporting.stock_cursor set as_of_head = null'));
  const ofLots = await stock();
  await projectFacts();
  expect(await stock()).toEqual(ofLots);
  return ofLots;
}

const standsAt = async (tokenId: number, asOf?: number): Promise<unknown> =>
  (await trade.api.get<Json>(`/api/v1/nfts/${tokenId}${asOf === undefined ? '' : `?asOf=${asOf}`}`))['location']?.name;

const observe = async (tokenId: number, at: number, name: string, company = trade.farmA): Promise<Json> => {
  const { footprint: _, ...metadata } = trade.metadataOf('RICE_SHIPPING');
  const event = {
    processType: 'RICE_SHIPPING',
    inputTokenIds: [tokenId],
    metadata: { ...metadata, eventTime: minute(at), location: place(name) },
  };
  return trade.land(company, trade.event(company, event));
};

describe('a part of a lot, as long as nothing was recorded of it', () => {
  let lot: Goods;
  let harvest: Json;
  let [toMill, toDist, refused, ofRefused] = [0, 0, 0, 0];
  let lastBlock: number;

  const harvestWords = (name: string): Json => ({ ...trade.metadataOf('RICE_HARVESTING'), eventTime: minute(0), location: place(name) });

  beforeAll(async () => {
    const { farmA } = trade;
    const tlc = 'RH-20261110-PLACE';
    const body = { processType: 'RICE_HARVESTING', outputTlc: tlc, metadata: harvestWords('Field') };
    harvest = await trade.land(farmA, trade.event(farmA, body));
    lot = { tokenId: await trade.tokenOf(tlc), tlc };
    [toMill, toDist, refused, ofRefused] = [1, 2, 3, 4].map((n) => lot.tokenId + n) as [number, number, number, number];
  });

  it('is where the lot was at the split, and stays when the lot is moved', async () => {
    const { farmA, mill } = trade;
    await observe(lot.tokenId, 1, 'Barn');
    await trade.land(farmA, trade.custody(farmA, { lots: [{ tokenId: lot.tokenId, quantity: kg(3000) }], to: mill.address }));
    await trade.known(toMill);
    expect(await standsAt(toMill)).toBe('Barn');
    const moved = await observe(lot.tokenId, 2, 'Silo');
    lastBlock = (await trade.api.get<Json>(`/api/v1/events/${moved['eventId']}`))['blockNumber'];
    expect([await standsAt(lot.tokenId), await standsAt(toMill)]).toEqual(['Silo', 'Barn']);
    expect(await stockOfBoth()).toEqual({ Barn: 3000, Silo: 5000 });
  });

  it('goes back to where its lot was offered, and what was taken is where the receiver says', async () => {
    const { mill } = trade;
    const received = { ...trade.metadataOf('RICE_RECEIVING'), eventTime: minute(3), location: place('Dock') };
    await trade.land(
      mill,
      trade.custody(mill, {
        action: 'accept',
        lots: [{ tokenId: toMill, quantity: kg(2900) }],
        reason: 'refused',
        processType: 'RICE_RECEIVING',
        metadata: received,
      }),
    );
    await trade.known(toMill + 1);
    expect([await standsAt(toMill), await standsAt(toMill + 1)]).toEqual(['Dock', 'Barn']);
    expect(await stockOfBoth()).toEqual({ Barn: 100, Dock: 2900, Silo: 5000 });
    // Token ids rise with each split: the refused part is the second one.
    [refused, toDist, ofRefused] = [toMill + 1, toMill + 2, toMill + 3];
  });

  it('is where a note of its hand-over says, else where it was before', async () => {
    const { farmA, dist } = trade;
    await trade.land(farmA, trade.custody(farmA, { lots: [{ tokenId: lot.tokenId, quantity: kg(2000) }], to: dist.address }));
    await trade.land(dist, trade.custody(dist, { action: 'accept', tokenIds: [toDist], metadata: { location: place('Depot') } }));
    await trade.known(toDist);
    expect(await stockOfBoth()).toEqual({ Barn: 100, Depot: 2000, Dock: 2900, Silo: 3000 });
    await trade.land(farmA, trade.custody(farmA, { lots: [{ tokenId: refused, quantity: kg(40) }], to: dist.address }));
    await trade.land(dist, trade.custody(dist, { action: 'accept', tokenIds: [ofRefused] }));
    await trade.known(ofRefused);
    expect(await standsAt(ofRefused)).toBe('Barn');
    expect(await stockOfBoth()).toEqual({ Barn: 100, Depot: 2000, Dock: 2900, Silo: 3000 });
  });

  it('is at the site of its custodian where it came later than the last event said', async () => {
    const { dist, admin } = trade;
    const { data } = await admin.api.get<Json>('/api/v1/organisations?limit=100');
    const org = (data as Json[]).find(({ name }) => name === 'Example Distributor')!;
    const site = await admin.api.post<Json>(`/api/v1/organisations/${org['id']}/sites`, { name: 'Warehouse', location: { country: 'VN' } });
    expect(site).toBeTruthy();
    expect(await stockOfBoth()).toEqual({ Barn: 60, Depot: 2000, Dock: 2900, Silo: 3000, Warehouse: 40 });
    await observe(ofRefused, 4, 'Truck', dist);
    await observe(toDist, 5, 'Shop', dist);
    expect(await stockOfBoth()).toEqual({ Barn: 60, Dock: 2900, Shop: 2000, Silo: 3000, Truck: 40 });
  });

  it('follows a correction of where its lot was, and is where it was at earlier blocks', async () => {
    const { footprint: _, ...metadata } = trade.metadataOf('RICE_SHIPPING');
    const { data } = await trade.api.get<Json>(`/api/v1/nfts/${lot.tokenId}/events?limit=100`);
    const barn = (data as Json[]).find(({ location }) => location?.name === 'Barn')!;
    const words = { ...metadata, eventTime: minute(1), location: place('Cold store') };
    await trade.land(trade.admin, trade.api.post<Json>(`/api/v1/events/${barn['id']}/supersede/prepare`, { metadata: words }));
    await eventually('the correction', async () => (await standsAt(refused)) === 'Cold store');
    expect(await standsAt(refused)).toBe('Cold store');
    expect(await stockOfBoth()).toEqual({ 'Cold store': 60, Dock: 2900, Shop: 2000, Silo: 3000, Truck: 40 });
    expect([await standsAt(toMill, lastBlock), await standsAt(lot.tokenId, lastBlock)]).toEqual(['Barn', 'Silo']);
    expect(harvest['eventId']).toBeTruthy();
  });
});

describe('a transfer of which less was taken than was offered', () => {
  it('is one accepted transfer, and counts in the acceptance rate with the share that was taken', async () => {
    const { farmB, mill } = trade;
    const harvest = async (tlc: string): Promise<number> => {
      const metadata = {
        ...trade.metadataOf('RICE_HARVESTING'),
        quantity: kg(1000),
        eventTime: minute(10),
        location: place('North field'),
      };
      await trade.land(farmB, trade.event(farmB, { processType: 'RICE_HARVESTING', outputTlc: tlc, metadata }));
      return trade.tokenOf(tlc);
    };
    const offer = (lots: object[]): Promise<Json> => trade.land(farmB, trade.custody(farmB, { lots, to: mill.address }));
    const [whole, short, rejected] = [await harvest('RH-20261110-C1'), await harvest('RH-20261110-C2'), await harvest('RH-20261110-C3')];
    await offer([{ tokenId: whole }]);
    await trade.land(mill, trade.custody(mill, { action: 'accept', tokenIds: [whole] }));
    await offer([{ tokenId: short }]);
    await trade.land(mill, trade.custody(mill, { action: 'accept', lots: [{ tokenId: short, quantity: kg(750) }], reason: 'damage' }));
    await trade.known(rejected + 1);
    const rate = async (): Promise<unknown> => {
      const { organizations } = await trade.api.get<Json>('/api/v1/reports/suppliers');
      const { n, metrics, massSuppliedKg } = (organizations as Json[]).find(({ name }) => name === 'Example Farm B')!;
      return [n.transfersOut, n.answered, n.accepted, metrics.acceptanceRate, metrics.onTimeAcceptance, massSuppliedKg];
    };
    const ofBoth = async (): Promise<unknown> => {
      await world.database.unitOfWork.asSystem((tx) => tx.sql('update reporting.transfer_cursor set as_of_head = null'));
      const computed = await rate();
      await projectFacts();
      expect(await rate()).toEqual(computed);
      return computed;
    };
    expect(await ofBoth()).toEqual([2, 2, 2, 0.875, 1, 1750]);
    await offer([{ tokenId: rejected }]);
    await trade.land(mill, trade.custody(mill, { action: 'reject', tokenIds: [rejected] }));
    await eventually('the rejection', async () => (await trade.lot(rejected))['status'] === 'active');
    expect(await ofBoth()).toEqual([2, 3, 2, 0.583333, 1, 1750]);
  });
});

describe('an event whose outputs were split, after its correction', () => {
  const TLC = 'RP269955';
  const URI = `https://id.gs1.org/01/09520123450014/10/${TLC}`;
  let bags: number;
  let packing: string;
  let shipping: string;
  const pieces = (value: number): object => ({ value, uom: 'H87' });

  /** Quantities of the lists of an EPCIS event, by identifier. */
  const quantitiesOf = (event: Json): object =>
    Object.fromEntries(
      ['inputQuantityList', 'outputQuantityList', 'quantityList'].flatMap((name) =>
        event[name] ? [[name, (event[name] as Json[]).map(({ epcClass, quantity, uom }) => [epcClass, quantity, uom])]] : [],
      ),
    );
  const inFeed = async (query = ''): Promise<Map<string, Json>> => {
    const { epcisBody } = await trade.api.get<Json>(`/api/v1/events?format=epcis&all=true${query}`);
    return new Map((epcisBody.eventList as Json[]).map((event) => [event['eventID'] as string, event]));
  };
  const alone = async (id: string): Promise<Json> =>
    (await trade.api.get<Json>(`/api/v1/events/${id}?format=epcis`))['epcisBody'].eventList[0] as Json;

  beforeAll(async () => {
    const { mill, dist } = trade;
    const { lot: dried } = await trade.dried();
    const milled = await trade.land(mill, trade.event(mill, trade.milling(dried)));
    const rice = { tokenId: await trade.tokenOf(milled['outputTlc'] as string), tlc: milled['outputTlc'] as string };
    packing = (await trade.land(mill, trade.event(mill, trade.packing(rice, TLC, '2027-09-01'))))['eventId'];
    bags = await trade.tokenOf(TLC);
    const { footprint: _, ...metadata } = trade.metadataOf('RICE_SHIPPING');
    const shipped = await trade.land(
      mill,
      trade.custody(mill, {
        lots: [{ tokenId: bags, quantity: pieces(40) }],
        to: dist.address,
        processType: 'RICE_SHIPPING',
        metadata: { ...metadata, eventTime: '2026-11-12T08:00:00Z' },
      }),
    );
    shipping = shipped['eventId'];
    await trade.land(
      dist,
      trade.custody(dist, { action: 'accept', lots: [{ tokenId: bags + 1, quantity: pieces(30) }], reason: 'shortage' }),
    );
    await trade.known(bags + 2);
  });

  it('has the quantities and identifiers of then, and so has the correction', async () => {
    const before = await inFeed();
    const made = { inputQuantityList: [[expect.stringContaining('/lot/RM-'), 500, 'KGM']], outputQuantityList: [[URI, 100, 'H87']] };
    expect(quantitiesOf(before.get(`urn:uuid:${packing}`)!)).toEqual(made);
    expect(quantitiesOf(before.get(`urn:uuid:${shipping}`)!)).toEqual({ quantityList: [[URI, 40, 'H87']] });
    const correct = async (id: string, words: object): Promise<string> => {
      const { metadata } = await trade.api.get<Json>(`/api/v1/events/${id}`);
      const prepared = trade.api.post<Json>(`/api/v1/events/${id}/supersede/prepare`, { metadata: { ...metadata, ...words } });
      return (await trade.land(trade.admin, prepared))['eventId'] as string;
    };
    const packedAgain = await correct(packing, { productDescription: 'Relabelled', bestBefore: '2027-10-01' });
    const shippedAgain = await correct(shipping, { eventTime: '2026-11-12T09:00:00Z' });
    const twice = await correct(packing, { bestBefore: '2027-11-01' });
    await eventually('the corrections', async () => (await inFeed()).has(`urn:uuid:${twice}`));
    for (const query of ['', `&tokenId=${bags}`, `&tokenId=${bags + 1}`, `&tlc=${TLC}`]) {
      const events = await inFeed(query);
      const ids = [packing, packedAgain, twice].filter((id) => query !== `&tokenId=${bags + 1}` || events.has(`urn:uuid:${id}`));
      for (const id of ids) expect([query, quantitiesOf(events.get(`urn:uuid:${id}`)!)]).toEqual([query, made]);
      if (query === `&tokenId=${bags}`) continue;
      for (const id of [shipping, shippedAgain])
        expect([query, quantitiesOf(events.get(`urn:uuid:${id}`)!)]).toEqual([query, { quantityList: [[URI, 40, 'H87']] }]);
    }
    for (const id of [packing, packedAgain, twice]) expect(quantitiesOf(await alone(id))).toEqual(made);
    for (const id of [shipping, shippedAgain]) expect(quantitiesOf(await alone(id))).toEqual({ quantityList: [[URI, 40, 'H87']] });
    const last = (await inFeed()).get(`urn:uuid:${twice}`)!;
    expect(last['ilmd']?.['cbvmda:bestBeforeDate']).toBe('2027-11-01');
    const { errorDeclaration } = (await inFeed()).get(`urn:uuid:${packing}`)!;
    expect(errorDeclaration).toMatchObject({ correctiveEventIDs: [`urn:uuid:${twice}`] });
  });

  it('has hand-overs with the quantities of their parts', async () => {
    const events = [...(await inFeed(`&tlc=${TLC}`)).values()];
    const received = events.filter(({ bizStep }) => bizStep === 'receiving').map(quantitiesOf);
    expect(received).toEqual([{ quantityList: [[URI, 30, 'H87']] }]);
    const back = events.filter(({ bizStep }) => bizStep === 'void_shipping').map(quantitiesOf);
    expect(back).toEqual([{ quantityList: [[URI, 10, 'H87']] }]);
  });

  it('has lots that follow it: parts have the new date as the lot has', async () => {
    const lots = await Promise.all([bags, bags + 1, bags + 2].map((tokenId) => trade.lot(tokenId)));
    expect(lots.map(({ expiresAt, quantity, remainingQuantity }) => [expiresAt, quantity, remainingQuantity])).toEqual([
      [expect.stringMatching(/^2027-11-01/), 100, 60],
      [expect.stringMatching(/^2027-11-01/), 40, 30],
      [expect.stringMatching(/^2027-11-01/), 10, 10],
    ]);
  });
});
