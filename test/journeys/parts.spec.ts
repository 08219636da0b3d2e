import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Interface } from 'ethers';
import type { PreparedTx } from '#client';
import { tenantLotsAbi } from '#contracts';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Goods, type Json, RiceTrade, codeOf } from './rice-trade.js';

let world: World;
let trade: RiceTrade;
beforeAll(async () => {
  world = await World.start();
  await world.play('rice');
  trade = await RiceTrade.of(world);
});
afterAll(() => world?.close());

const kg = (value: number): object => ({ value, uom: 'KGM' });
const get = (path: string): Promise<Json> => trade.api.get<Json>(`/api/v1/${path}`);

/** Lots of one code by token id, as their quantities and holders. */
async function partsOf(...tokenIds: readonly number[]): Promise<unknown[][]> {
  const lots = await Promise.all(tokenIds.map((tokenId) => trade.lot(tokenId)));
  return lots.map(({ tlc, quantity, remainingQuantity, custodian, status, splitFrom }) => [
    tlc,
    quantity,
    remainingQuantity,
    nameOf(custodian as string),
    status,
    splitFrom,
  ]);
}

const nameOf = (address: string): string =>
  Object.entries({ farmA: trade.farmA, mill: trade.mill, dist: trade.dist }).find(([, company]) => company.address === address)![0];

/** In the words of the demo, without the impact of the transport: it would come on top of what the lot brings. */
function metadataOf(processType: string, eventTime: string): Json {
  const { footprint: _, ...metadata } = trade.metadataOf(processType);
  return { ...metadata, eventTime };
}

describe('a lot on hold by quality', () => {
  it('has its parts on hold too, when a call that was prepared before splits it', async () => {
    const { farmA, mill } = trade;
    const lot = await trade.harvest();
    const prepared = await trade.custody(farmA, { lots: [{ tokenId: lot.tokenId, quantity: kg(500) }], to: mill.address });
    await trade.api.post(`/api/v1/nfts/${lot.tokenId}/hold`, { reason: 'a sample failed' });
    await trade.land(farmA, Promise.resolve(prepared));
    const part = lot.tokenId + 1;
    await trade.known(part);
    expect((await trade.lot(part))['onHold']).toBe(true);
    // Each is released by itself.
    await trade.api.post(`/api/v1/nfts/${part}/release`, {});
    expect([(await trade.lot(lot.tokenId))['onHold'], (await trade.lot(part))['onHold']]).toEqual([true, false]);
  });
});

