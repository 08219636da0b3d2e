import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Goods, type Json, RiceTrade, codeOf } from './rice-trade.js';

describe('acknowledgements of a recall', () => {
  let world: World;
  let rice: RiceTrade;
  let root: Goods;
  let bought: number;
  let recallId: string;
  beforeAll(async () => {
    world = await World.start();
    rice = await RiceTrade.of(world);
    const { from, lot } = await rice.dried();
    root = from;
    bought = lot.tokenId;
    await rice.land(rice.admin, rice.recall(rice.admin, from.tokenId, { reason: 'Glass in the hopper' }));
    const { data } = await rice.api.get<{ data: Json[] }>('/api/v1/recalls');
    recallId = data[0]!['id'] as string;
  });
  afterAll(() => world?.close());

  const path = (id = recallId): string => `/api/v1/recalls/${id}/acknowledgements`;
  const state = (id?: string): Promise<Json> => rice.api.get<Json>(path(id));
  const acknowledge = (company: Company, ...lots: object[]): Promise<Json> => company.api.post<Json>(path(), { lots });

  it('are asked of the holders of what is left of it, and not of what was used up', async () => {
    expect(await state()).toMatchObject({
      recallId,
      drill: false,
      lots: 1,
      truncated: false,
      states: { missing: 1, quarantined: 0 },
      holders: [{ address: rice.mill.address, lots: 1, acknowledged: 0, short: 0, held: { KGM: '7000' } }],
      data: [
        { tokenId: bought, custodian: rice.mill.address, state: null, quantity: null, held: { value: '7000', uom: 'KGM' }, short: false },
      ],
    });
    expect(await rice.api.get(`/api/v1/recalls/${recallId}`)).toMatchObject({ acknowledgedCount: 0 });
  });

  it('are refused of others, of other lots, and of more than there is', async () => {
    const found = { tokenId: bought, state: 'quarantined' };
    expect(await codeOf(acknowledge(rice.dist, found))).toBe('not_the_holder');
    expect(await codeOf(acknowledge(rice.admin, found))).toBe('not_the_holder');
    expect(await codeOf(acknowledge(rice.mill, { tokenId: root.tokenId, state: 'destroyed' }, found, found))).toBe(
      'not_in_recall,duplicate',
    );
    const some = (value: string, uom: string) => acknowledge(rice.mill, { ...found, quantity: { value, uom } });
    expect(await codeOf(some('7000.1', 'KGM'))).toBe('more_than_there_is');
    expect(await codeOf(some('7.1', 'TNE'))).toBe('more_than_there_is');
    expect(await codeOf(some('1', 'LTR'))).toBe('unit_mismatch');
    expect(await codeOf(some('0', 'KGM'))).toBe('invalid_quantity');
    expect(await codeOf(some('-1', 'KGM'))).toBe('wrong_format');
    expect(await codeOf(acknowledge(rice.mill, { ...found, state: 'eaten' }))).toBe('not_allowed');
    expect(await codeOf(rice.mill.api.post(path('nonsense'), { lots: [found] }))).toBe('404 recall_not_found');
    expect((await state())['states']).toMatchObject({ missing: 1 });
  });

  it('count with the last answer of the present holder, and are published each time that it is another', async () => {
    const quarantined = { tokenId: bought, state: 'quarantined', quantity: { value: '6.5', uom: 'TNE' } };
    expect(await acknowledge(rice.mill, quarantined)).toEqual({ changed: 1 });
    expect(await acknowledge(rice.mill, { ...quarantined, quantity: { value: '6.500', uom: 'TNE' } })).toEqual({ changed: 0 });
    expect(await state()).toMatchObject({
      states: { missing: 0, quarantined: 1 },
      holders: [{ acknowledged: 1, short: 1 }],
      data: [{ state: 'quarantined', quantity: { value: '6.5', uom: 'TNE' }, short: true, acknowledgedAt: expect.any(String) }],
    });
    await acknowledge(rice.mill, { tokenId: bought, state: 'destroyed' });
    expect(await state()).toMatchObject({
      states: { quarantined: 0, destroyed: 1 },
      holders: [{ acknowledged: 1, short: 0 }],
      data: [{ short: false }],
    });
    expect(await rice.api.get(`/api/v1/recalls/${recallId}`)).toMatchObject({ acknowledgedCount: 1 });
    expect(await rice.api.get(`/api/v1/nfts/${root.tokenId}/recall-impact`)).toMatchObject({ acknowledgedCount: 1 });
    const feed = await eventually('both changes', async () => {
      const { data } = await rice.mill.api.changes.list({ topics: 'recall.acknowledged' });
      return data.length >= 2 && data;
    });
    expect(feed.map(({ data }) => data)).toMatchObject([
      { recallId, drill: false, tokenId: bought, state: 'quarantined', quantity: '6.5', uom: 'TNE', holder: rice.mill.address },
      { state: 'destroyed', quantity: null },
    ]);
  });

  it('change as often as a holder needs, and not without end', async () => {
    const say = (i: number): Promise<unknown> =>
      codeOf(acknowledge(rice.mill, { tokenId: bought, state: i % 2 ? 'returned' : 'quarantined' }));
    const answers: unknown[] = [];
    // Two were given before.
    for (let i = 0; i < 49; i++) answers.push(await say(i));
    expect(answers.at(-1)).toBe('too_many_answers');
    expect((await state())['data']).toMatchObject([{ state: 'returned' }]);
    // The same again is no other answer.
    expect(await acknowledge(rice.mill, { tokenId: bought, state: 'returned' })).toEqual({ changed: 0 });
  });

  it('can be practised in a drill, which asks the holders too', async () => {
    const silent = await rice.api.post<Json>('/api/v1/recall/drills', { tokenId: bought });
    expect(await codeOf(state(silent['id'] as string))).toBe('404 recall_not_found');
    const { id, asks } = await rice.api.post<Json>('/api/v1/recall/drills', { tokenId: bought, ask: true });
    expect(asks).toBe(true);
    await rice.mill.api.post(path(id as string), { lots: [{ tokenId: bought, state: 'not_found' }] });
    expect(await state(id as string)).toMatchObject({ drill: true, states: { missing: 0, not_found: 1 } });
  });

  it('end when all of its lots are lifted', async () => {
    await rice.land(rice.admin, rice.admin.api.post<Json>(`/api/v1/nfts/${root.tokenId}/recall/lift/prepare`, { reason: 'Found nothing' }));
    expect(await codeOf(acknowledge(rice.mill, { tokenId: bought, state: 'returned' }))).toBe('409 recall_is_over');
    // What was answered stays, with who lifted it and why.
    expect(await state()).toMatchObject({
      lots: 1,
      states: { returned: 1, missing: 0 },
      holders: [{ address: rice.mill.address, lots: 1, acknowledged: 1 }],
      data: [{ tokenId: bought, custodian: rice.mill.address, state: 'returned' }],
    });
    expect(await rice.api.get(`/api/v1/recalls/${recallId}`)).toMatchObject({
      open: false,
      acknowledgedCount: 1,
      lots: [{ liftedBy: rice.admin.address, liftReason: 'Found nothing' }],
    });
    const { lot: later } = await rice.dried();
    await rice.land(rice.admin, rice.recall(rice.admin, later.tokenId, { reason: 'Nobody answers' }));
    const { data } = await rice.api.get<{ data: Json[] }>('/api/v1/recalls?open=true');
    await rice.land(rice.admin, rice.admin.api.post<Json>(`/api/v1/nfts/${later.tokenId}/recall/lift/prepare`, { reason: 'A mistake' }));
    expect(await state(data[0]!['id'] as string)).toMatchObject({ lots: 0, holders: [], data: [] });
  });
});
