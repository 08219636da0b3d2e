import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../harness/world.js';
import { type Goods, type Json, RiceTrade, codeOf } from './rice-trade.js';

describe('what holders and auditors need to know about a recall', () => {
  let world: World;
  let rice: RiceTrade;
  let from: Goods;
  let lot: Goods;
  let other: Goods;
  beforeAll(async () => {
    world = await World.start();
    rice = await RiceTrade.of(world);
    ({ from, lot } = await rice.dried());
    other = await rice.harvest();
    await rice.land(rice.admin, rice.recall(rice.admin, from.tokenId, { reason: 'Glass in the hopper', instructions: 'Call us' }));
  });
  afterAll(() => world?.close());

  const recalls = async (query: string): Promise<(string | null)[]> =>
    (await rice.api.get<{ data: Json[] }>(`/api/v1/recalls?${query}`)).data.map(({ reason }) => reason as string | null);

  it('is found by a lot that it recalls or affects, and by who holds one', async () => {
    expect(await recalls(`tokenId=${from.tokenId}`)).toEqual(['Glass in the hopper']);
    expect(await recalls(`tokenId=${lot.tokenId}`)).toEqual(['Glass in the hopper']);
    expect(await recalls(`tokenId=${other.tokenId}`)).toEqual([]);
    expect(await recalls(`holder=${rice.mill.address.toLowerCase()}&open=true`)).toEqual(['Glass in the hopper']);
    expect(await recalls(`holder=${rice.farmA.address}`)).toEqual([]);
    expect(await recalls(`holder=${rice.mill.address}&tokenId=${lot.tokenId}`)).toEqual(['Glass in the hopper']);
    expect(await recalls(`holder=${rice.farmA.address}&tokenId=${lot.tokenId}`)).toEqual([]);
    expect(await codeOf(recalls('holder=mill'))).toBe('wrong_format');
    expect(await codeOf(recalls('tokenId=0'))).toMatch(/^400|out_of_range|wrong|invalid|minimum/);
  });

  it('is a PDF for the auditor', async () => {
    const { data } = await rice.api.get<{ data: Json[] }>('/api/v1/recalls');
    const id = data[0]!['id'] as string;
    const file = await rice.api.download(`/api/v1/recalls/${id}/report.pdf`);
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(bytes.length).toBeGreaterThan(5_000);
    expect(await codeOf(rice.api.download('/api/v1/recalls/nonsense/report.pdf'))).toBe('404 recall_not_found');
  });

  it('leaves the list of a lot and of a holder when it is lifted', async () => {
    await rice.land(
      rice.admin,
      rice.admin.api.post(`/api/v1/nfts/${from.tokenId}/recall/lift/prepare`, { reason: 'No glass', scope: 'recall' }),
    );
    expect(await recalls(`tokenId=${lot.tokenId}`)).toEqual([]);
    expect(await recalls(`holder=${rice.mill.address}`)).toEqual([]);
    expect(await recalls('open=false')).toEqual(['Glass in the hopper']);
  });
});

describe('the offers of an organisation', () => {
  it('say who gives what and how much of it', async () => {
    const world = await World.start();
    try {
      const rice = await RiceTrade.of(world);
      const { tokenId, tlc } = await rice.harvest();
      await rice.land(rice.farmA, rice.custody(rice.farmA, { action: 'offer', tokenIds: [tokenId], to: rice.mill.address }));
      const { orgId } = world.tenant('rice').actors['mill']!;
      const { data } = await rice.api.get<{ data: Json[] }>(`/api/v1/custody/org/${orgId}/offers?direction=in`);
      expect(data).toEqual([
        expect.objectContaining({
          tokenId,
          tlc,
          fromLabel: 'Example Farm A',
          toLabel: 'Example Mill',
          assetType: 'RICE_PADDY_WET',
          assetTypeName: 'Paddy, as harvested',
          uom: 'KGM',
          status: 'pending',
        }),
      ]);
      expect(data[0]!['remainingQuantity']).toBeGreaterThan(0);
    } finally {
      await world.close();
    }
  });
});
