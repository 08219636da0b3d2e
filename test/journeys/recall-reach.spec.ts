import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade, codeOf } from './rice-trade.js';

let world: World;
let rice: RiceTrade;
beforeAll(async () => {
  world = await World.start();
  rice = await RiceTrade.of(world);
});
afterAll(() => world?.close());

const said = { reason: 'Glass in the hopper', recallClass: 'II', depth: 'retail' };
const recall = (tokenId: number, body: object = {}): Promise<Json> => rice.recall(rice.admin, tokenId, { ...said, ...body });
const impactOf = (tokenId: number, query = ''): Promise<Json> => rice.api.get(`/api/v1/nfts/${tokenId}/recall-impact${query}`);
const newest = async (): Promise<Json> => (await rice.api.get<{ data: Json[] }>('/api/v1/recalls')).data[0]!;
const stateOf = async (tokenId: number): Promise<Json> => {
  const { status, recalled, recallAffected, onHold } = await rice.lot(tokenId);
  return { status, recalled, recallAffected, onHold };
};

it('selects no lot for a drill when there is none', async () => {
  expect(await codeOf(rice.api.post('/api/v1/recall/drills', {}))).toBe('409 nothing_to_draw');
});

it('selects an existing lot for a drill: no consumed lot and no container', async () => {
  const drawn = async (): Promise<unknown[]> => {
    const drills: Json[] = [];
    for (let i = 0; i < 8; i++) drills.push(await rice.api.post<Json>('/api/v1/recall/drills', {}));
    return [...new Set(drills.map(({ tokenId }) => tokenId as number))];
  };
  const [used] = (await rice.make([], 1)) as [number];
  const [lot] = (await rice.make([used], 1)) as [number];
  expect(await drawn()).toEqual([lot]);
  await rice.make([lot], 1, 1);
  expect(await drawn()).toEqual([lot]);
});

describe('a recall of more lots than one transaction takes', () => {
  let root: number;
  let reached: number[];
  beforeAll(async () => {
    [root] = (await rice.make([], 1)) as [number];
    const halves = await rice.make([root], 3);
    reached = [...halves];
    for (const half of halves) reached.push(...(await rice.make([half], 180)));
  });

  it('is prepared as several transactions, and continues with the rest after some of them landed', async () => {
    const first = await recall(root, { propagation: 'recall' });
    // The three in between are used up; their goods live on in what was made of them.
    expect(first['metadata']).toMatchObject({ method: 'recallMany', affectedCount: 543, truncated: false });
    expect(first['metadata']['tokenIds']).toEqual([root, ...reached.slice(3)]);
    expect(first['preparedTxs']).toHaveLength(2);
    expect(first['preparedTxs'][0]).toEqual(first['preparedTx']);

    // The second of them lands, the first gets lost.
    await rice.admin.land(first['preparedTxs'][1], 'test');
    expect(await stateOf(reached.at(-1)!)).toMatchObject({ status: 'recalled' });
    expect(await stateOf(reached[3]!)).toMatchObject({ status: 'active', recalled: false, recallAffected: false });
    const rest = await recall(root, { propagation: 'recall' });
    expect(rest['preparedTxs']).toBeUndefined();
    expect(rest['metadata']['tokenIds']).toEqual((first['metadata']['tokenIds'] as number[]).slice(0, 500));

    // Somebody sends both: what is recalled already is passed over, and nothing is recalled twice.
    await rice.admin.land(rest['preparedTx'], 'test');
    await rice.admin.land(first['preparedTx'], 'test');
    const { descendants } = await impactOf(root);
    expect((descendants as Json[]).filter(({ recalled }) => !recalled).map(({ tokenId }) => tokenId as number)).toEqual(
      reached.slice(0, 3),
    );
    expect(await codeOf(recall(root, { propagation: 'recall' }))).toBe('409 already_recalled');
    const { data } = await rice.api.get<{ data: Json[] }>('/api/v1/recalls');
    expect(data.map(({ lots }) => (lots as Json[]).length)).toEqual([500, 41]);
  });

  it('is lifted completely, in several transactions', async () => {
    const lift = await rice.api.post<Json>(`/api/v1/nfts/${root}/recall/lift/prepare`, { reason: 'It was plastic', scope: 'recall' });
    expect(lift['preparedTxs']).toHaveLength(5);
    for (const prepared of lift['preparedTxs'] as Json[]) await rice.admin.land(prepared as never, 'test');
    expect(await stateOf(root)).toMatchObject({ status: 'consumed', recalled: false });
    expect(await stateOf(reached[3]!)).toMatchObject({ status: 'active', recalled: false, recallAffected: false });
    // The lots of the other transaction are recalled.
    expect(await stateOf(reached.at(-1)!)).toMatchObject({ status: 'recalled' });
  });
});