describe('one code to two customers, one short acceptance', () => {
  let lot: Goods;
  /** Token ids: shipped to the mill, shipped to the distributor, what the mill did not get. */
  let toMill: number;
  let toDist: number;
  let missing: number;
  let shipped: Json;
  let received: Json;

  beforeAll(async () => {
    const { farmA, mill, dist } = trade;
    lot = await trade.harvest();
    [toMill, toDist, missing] = [lot.tokenId + 1, lot.tokenId + 2, lot.tokenId + 3];
    shipped = await trade.land(
      farmA,
      trade.custody(farmA, {
        lots: [{ tokenId: lot.tokenId, quantity: kg(3000) }],
        to: mill.address,
        processType: 'RICE_SHIPPING',
        metadata: metadataOf('RICE_SHIPPING', '2026-11-02T08:00:00Z'),
      }),
    );
    await trade.land(
      farmA,
      trade.custody(farmA, { lots: [{ tokenId: lot.tokenId, quantity: { value: 2, uom: 'TNE' } }], to: dist.address }),
    );
    received = await trade.land(
      mill,
      trade.custody(mill, {
        action: 'accept',
        lots: [{ tokenId: toMill, quantity: kg(2900) }],
        reason: 'shortage',
        processType: 'RICE_RECEIVING',
        metadata: metadataOf('RICE_RECEIVING', '2026-11-03T08:00:00Z'),
      }),
    );
    await trade.land(dist, trade.custody(dist, { action: 'accept', tokenIds: [toDist] }));
    await trade.known(missing);
  });

  it('leaves four lots of one code that add up to what was harvested', async () => {
    expect(await partsOf(lot.tokenId, toMill, toDist, missing)).toEqual([
      [lot.tlc, 8000, 3000, 'farmA', 'active', null],
      [lot.tlc, 3000, 2900, 'mill', 'active', lot.tokenId],
      [lot.tlc, 2000, 2000, 'dist', 'active', lot.tokenId],
      [lot.tlc, 100, 100, 'farmA', 'active', toMill],
    ]);
    const [whole, part] = await Promise.all([trade.lot(lot.tokenId), trade.lot(toMill)]);
    for (const name of ['key', 'digitalLink', 'assetType', 'uom', 'expiresAt', 'mintEventId', 'metadata', 'dataHash'])
      expect([name, part[name]]).toEqual([name, whole[name]]);
  });

  it('is refused where there is no such part', async () => {
    const { farmA, mill } = trade;
    const offer = (tokenId: number, quantity: object): Promise<string> =>
      codeOf(trade.custody(farmA, { lots: [{ tokenId, quantity }], to: mill.address }));
    expect(await offer(lot.tokenId, kg(3000.5))).toBe('over_consumption');
    expect(await offer(lot.tokenId, kg(0))).toBe('quantity_out_of_range');
    expect(await offer(lot.tokenId, { value: 1, uom: 'LTR' })).toBe('unit_not_convertible');
    expect(await offer(toMill, kg(1))).toBe('not_custodian');
    const [unmeasured] = await trade.make([], 1);
    const [box] = await trade.make([unmeasured!], 1, 1);
    const ofMill = (tokenId: number): Promise<string> =>
      codeOf(trade.custody(mill, { lots: [{ tokenId, quantity: kg(1) }], to: farmA.address }));
    expect(await ofMill(box!)).toBe('whole_only');
    expect(await ofMill(unmeasured!)).toBe('lot_contained');
    const again = { processType: 'RICE_HARVESTING', outputTlc: lot.tlc, metadata: trade.metadataOf('RICE_HARVESTING') };
    expect(await codeOf(trade.event(farmA, again))).toMatch(/tlc_taken/);
  });

  it('by its code answers with the candidates, and with a part where its custodian is said', async () => {
    const refused = await trade.api.lots.byTlc(lot.tlc).catch((error: { status: number; body: Json }) => error);
    expect(refused).toMatchObject({ status: 409, body: { code: 'tlc_ambiguous' } });
    expect(
      (refused as { body: Json }).body['candidates'].map((one: Json) => [one['tokenId'], one['splitFrom'], nameOf(one['custodian'])]),
    ).toEqual([
      [lot.tokenId, null, 'farmA'],
      [toMill, lot.tokenId, 'mill'],
      [toDist, lot.tokenId, 'dist'],
      [missing, toMill, 'farmA'],
    ]);
    expect(await trade.api.lots.byTlc(lot.tlc, { custodian: trade.dist.address })).toMatchObject({ tokenId: toDist });
  });

  it('has a custody history for each part, with the reason of what went back', async () => {
    const { data: accepted } = await get(`nfts/${toMill}/custody`);
    expect(accepted).toMatchObject([
      { status: 'mint', to: trade.farmA.address },
      { status: 'accepted', from: trade.farmA.address, to: trade.mill.address, reason: null, eventId: received['eventId'] },
    ]);
    const { data: returned } = await get(`nfts/${missing}/custody`);
    expect(returned).toMatchObject([
      { status: 'mint', to: trade.farmA.address },
      { status: 'rejected', from: trade.farmA.address, to: trade.mill.address, reason: 'shortage' },
    ]);
    const { data: whole } = await get(`nfts/${lot.tokenId}/custody`);
    expect(whole.map(({ status }: Json) => status as string)).toEqual(['mint']);
  });

  it('has events of the parts, as they were prepared', async () => {
    const event = await get(`events/${shipped['eventId']}`);
    expect([shipped['ipfsCid'], shipped['dataHash']]).toEqual([event['ipfsCid'], event['dataHash']]);
    expect(event).toMatchObject({ status: 'recorded', calldataMismatch: false, inputTokenIds: [toMill] });
    expect(await get(`events/${received['eventId']}`)).toMatchObject({ calldataMismatch: false, inputTokenIds: [toMill] });
  });

  it('is shipped and received in EPCIS with the quantities of the part', async () => {
    const quantities = async (eventId: string): Promise<unknown> => {
      const { epcisBody } = await get(`events/${eventId}?format=epcis`);
      return epcisBody.eventList[0].quantityList.map(({ quantity, uom }: Json) => [quantity, uom]);
    };
    expect(await quantities(shipped['eventId'] as string)).toEqual([[3000, 'KGM']]);
    expect(await quantities(received['eventId'] as string)).toEqual([[2900, 'KGM']]);
  });

  it('is in the FSMA 204 sheet with the same quantities', async () => {
    const { rows } = await get(`reports/fsma204?tlc=${lot.tlc}`);
    const of = (eventId: unknown): unknown[] =>
      rows
        .filter((row: Json) => row['eventId'] === eventId)
        .map(({ tlc, internalLotCode, quantity, unit }: Json) => [tlc ?? internalLotCode, quantity, unit]);
    expect(of(shipped['eventId'])).toEqual([[lot.tlc, 3000, 'KGM']]);
    expect(of(received['eventId'])).toEqual([[lot.tlc, 2900, 'KGM']]);
  });

  it('is linked to its parts in the graph, with their shares', async () => {
    const { edges, nodes } = await get(`nfts/${lot.tokenId}/descendants`);
    expect(
      edges.map(({ from, to, kind, eventId, quantity, inputShare, outputShare }: Json) => [
        from,
        to,
        kind,
        eventId,
        quantity,
        inputShare,
        outputShare,
      ]),
    ).toEqual([
      [lot.tokenId, toMill, 'split', null, 3000, 0.375, 1],
      [lot.tokenId, toDist, 'split', null, 2000, 0.25, 1],
      [toMill, missing, 'split', null, 100, 0.033333, 1],
    ]);
    expect(nodes.find(({ tokenId }: Json) => tokenId === missing)).toMatchObject({ share: 0.0125, depth: 2 });
    const { nodes: back } = await get(`nfts/${missing}/ancestry`);
    expect(back.map(({ tokenId }: Json) => tokenId as number)).toEqual([missing, toMill, lot.tokenId]);
    const related = await get(`nfts/${toMill}/relations`);
    expect(
      [related['parents'], related['children'], related['siblings']].map((lots: Json[]) => lots.map(({ tokenId }) => tokenId as number)),
    ).toEqual([[lot.tokenId], [missing], [toDist]]);
  });

  it('passes its footprint on by quantity', async () => {
    const of = async (tokenId: number): Promise<{ total: number; onHand: number }> => {
      const { indicators } = await get(`nfts/${tokenId}/footprint`);
      const { total, onHand } = indicators.carbon;
      return { total: total as number, onHand: onHand as number };
    };
    const [whole, mill, dist, back] = await Promise.all([lot.tokenId, toMill, toDist, missing].map(of));
    expect(whole!.total).toBeGreaterThan(0);
    expect(whole!.onHand / whole!.total).toBeCloseTo(3 / 8, 6);
    expect(mill!.total / whole!.total).toBeCloseTo(3 / 8, 6);
    expect(mill!.onHand / whole!.total).toBeCloseTo(2.9 / 8, 6);
    expect(dist!.onHand / whole!.total).toBeCloseTo(2 / 8, 6);
    expect(back!.onHand / whole!.total).toBeCloseTo(0.1 / 8, 6);
  });

  it('is in stock with its holders, together as much as was harvested', async () => {
    const stock = async (company: Company): Promise<number> => {
      const { data } = await get(`nfts?tlc=${lot.tlc}&custodian=${company.address}`);
      return data.reduce((sum: number, { remainingQuantity }: Json) => sum + (remainingQuantity as number), 0);
    };
    expect(await Promise.all([trade.farmA, trade.mill, trade.dist].map(stock))).toEqual([3100, 2900, 2000]);
  });

  it('is used like any lot, and what is made of it is traced to the lot', async () => {
    const metadata = trade.metadataOf('RICE_DRYING');
    metadata['inputs'] = [{ tokenId: toMill, quantity: kg(2900) }];
    metadata['quantity'] = kg(2500);
    metadata['losses'] = [{ kind: 'moisture', quantity: kg(400) }];
    metadata['eventTime'] = '2026-11-04T08:00:00Z';
    const drying = await trade.land(
      trade.mill,
      trade.event(trade.mill, { processType: 'RICE_DRYING', inputTokenIds: [toMill], outputTlc: 'RD-20261104-P1', metadata }),
    );
    const dried = await trade.tokenOf(drying['outputTlc'] as string);
    const { nodes } = await get(`nfts/${dried}/ancestry`);
    expect(nodes.map(({ tokenId }: Json) => tokenId as number)).toEqual([dried, toMill, lot.tokenId]);
    const impact = await get(`nfts/${lot.tokenId}/recall-impact`);
    expect(impact['descendants'].map(({ tokenId, relation }: Json) => [tokenId, relation])).toEqual([
      [toMill, 'part'],
      [toDist, 'part'],
      [missing, 'part'],
      [dried, 'transformed'],
    ]);
    expect(impact['reconciliation'].total).toMatchObject({ producedKg: 8000, lossKg: 400, unaccountedKg: 0 });
  });

  it('is recalled as a whole from any of its parts', async () => {
    const { admin } = trade;
    const fromPart = await get(`nfts/${toDist}/recall-impact`);
    expect(fromPart['descendants'].map(({ tokenId, relation }: Json) => [tokenId, relation]).slice(0, 3)).toEqual([
      [lot.tokenId, 'part'],
      [toMill, 'part'],
      [missing, 'part'],
    ]);
    expect(new Set(fromPart['affectedActors'])).toEqual(new Set([trade.farmA.address, trade.mill.address, trade.dist.address]));
    const recall = await trade.recall(admin, toDist, { reason: 'Salmonella', recallClass: 'I', propagation: 'recall' });
    for (const preparedTx of recall['preparedTxs'] ?? [recall['preparedTx']]) await admin.land(preparedTx, 'test');
    const lots = await Promise.all([lot.tokenId, toDist, missing].map((tokenId) => trade.lot(tokenId)));
    expect(lots.map(({ recalled, status }) => [recalled, status])).toEqual([
      [true, 'recalled'],
      [true, 'recalled'],
      [true, 'recalled'],
    ]);
    expect(await codeOf(trade.custody(trade.farmA, { lots: [{ tokenId: lot.tokenId, quantity: kg(1) }], to: trade.mill.address }))).toBe(
      'lot_recalled',
    );
  });
});

