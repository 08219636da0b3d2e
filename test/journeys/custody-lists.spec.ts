import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZeroAddress } from 'ethers';
import type { TraceabilityClient } from '#client';
import { newId } from '#kernel';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade, codeOf } from './rice-trade.js';

let world: World;
let trade: RiceTrade;
let admin: TraceabilityClient;
let owner: Company;
let farmA: Company;
let farmB: Company;
let mill: Company;
let orgs: Record<string, string>;

beforeAll(async () => {
  world = await World.start();
  await world.play('rice');
  trade = await RiceTrade.of(world);
  ({ farmA, farmB, mill, admin: owner, api: admin } = trade);
  orgs = Object.fromEntries(Object.entries(world.tenant('rice').actors).map(([name, { orgId }]) => [name, orgId]));
});
afterAll(() => world?.close());

const custody = (company: Company, body: object): Promise<Json> => trade.custody(company, body);
const call = (company: Company, body: object): Promise<Json> => trade.call(company, body);
const land = (company: Company, prepared: Promise<Json>): Promise<Json> => trade.land(company, prepared);
const tokenOf = (tlc: string): Promise<number> => trade.tokenOf(tlc);
const harvest = (): Promise<{ tokenId: number; tlc: string }> => trade.harvest();

describe("an organisation's transfers", () => {
  const list = (org: string, query = ''): Promise<Json> => admin.get(`/api/v1/custody/org/${orgs[org]}${query}`);
  const codes = (page: Json): string[] => (page['data'] as Json[]).map(({ tlc }) => tlc as string);

  it('are the completed ones, newest first, with the fields of the specification', async () => {
    const page = await list('mill');
    expect(codes(page)).toEqual(
      ['095200000000000011', 'RP262641', 'RH-20260916-B1', 'RH-20260915-A1'].toSorted((a, b) => order(page, a) - order(page, b)),
    );
    expect(page).toMatchObject({ total: 4, page: 1, limit: 20, nextCursor: null });
    for (const transfer of page['data'] as Json[])
      expect(transfer).toMatchObject({
        timestamp: expect.stringMatching(/Z$/),
        from: expect.stringMatching(/^0x/),
        to: expect.stringMatching(/^0x/),
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        status: 'accepted',
      });
    const times = (page['data'] as Json[]).map(({ blockNumber }) => blockNumber as number);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });
  const order = (page: Json, tlc: string): number => codes(page).indexOf(tlc);

  it('can be asked for by direction', async () => {
    expect(new Set(codes(await list('mill', '?direction=out')))).toEqual(new Set(['095200000000000011', 'RP262641']));
    expect(new Set(codes(await list('mill', '?direction=in')))).toEqual(new Set(['RH-20260916-B1', 'RH-20260915-A1']));
  });

  it('are the same by page and by cursor', async () => {
    const whole = codes(await list('mill', '?status=all'));
    const byPage = await Promise.all([1, 2, 3, 4].map(async (page) => codes(await list('mill', `?status=all&limit=1&page=${page}`))));
    expect(byPage.flat()).toEqual(whole);
    const byCursor: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list('mill', `?status=all&limit=1${cursor}`);
      byCursor.push(...codes(page));
      if (page['nextCursor'] === null) break;
      cursor = `&cursor=${page['nextCursor']}`;
    }
    expect(byCursor).toEqual(whole);
  });

  it.each(['?status=lost', '?direction=up', '?limit=0', '?cursor=WyJ4Il0', '?cursor=%00'])('refuse %s', async (query) => {
    await expect(list('mill', query)).rejects.toMatchObject({ status: 400 });
  });

  it('are not there for an unknown or foreign organisation', async () => {
    const wool = await world.admin('wool');
    for (const path of ['', '/offers']) {
      await expect(admin.get(`/api/v1/custody/org/${newId()}${path}`)).rejects.toMatchObject({ status: 404 });
      await expect(wool.get(`/api/v1/custody/org/${orgs['mill']}${path}`)).rejects.toMatchObject({ status: 404 });
    }
  });
});