describe('a recall that reaches more lots than the largest walk', () => {
  let root: number;
  beforeAll(async () => {
    [root] = (await rice.make([], 1)) as [number];
    // The contract numbers lots in the order they land, and nobody else is at work.
    let last = '';
    for (let depth = 0; depth < 201; depth++) last = await rice.send([root + depth], 1);
    await rice.known((await rice.made(last))[0]!);
  });

  it('is refused with propagation, naming where it was cut, and possible without', async () => {
    const refused = await recall(root, { propagation: 'recall' }).then(
      () => ({}),
      ({ status, body }: { status: number; body: Json }) => ({ status, ...body }),
    );
    expect(refused).toMatchObject({ status: 422, code: 'reach_incomplete', truncatedBy: 'maxDepth', frontier: [root + 200] });
    const flag = await recall(root);
    expect(flag['metadata']).toMatchObject({ tokenIds: [root], affectedCount: 200, truncated: true });
  });

  it('is marked as truncated in the impact and the webhook, which then has no number of units', async () => {
    const [page, next] = await pages(root);
    expect(page).toMatchObject({ truncated: true, truncatedBy: 'maxDepth', frontier: [root + 50], estimatedUnits: null });
    expect((next!['descendants'] as Json[])[0]).toMatchObject({ tokenId: root + 51, depth: 51 });
    const { id } = await rice.api.webhooks.create(world.sink.url('/deep'), ['nft.recalled']);
    await rice.land(rice.admin, recall(root));
    const [delivery] = await world.sink.received('/deep', 1);
    expect((JSON.parse(delivery!.body.toString()) as Json)['data']).toMatchObject({
      tokenId: root,
      affectedCount: 50,
      affectedTruncated: true,
      estimatedUnits: null,
    });
    // What is affected has no bound: the set that is kept is whole.
    expect(await newest()).toMatchObject({ affectedCount: 201, affectedWhenPrepared: 200 });
    expect(await stateOf(root + 201)).toMatchObject({ recallAffected: true });
    await rice.api.webhooks.delete(id);
  });

  async function pages(tokenId: number): Promise<Json[]> {
    const first = await impactOf(tokenId);
    return [first, await impactOf(tokenId, `?cursor=${first['nextCursor']}`)];
  }
});

describe('an impact of more pages than one walk may pass over', () => {
  it('ends without a cursor, and still says that there is more', async () => {
    const [root] = (await rice.make([], 1)) as [number];
    // Lots are walked past again for each page: with pages of 25, a thousand of them.
    for (const part of await rice.make([root], 6)) await rice.make([part], 180);
    const wide = await impactOf(root, '?maxNodes=975');
    expect(wide).toMatchObject({ truncated: true, nextCursor: expect.any(String) });
    const last = await impactOf(root, `?maxNodes=25&cursor=${wide['nextCursor']}`);
    expect(last['descendants']).toHaveLength(25);
    expect(last).toMatchObject({ truncated: true, truncatedBy: 'maxNodes', nextCursor: null });
    // A wider page goes on.
    const rest = await impactOf(root, `?maxNodes=1000&cursor=${wide['nextCursor']}`);
    expect(rest['descendants']).toHaveLength(6 + 6 * 180 - 975);
    expect(rest).toMatchObject({ truncated: false, nextCursor: null });
  });
});