describe('another quantity than was prepared', () => {
  const calls = new Interface(tenantLotsAbi);
  /** The prepared call with another first quantity, of the same event. */
  async function landAnother(company: Company, prepared: Json, quantity: bigint): Promise<Json> {
    const { data, ...tx } = prepared['preparedTx'] as PreparedTx;
    const call = calls.parseTransaction({ data })!;
    const args = call.fragment.inputs.map(({ name }, i) => (name === 'quantities' ? [quantity] : (call.args[i] as unknown)));
    await company.land({ ...tx, data: calls.encodeFunctionData(call.name, args), gasEstimate: 3_000_000 }, 'test');
    return get(`events/${prepared['eventId']}`);
  }

  it('is flagged in the event, which has what was signed', async () => {
    const { farmA, mill } = trade;
    const lot = await trade.harvest();
    const part = lot.tokenId + 1;
    const offer = await trade.custody(farmA, {
      lots: [{ tokenId: lot.tokenId, quantity: kg(3000) }],
      to: mill.address,
      processType: 'RICE_SHIPPING',
      metadata: metadataOf('RICE_SHIPPING', '2026-11-02T08:00:00Z'),
    });
    const shipped = await landAnother(farmA, offer, 4_000_000_000n);
    expect(shipped).toMatchObject({ calldataMismatch: true, inputTokenIds: [part] });
    const acceptance = await trade.custody(mill, {
      action: 'accept',
      lots: [{ tokenId: part, quantity: kg(3900) }],
      reason: 'damage',
      processType: 'RICE_RECEIVING',
      metadata: metadataOf('RICE_RECEIVING', '2026-11-03T08:00:00Z'),
    });
    const received = await landAnother(mill, acceptance, 3_000_000_000n);
    expect(received).toMatchObject({ calldataMismatch: true, inputTokenIds: [part] });
    expect(await partsOf(lot.tokenId, part, part + 1)).toEqual([
      [lot.tlc, 8000, 4000, 'farmA', 'active', null],
      [lot.tlc, 4000, 3000, 'mill', 'active', lot.tokenId],
      [lot.tlc, 1000, 1000, 'farmA', 'active', part],
    ]);
  });
});