describe('the custody history of a lot', () => {
  const history = (client: TraceabilityClient, tokenId: number, query = ''): Promise<Json> =>
    client.get(`/api/v1/nfts/${tokenId}/custody${query}`);

  it('opens with the mint and tells each change, what it moved in, and the papers', async () => {
    const [bags, pallet] = [await tokenOf('RP262641'), await tokenOf('095200000000000011')];
    const { data, total } = await history(admin, bags);
    const { actors } = world.tenant('rice');
    expect(total).toBe(2);
    expect(data).toMatchObject([
      {
        transferId: null,
        status: 'mint',
        from: ZeroAddress,
        fromLabel: null,
        to: actors['mill']!.address,
        toLabel: 'Example Mill',
        tlc: 'RP262641',
        durationSeconds: 0,
        acceptTxHash: null,
      },
      {
        status: 'accepted',
        from: actors['mill']!.address,
        to: actors['dist']!.address,
        fromLabel: 'Example Mill',
        toLabel: 'Example Distributor',
        viaContainerTokenId: pallet,
        location: { city: 'Rotterdam' },
        documents: [{ type: 'BILL_OF_LADING', number: 'BOL-44120' }],
        closedAt: null,
      },
    ]);
    expect(data[1].txHash).not.toBe(data[1].acceptTxHash);
    expect(data[1].timestamp).toBe(data[1].acceptedAt);
    expect(data[1].durationSeconds).toBe(Math.round((Date.parse(data[1].acceptedAt) - Date.parse(data[1].offeredAt)) / 1000));
  });

  it('shows place and papers to those who may read them', async () => {
    const { data } = await history(farmB.api, await tokenOf('RP262641'));
    expect(data[1]).toMatchObject({ status: 'accepted', documents: [] });
    expect(data[1].location?.street).toBeUndefined();
  });

  it('is paged without a gap, the mint on the first page only', async () => {
    const bags = await tokenOf('RP262641');
    const pages = await Promise.all([1, 2, 3].map((page) => history(admin, bags, `?limit=1&page=${page}`)));
    expect(pages.map(({ data }) => (data as Json[]).map(({ status }) => status as string))).toEqual([['mint'], ['accepted'], []]);
    expect(pages.map(({ total }) => total as number)).toEqual([2, 2, 2]);
  });

  it('is not there for another tenant, an unknown lot or what is no lot', async () => {
    const bags = await tokenOf('RP262641');
    await expect(history(await world.admin('wool'), bags + 500)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
    await expect(history(admin, 99_999)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
    await expect(admin.get('/api/v1/nfts/1.5/custody')).rejects.toMatchObject({ status: 400 });
  });
});

describe('an offer', () => {
  const offers = async (org: string, direction: string): Promise<number[]> =>
    ((await admin.get<Json>(`/api/v1/custody/org/${orgs[org]}/offers?direction=${direction}`))['data'] as Json[]).map(
      ({ tokenId }) => tokenId as number,
    );

  it('is listed while it waits, on both sides, and in parts when a part of it was taken', async () => {
    const lots = [await harvest(), await harvest(), await harvest()];
    const tokenIds = lots.map(({ tokenId }) => tokenId);
    await land(farmA, custody(farmA, { tokenIds, to: mill.address }));
    expect(new Set(await offers('mill', 'in'))).toEqual(new Set(tokenIds));
    expect(new Set(await offers('farmA', 'out'))).toEqual(new Set(tokenIds));
    expect(await offers('mill', 'out')).toEqual([]);

    await land(mill, custody(mill, { action: 'accept', tokenIds: tokenIds.slice(0, 2) }));
    expect(await offers('mill', 'in')).toEqual(tokenIds.slice(2));
    await land(mill, custody(mill, { action: 'reject', tokenId: tokenIds[2] }));
    expect(await offers('mill', 'in')).toEqual([]);
    const rejected = await admin.get<Json>(`/api/v1/custody/org/${orgs['farmA']}?status=rejected`);
    expect(rejected['data']).toMatchObject([{ tokenId: tokenIds[2], status: 'rejected', acceptedAt: null }]);
    const history = await admin.get<Json>(`/api/v1/nfts/${tokenIds[2]}/custody`);
    expect((history['data'] as Json[]).map(({ status, acceptedAt, closedAt }) => [status, acceptedAt === null, closedAt === null])).toEqual(
      [
        ['mint', false, true],
        ['rejected', true, false],
      ],
    );
  });

  it('of a hundred lots, with containers in a container, is taken in parts, with an event and without', async () => {
    const bags = await trade.make([], 104);
    const [carton] = (await trade.make(bags.slice(0, 3), 1, 1)) as [number];
    const [pallet] = (await trade.make([bags[3]!, carton], 1, 1)) as [number];
    const tokenIds = [pallet, ...bags.slice(5)];
    expect(tokenIds).toHaveLength(100);
    const inside = [...bags.slice(0, 4), carton];
    const metadata = (processType: string): object => ({ processType, metadata: trade.metadataOf(processType) });
    const incoming = async (): Promise<number> =>
      Number((await admin.get<Json>(`/api/v1/custody/org/${orgs['dist']}?direction=in`))['total']);
    const before = await incoming();

    const shipped = await land(mill, custody(mill, { tokenIds, to: trade.dist.address, ...metadata('RICE_SHIPPING') }));
    const waiting = await admin.get<Json>(`/api/v1/custody/org/${orgs['dist']}/offers?direction=in&limit=100`);
    expect(waiting['total']).toBe(105);
    const received = await land(
      trade.dist,
      custody(trade.dist, { action: 'accept', tokenIds: tokenIds.slice(0, 50), ...metadata('RICE_RECEIVING') }),
    );
    expect(received['transferIds']).toHaveLength(50);
    expect(await incoming()).toBe(before + 55);
    const moved = async (tokenId: number): Promise<Json> =>
      (await admin.get<{ data: Json[] }>(`/api/v1/nfts/${tokenId}/custody`)).data.at(-1)!;
    expect(await moved(bags[0]!)).toMatchObject({ status: 'accepted', viaContainerTokenId: carton, eventId: received['eventId'] });
    expect(await moved(tokenIds[99]!)).toMatchObject({ status: 'pending', eventId: shipped['eventId'] });

    await land(trade.dist, custody(trade.dist, { action: 'accept', tokenIds: tokenIds.slice(50) }));
    expect(await incoming()).toBe(before + 105);
    expect(await moved(tokenIds[99]!)).toMatchObject({ status: 'accepted', eventId: shipped['eventId'] });
    expect(await offers('dist', 'in')).toEqual([]);
    for (const tokenId of [pallet, ...inside, tokenIds[99]!])
      expect(await trade.lot(tokenId)).toMatchObject({ custodian: trade.dist.address });
  });

  it('cannot be taken by the wrong wallet, after it was cancelled, or by its old number', async () => {
    const { tokenId } = await harvest();
    await land(farmA, custody(farmA, { tokenId, to: mill.address }));
    const { transferIds } = (await custody(mill, { action: 'accept', tokenId })) as { transferIds: string[] };
    const oldNo = transferIds[0]!.split('-')[1];
    expect(await codeOf(custody(farmB, { action: 'accept', tokenId }))).toBe('not_pending_custodian');
    expect(await codeOf(custody(farmA, { tokenId, to: farmB.address }))).toBe('lot_in_transit');
    await land(farmA, custody(farmA, { action: 'cancel', tokenId }));
    expect(await codeOf(custody(mill, { action: 'accept', tokenId }))).toBe('409 no_open_offer');
    await land(farmA, custody(farmA, { tokenId, to: mill.address }));
    const old = call(mill, { method: 'acceptCustody', inputTokenIds: [tokenId], metadata: { args: { no: oldNo } } });
    expect(await codeOf(old)).toBe('422 tx_would_revert');
  });

  it('is taken once when two acceptances race', async () => {
    const { tokenId } = await harvest();
    await land(farmA, custody(farmA, { tokenId, to: mill.address }));
    const both = await Promise.all([custody(mill, { action: 'accept', tokenId }), custody(mill, { action: 'accept', tokenId })]);
    const hashes: string[] = [];
    for (const { preparedTx } of both) hashes.push(await mill.sender.send(preparedTx));
    const ids = await Promise.all(hashes.map(async (hash) => (await mill.api.tx.track(hash, 'test')).trackingId));
    await eventuallyHolds(async () => {
      const found = await Promise.all(ids.map(async (id) => (await mill.api.tx.get(id)).status));
      expect(found.toSorted()).toEqual(['confirmed', 'failed']);
    });
    const moved = await admin.get<Json>(`/api/v1/nfts/${tokenId}/custody`);
    expect((moved['data'] as Json[]).map(({ status }) => status as string)).toEqual(['mint', 'accepted']);
  });

  it('may be answered while its lot is recalled: given back, not taken', async () => {
    const { tokenId } = await harvest();
    await land(farmA, custody(farmA, { tokenId, to: mill.address }));
    await land(owner, call(owner, { method: 'recall', inputTokenIds: [tokenId], metadata: { reason: 'Aflatoxin' } }));
    expect(await codeOf(custody(mill, { action: 'accept', tokenId }))).toBe('lot_recalled');
    await land(mill, custody(mill, { action: 'reject', tokenId }));
    expect(await codeOf(custody(farmA, { tokenId, to: mill.address }))).toBe('lot_recalled');
  });

  it.each<[string, () => Promise<object>, string]>([
    ['a lot that one does not hold', async () => ({ tokenId: await tokenOf('RM-20260920-01N'), to: mill.address }), 'not_custodian'],
    ['a lot to oneself', async () => ({ tokenId: (await harvest()).tokenId, to: farmA.address }), 'own_wallet'],
    ['a lot to the zero address', async () => ({ tokenId: (await harvest()).tokenId, to: ZeroAddress }), 'zero_address'],
    ['a lot to a wrong checksum', async () => ({ tokenId: (await harvest()).tokenId, to: mill.address.toLowerCase() }), 'wrong_checksum'],
    ['the same lot twice', async () => ({ tokenIds: [1, 1], to: mill.address }), 'duplicate_token_id'],
  ])('of %s is refused', async (_, body, code) => {
    expect(await codeOf(custody(farmA, await body()))).toBe(code);
  });
});

describe('retiring', () => {
  const retire = (company: Company, tokenId: number | string, body: object): Promise<Json> =>
    company.api.post(`/api/v1/nfts/${tokenId}/retire/prepare`, body);

  it('takes a part of a lot and then the rest out of the chain of custody, for whoever the holder approved', async () => {
    const { tokenId, tlc } = await harvest();
    expect(await codeOf(retire(owner, tokenId, { reason: 'sampled' }))).toBe('422 tx_would_revert');
    await land(farmA, call(farmA, { method: 'setApprovalForAll', metadata: { args: { operator: owner.address, ok: true } } }));

    const sample = await retire(owner, tokenId, { reason: 'sampled', quantity: { value: 500, uom: 'GRM' }, metadata: { lab: 'L-1' } });
    expect(sample).toMatchObject({ ipfsCid: expect.stringMatching(/^bafkrei/), metadata: { method: 'retire', reason: 'sampled' } });
    await owner.land(sample['preparedTx'], 'test');
    expect(await admin.lots.byTlc(tlc)).toMatchObject({ status: 'active', remainingQuantity: 7999.5 });

    await land(owner, retire(owner, tokenId, { reason: 'sold' }));
    expect(await admin.lots.byTlc(tlc)).toMatchObject({ status: 'retired', remainingQuantity: 7999.5 });
    expect(await codeOf(retire(owner, tokenId, { reason: 'sold' }))).toBe('lot_retired');
  });

  it('knows every reason', async () => {
    const reasons = ['sold', 'disposed', 'destroyed', 'lost', 'sampled', 'exported', 'migrated'];
    const { tokenId } = await harvest();
    const asked = await Promise.all(reasons.map((reason) => retire(owner, tokenId, { reason })));
    expect(asked.map(({ metadata }) => (metadata as { args: { reason: number } }).args.reason)).toEqual([1, 2, 3, 4, 5, 7, 9]);
  });

  it('of a recalled lot lets it reach nobody', async () => {
    const { tokenId } = await harvest();
    await land(owner, call(owner, { method: 'recall', inputTokenIds: [tokenId], metadata: { reason: 'Aflatoxin' } }));
    for (const reason of ['sold', 'exported', 'migrated']) expect(await codeOf(retire(owner, tokenId, { reason }))).toBe('lot_recalled');
    await land(owner, retire(owner, tokenId, { reason: 'destroyed' }));
  });

  it.each<[string, () => Promise<number | string>, object, string]>([
    ['a used-up lot', () => tokenOf('RD-20260917-01'), { reason: 'lost' }, 'lot_consumed'],
    ['an unknown lot', async () => 99_999, { reason: 'lost' }, '404 lot_not_found'],
    ['no reason', async () => (await harvest()).tokenId, {}, 'required'],
    ['a reason that is not given', async () => (await harvest()).tokenId, { reason: 'voided' }, 'not_allowed'],
    [
      'more than there is',
      async () => (await harvest()).tokenId,
      { reason: 'lost', quantity: { value: 9000, uom: 'KGM' } },
      'over_consumption',
    ],
    [
      'pieces of a mass',
      async () => (await harvest()).tokenId,
      { reason: 'lost', quantity: { value: 1, uom: 'H87' } },
      'unit_not_convertible',
    ],
    [
      'a negative part',
      async () => (await harvest()).tokenId,
      { reason: 'lost', quantity: { value: -1, uom: 'KGM' } },
      'quantity_out_of_range',
    ],
    [
      'seven decimals',
      async () => (await harvest()).tokenId,
      { reason: 'lost', quantity: { value: 0.0000001, uom: 'KGM' } },
      'quantity_out_of_range',
    ],
  ])('refuses %s', async (_, lot, body, code) => {
    expect(await codeOf(retire(owner, await lot(), body))).toBe(code);
  });

  it('is for compliance and the administrator', async () => {
    expect(await codeOf(retire(farmA, 1, { reason: 'lost' }))).toBe('403 role_required');
  });
});