describe('a recall that holds what it affects', () => {
  it('also holds lots that are minted later, until it is released', async () => {
    const { from, lot } = await rice.dried();
    const [before, after] = [rice.milling(lot), rice.milling(lot)];
    // Both were prepared while the lot was free: a hold binds what is prepared, not what was signed.
    const [first, second] = [await rice.event(rice.mill, before), await rice.event(rice.mill, after)];
    await rice.land(rice.admin, recall(from.tokenId, { propagation: 'hold' }));
    expect(await stateOf(lot.tokenId)).toEqual({ status: 'on_hold', recalled: false, recallAffected: true, onHold: true });
    expect(await codeOf(rice.event(rice.mill, rice.milling(lot)))).toBe('lot_on_hold');

    await rice.land(rice.mill, first);
    const milled = await rice.tokenOf(before['outputTlc'] as string);
    expect(await stateOf(milled)).toEqual({ status: 'on_hold', recalled: false, recallAffected: true, onHold: true });
    expect(await codeOf(rice.custody(rice.mill, { tokenId: milled, to: rice.dist.address }))).toBe('lot_on_hold');

    const { id } = await newest();
    expect(await rice.api.post(`/api/v1/recalls/${id}/release`)).toEqual({ released: 3 });
    expect(await rice.api.post(`/api/v1/recalls/${id}/release`)).toEqual({ released: 0 });
    await rice.land(rice.mill, second);
    const free = await rice.tokenOf(after['outputTlc'] as string);
    expect(await stateOf(free)).toEqual({ status: 'active', recalled: false, recallAffected: true, onHold: false });
  });

  it('releases a lot that quality holds too only when both holds are released', async () => {
    const { from, lot } = await rice.dried();
    await rice.api.post(`/api/v1/nfts/${lot.tokenId}/hold`, { reason: 'Lab result due' });
    await rice.land(rice.admin, recall(from.tokenId, { propagation: 'hold' }));
    const lift = rice.api.post<Json>(`/api/v1/nfts/${from.tokenId}/recall/lift/prepare`, { reason: 'Wrong lot' });
    await rice.land(rice.admin, lift);
    expect(await stateOf(lot.tokenId)).toMatchObject({ status: 'on_hold', recallAffected: false });
    await rice.api.post(`/api/v1/nfts/${lot.tokenId}/release`);
    expect(await stateOf(lot.tokenId)).toMatchObject({ status: 'active' });
  });
});

describe('a recall with propagation `none`', () => {
  it('marks no affected lot, also none that is minted later, and still reports its reach', async () => {
    const { from, lot } = await rice.dried();
    const alone = { status: 'active', recalled: false, recallAffected: false, onHold: false };
    await rice.land(rice.admin, recall(from.tokenId, { propagation: 'none' }));
    expect(await stateOf(from.tokenId)).toMatchObject({ status: 'recalled', recalled: true });
    expect(await stateOf(lot.tokenId)).toEqual(alone);

    const milling = rice.milling(lot);
    const { valid, issues } = await rice.mill.api.post<{ valid: boolean; issues: Json[] }>('/api/v1/events/validate', milling);
    expect([valid, issues.map(({ code }) => code as string)]).toEqual([true, expect.not.arrayContaining(['recall_affected'])]);
    await rice.land(rice.mill, rice.event(rice.mill, milling));
    const milled = await Promise.all(['', 'B'].map((by) => rice.tokenOf(`${milling['outputTlc']}${by}`)));
    for (const tokenId of milled) expect(await stateOf(tokenId)).toEqual(alone);

    const { descendants } = await impactOf(from.tokenId);
    expect((descendants as Json[]).map(({ tokenId, recallAffected }) => [tokenId, recallAffected])).toEqual(
      [lot.tokenId, ...milled].map((tokenId) => [tokenId, false]),
    );
    expect(await newest()).toMatchObject({ propagation: 'none', affectedCount: 3, affectedWhenPrepared: 1 });

    await rice.land(rice.admin, rice.api.post<Json>(`/api/v1/nfts/${from.tokenId}/recall/lift/prepare`, { reason: 'It is worse' }));
    expect(await newest()).toMatchObject({ open: false, affectedCount: 0 });
    await rice.land(rice.admin, recall(from.tokenId));
    for (const tokenId of milled) expect(await stateOf(tokenId)).toEqual({ ...alone, recallAffected: true });
  });
});