describe('bags of one code at two companies', () => {
  it('have one passport, which shows the recall of any of them, and is retired with the last', async () => {
    const { admin, mill, dist } = trade;
    const { lot: dried } = await trade.dried();
    const milled = await trade.land(mill, trade.event(mill, trade.milling(dried)));
    const rice = { tokenId: await trade.tokenOf(milled['outputTlc'] as string), tlc: milled['outputTlc'] as string };
    await trade.land(mill, trade.event(mill, trade.packing(rice, 'RP269901', '2027-09-01')));
    const bags = await trade.tokenOf('RP269901');
    await trade.api.request('PATCH', '/api/v1/passport-settings', { enabled: true });
    const page = async (): Promise<Json> =>
      (await fetch(`${world.baseUrl}/01/09520123450014/10/RP269901`, { headers: { accept: 'application/json' } })).json() as Promise<Json>;
    const shown = (status: string): Promise<Json> =>
      eventually(`a passport that is ${status}`, async () => {
        const passport = await page();
        return passport['passportStatus'] === status && passport;
      });
    const { passportId } = await shown('active');

    await trade.land(mill, trade.custody(mill, { lots: [{ tokenId: bags, quantity: { value: 40, uom: 'H87' } }], to: dist.address }));
    await trade.land(dist, trade.custody(dist, { action: 'accept', tokenIds: [bags + 1] }));
    await trade.known(bags + 1);
    expect(await get(`nfts/${bags + 1}/passport`)).toMatchObject({ passportId, passportStatus: 'active' });

    await trade.land(admin, trade.recall(admin, bags + 1, { reason: 'Glass', recallClass: 'I', propagation: 'none' }));
    expect((await shown('recalled'))['recalls']).toMatchObject([{ reason: 'Glass' }]);
    await trade.land(admin, trade.api.post<Json>(`/api/v1/nfts/${bags + 1}/recall/lift/prepare`, { reason: 'none was found' }));
    await shown('active');

    const retire = (company: Company, tokenId: number): Promise<Json> =>
      trade.land(company, company.api.post<Json>(`/api/v1/nfts/${tokenId}/retire/prepare`, { reason: 'sold' }));
    await retire(mill, bags);
    expect(await get(`nfts/${bags}`)).toMatchObject({ status: 'retired' });
    expect(await get(`nfts/${bags + 1}/passport`)).toMatchObject({ passportStatus: 'active' });
    await retire(dist, bags + 1);
    await shown('retired');
  });
});
