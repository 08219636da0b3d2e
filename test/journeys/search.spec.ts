import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TraceabilityClient } from '#client';
import { World } from '../harness/world.js';
import { type Json, RiceTrade, codeOf } from './rice-trade.js';

describe('a search by anything', () => {
  let world: World;
  let rice: RiceTrade;
  beforeAll(async () => {
    world = await World.start();
    await world.play('rice');
    rice = await RiceTrade.of(world);
  });
  afterAll(() => world?.close());

  const find = (q: string, api: TraceabilityClient = rice.api, limit = 20): Promise<Json> =>
    api.get<Json>(`/api/v1/search?q=${encodeURIComponent(q)}&limit=${limit}`);
  const lots = (found: Json): string[] => (found['lots'] as Json[]).map(({ tlc, foundBy }) => `${tlc} ${foundBy}`);

  it.each([
    ['its code in small letters', 'rp262641', 'text', 'RP262641 code'],
    ['the beginning of it', ' RP26 ', 'text', 'RP262641 code'],
    ['its Digital Link', 'https://id.gs1.org/01/09520123450014/10/RP262641', 'digital_link', 'RP262641 key'],
    [
      'a Digital Link of another host, with more',
      'https://rice.example/x/01/09520123450014/10/RP262641?17=280321',
      'digital_link',
      'RP262641 key',
    ],
    ['the text below a bar code', '(01)09520123450014(17)280321(10)RP262641', 'element_string', 'RP262641 key'],
    ['what a scanner reads', ']d201095201234500141728032110RP262641', 'element_string', 'RP262641 key'],
    ['an SSCC with spaces', '0952 0000 0000 0000 11', 'sscc', '095200000000000011 key'],
    ['its GTIN', '9520123450014', 'gtin', 'RP262641 product'],
    ['the link of its product', 'https://id.gs1.org/01/09520123450014', 'gtin', 'RP262641 product'],
  ])('finds a lot by %s', async (_, q, readAs, first) => {
    const found = await find(q);
    expect([found['readAs'], lots(found)[0]]).toEqual([readAs, first]);
  });

  it('finds a code in capitals and small letters, however it is typed', async () => {
    const rename = (to: string, tlc: string): Promise<unknown> =>
      world.database.unitOfWork.asSystem((tx) => tx.sql('update traceability.lot set tlc = $1 where tlc = $2', [to, tlc]));
    await rename('Rp262641x', 'RP262641');
    for (const typed of ['rp262641X', 'RP262641X', 'Rp262641x', 'rP26264'])
      expect([typed, lots(await find(typed))[0]]).toEqual([typed, 'Rp262641x code']);
    await rename('RP262641', 'Rp262641x');
  });

  it('finds products and companies by a part of their names, with what they have and hold', async () => {
    const bran = await find('BRAN');
    expect(bran['products']).toEqual([expect.objectContaining({ assetType: 'RICE_BRAN', name: 'Rice bran' })]);
    expect(lots(bran)).toEqual([expect.stringMatching(/ product$/)]);
    const distributor = await find('distrib');
    expect(distributor['companies']).toEqual([expect.objectContaining({ name: 'Example Distributor', wallets: [rice.dist.address] })]);
    expect(lots(distributor)).toContain('RP262641 holder');
    expect((await find(rice.dist.address.toLowerCase()))['companies']).toHaveLength(1);
    const [bag] = (await find('RP262641'))['lots'] as Json[];
    expect(bag).toMatchObject({
      assetTypeName: 'Milled rice, 5 kg bag',
      gtin: '09520123450014',
      custodianLabel: 'Example Distributor',
      remainingQuantity: 1400,
      uom: 'H87',
      recalled: false,
    });
  });

  it('finds documents by a part of their number, for those who may read them', async () => {
    const { documents } = await find('bl-26');
    expect(documents).toEqual([expect.objectContaining({ type: 'BATCH_LOG', number: 'BL-26-264-1', eventId: expect.any(String) })]);
    expect((documents as Json[])[0]!['tokenIds']).toContain(await rice.tokenOf('RP262641'));
    expect((await find('bl-26', rice.mill.api))['documents']).toHaveLength(1);
    // The farm neither recorded nor reads it.
    expect((await find('bl-26', rice.farmA.api))['documents']).toEqual([]);
  });

  it('answers with nothing for what nobody knows, with no more than was asked for, and refuses what is no text', async () => {
    expect(await find('no such thing')).toEqual({ readAs: 'text', lots: [], products: [], companies: [], documents: [] });
    expect((await find('rice', rice.api, 2))['lots']).toHaveLength(2);
    expect(await codeOf(find('   '))).toBe('wrong_format');
    expect(await codeOf(find('x'.repeat(401)))).toBe('wrong_length');
    expect((await find(String.raw`%_\' or 1=1`))['lots']).toEqual([]);
  });

  it('stays in its tenant', async () => {
    const other = await world.admin('wool');
    expect((await find('RP262641', other))['lots']).toEqual([]);
    expect((await find('https://id.gs1.org/01/09520123450014/10/RP262641', other))['lots']).toEqual([]);
  });
});