describe('a recall of unrelated lots', () => {
  it('affects the lots that each of them affects, once', async () => {
    const roots = await rice.make([], 2);
    const mixed = await rice.make(roots, 3);
    await rice.land(rice.admin, rice.call(rice.admin, { method: 'recallMany', inputTokenIds: roots, metadata: { reason: 'Both' } }));
    expect(await newest()).toMatchObject({ reason: 'Both', affectedCount: 3, affectedWhenPrepared: null, lots: [{}, {}] });
    expect(await stateOf(mixed[0]!)).toMatchObject({ recallAffected: true });
  });
});

describe('goods that were sold in part', () => {
  it('count with the rest of their lot, and alone when nothing is left', async () => {
    const { lot } = await rice.dried();
    const milling = rice.milling(lot);
    await rice.land(rice.mill, rice.event(rice.mill, milling));
    const tlc = milling['outputTlc'] as string;
    const milled = await rice.tokenOf(tlc);
    await rice.land(rice.mill, rice.event(rice.mill, rice.packing({ tokenId: milled, tlc }, 'RP-SOLD-1', '2027-11-05')));
    const bags = await rice.tokenOf('RP-SOLD-1');
    const approve = (ok: boolean): Promise<Json> =>
      rice.land(rice.mill, rice.call(rice.mill, { method: 'setApprovalForAll', metadata: { args: { operator: rice.admin.address, ok } } }));
    await approve(true);
    const retire = (tokenId: number, body: object): Promise<Json> =>
      rice.land(rice.admin, rice.api.post<Json>(`/api/v1/nfts/${tokenId}/retire/prepare`, body));
    const counted = async (tokenId: number, query = ''): Promise<Json> => {
      const { estimatedUnits, quantities, asOf, reconciliation } = await impactOf(tokenId, query);
      return { estimatedUnits, quantities, block: asOf.block, accounted: reconciliation.total.accountedPercent };
    };

    const before = await counted(bags);
    expect(before).toMatchObject({ estimatedUnits: 100, quantities: { H87: 100 }, accounted: 100 });
    await retire(bags, { reason: 'sold', quantity: { value: 60, uom: 'H87' } });
    expect(await rice.lot(bags)).toMatchObject({ status: 'active', remainingQuantity: 40 });
    const sold = await counted(bags);
    expect(sold).toMatchObject({ estimatedUnits: 100, quantities: { H87: 100 }, accounted: 100 });
    await retire(bags, { reason: 'disposed', quantity: { value: 10, uom: 'H87' } });
    expect(await counted(bags)).toMatchObject({ estimatedUnits: 90, quantities: { H87: 90 }, accounted: 100 });
    await retire(bags, { reason: 'destroyed' });
    expect(await counted(bags)).toMatchObject({ estimatedUnits: 60, quantities: { H87: 60 }, accounted: 100 });
    expect(await counted(bags, `?asOf=${sold['block']}`)).toEqual(sold);

    // The rest of the milled rice leaves in two parts, one of which reaches nobody; the packing used the others.
    await retire(milled, { reason: 'exported', quantity: { value: 100, uom: 'KGM' } });
    await retire(milled, { reason: 'sampled' });
    expect(await counted(milled)).toMatchObject({ quantities: { H87: 60, KGM: 100 }, accounted: 100 });
    expect((await recall(bags))['metadata']).toMatchObject({ estimatedUnits: 60 });
    await approve(false);
  });
});

describe("what a tenant's rules refuse", () => {
  const rules = (change: object): Promise<Json> => rice.api.request('PATCH', '/api/v1/rules', change);
  const validate = (body: object): Promise<Json> => rice.mill.api.post('/api/v1/events/validate', body);
  const found = (code: string, severity: string) => ({
    issues: expect.arrayContaining([expect.objectContaining({ pointer: '/inputTokenIds/0', code, severity })]),
  });

  it('is an affected input, and one past its date; elsewhere both are warnings', async () => {
    const { from, lot } = await rice.dried();
    const milling = rice.milling(lot);
    await rice.land(rice.mill, rice.event(rice.mill, milling));
    const bulk = { tokenId: await rice.tokenOf(milling['outputTlc'] as string), tlc: milling['outputTlc'] as string };
    await rice.land(rice.mill, rice.event(rice.mill, rice.packing(bulk, 'RP-OLD-1', '2026-11-05')));
    const pallet = {
      processType: 'RICE_PALLETIZING',
      inputTokenIds: [await rice.tokenOf('RP-OLD-1')],
      outputTlc: '095200000000000998',
      metadata: { ...rice.metadataOf('RICE_PALLETIZING'), sscc: '095200000000000998', eventTime: '2026-11-20T09:00:00Z' },
    };
    await rice.land(rice.admin, recall(from.tokenId));

    expect(await rice.api.get('/api/v1/rules')).toEqual({ blockExpired: false, blockRecallAffected: false, contents: 'sealed' });
    expect(await validate(rice.milling(lot))).toMatchObject({ valid: true, ...found('recall_affected', 'warning') });
    expect(await validate(pallet)).toMatchObject(found('input_expired', 'warning'));

    expect(await codeOf(rice.mill.api.request('PATCH', '/api/v1/rules', { blockExpired: true }))).toBe('403 role_required');
    expect(await codeOf(rules({ blockExpired: 'yes' }))).toBe('wrong_type');
    expect(await rules({ blockRecallAffected: true })).toMatchObject({ blockExpired: false, blockRecallAffected: true });
    expect(await validate(rice.milling(lot))).toMatchObject({ valid: false, ...found('recall_affected', 'error') });
    expect(await codeOf(rice.event(rice.mill, rice.milling(lot)))).toBe('recall_affected');
    expect(await rules({ blockExpired: true })).toMatchObject({ blockExpired: true, blockRecallAffected: true });
    expect(await validate(pallet)).toMatchObject({ valid: false, ...found('input_expired', 'error') });
    expect(await rules({})).toMatchObject({ blockExpired: true, blockRecallAffected: true });
    const { data } = await rice.api.get<{ data: Json[] }>('/api/v1/audit?limit=2');
    expect(data.map(({ action }) => action as string)).toEqual(['rules.changed', 'rules.changed']);
    await rules({ blockExpired: false, blockRecallAffected: false });
  });
});

describe('containers in containers', () => {
  it('move with their contents; a recalled lot in them stops them, but does not affect them', async () => {
    const bags = await rice.make([], 3);
    const [carton] = (await rice.make(bags.slice(0, 2), 1, 1)) as [number];
    const [pallet] = (await rice.make([bags[2]!, carton], 1, 1)) as [number];
    const custodians = async (): Promise<string[]> =>
      Promise.all([...bags, carton, pallet].map(async (tokenId) => (await rice.lot(tokenId))['custodian'] as string));

    // A part of a container cannot be offered, and an offer of it is an offer of all of it.
    expect(await codeOf(rice.custody(rice.mill, { tokenId: carton, to: rice.dist.address }))).toBe('lot_contained');
    expect(await codeOf(rice.custody(rice.mill, { tokenId: bags[0], to: rice.dist.address }))).toBe('lot_contained');
    await rice.handOver([pallet], rice.mill, rice.dist);
    expect(new Set(await custodians())).toEqual(new Set([rice.dist.address]));
    const via = async (tokenId: number): Promise<Json> =>
      (await rice.api.get<{ data: Json[] }>(`/api/v1/nfts/${tokenId}/custody`)).data.at(-1)!;
    expect(await via(bags[0]!)).toMatchObject({ status: 'accepted', viaContainerTokenId: carton, to: rice.dist.address });
    expect(await via(bags[2]!)).toMatchObject({ status: 'accepted', viaContainerTokenId: pallet });
    expect(await via(carton)).toMatchObject({ status: 'accepted', viaContainerTokenId: pallet });

    await rice.land(rice.admin, recall(bags[0]!));
    const impact = await impactOf(bags[0]!);
    expect(impact).toMatchObject({
      descendants: [],
      containers: [
        { tokenId: carton, depth: 1 },
        { tokenId: pallet, depth: 2 },
      ],
    });
    expect(await stateOf(bags[1]!)).toMatchObject({ status: 'aggregated', recalled: false, recallAffected: false });
    for (const container of [carton, pallet]) expect(await rice.lot(container)).toMatchObject({ holdsRecalled: true, recalled: false });
    expect(await codeOf(rice.custody(rice.dist, { tokenId: pallet, to: rice.mill.address }))).toBe('lot_recalled');
    expect(await codeOf(rice.api.post(`/api/v1/nfts/${pallet}/retire/prepare`, { reason: 'sold' }))).toBe('lot_recalled');
  });

  it('recall their contents too when they are recalled', async () => {
    const bags = await rice.make([], 3);
    const [carton] = (await rice.make(bags.slice(0, 2), 1, 1)) as [number];
    const [pallet] = (await rice.make([bags[2]!, carton], 1, 1)) as [number];
    const { descendants } = await impactOf(pallet);
    expect((descendants as Json[]).map(({ tokenId, relation, depth }) => [tokenId, relation, depth])).toEqual([
      [bags[2], 'contained', 1],
      [carton, 'contained', 1],
      [bags[0], 'contained', 2],
      [bags[1], 'contained', 2],
    ]);
    const { metadata, preparedTx } = await recall(pallet, { propagation: 'recall' });
    expect(metadata['tokenIds']).toEqual([pallet, bags[2], carton, bags[0], bags[1]]);
    await rice.admin.land(preparedTx, 'test');
    for (const tokenId of [...bags, carton, pallet]) expect(await rice.lot(tokenId)).toMatchObject({ recalled: true });
  });
});

describe('a lot whose mint is not final', () => {
  it('is neither recalled, retired nor handed over until it is', async () => {
    await world.stop();
    await world.startAgain(undefined, { CHAIN_CONFIRMATIONS: '4' });
    const [tokenId] = (await rice.made(await rice.send([], 1))) as [number];
    await eventually('the lot, not final', async () => (await rice.lot(tokenId).catch(() => null))?.['confirmed'] === false);
    const asked = async (): Promise<string[]> => [
      await codeOf(recall(tokenId)),
      await codeOf(rice.api.post(`/api/v1/nfts/${tokenId}/retire/prepare`, { reason: 'lost' })),
      await codeOf(rice.custody(rice.mill, { tokenId, to: rice.dist.address })),
    ];
    expect(await asked()).toEqual(['409 input_not_final', '409 input_not_final', '409 input_not_final']);
    for (let block = 0; block < 4; block++) await rice.send([], 1);
    await rice.known(tokenId);
    // The administrator may not retire what the mill holds: that is the chain's word now, no longer the number's.
    expect(await asked()).toEqual(['taken', '422 not_custodian', 'taken']);
  });
});
