import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Interface, ZeroAddress } from 'ethers';
import { TraceabilityClient } from '#client';
import { tenantLotsAbi } from '#contracts';
import { type Hex, newId } from '#kernel';
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

describe('the transfers of an organisation', () => {
  const list = (org: string, query = ''): Promise<Json> => admin.get(`/api/v1/custody/org/${orgs[org]}${query}`);
  const codes = (page: Json): string[] => (page['data'] as Json[]).map(({ tlc }) => tlc as string);

  it('lists completed ones, newest first, with the fields of the specification', async () => {
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
    for (let cursor = ''; ;) {
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

  it('are 404 for an unknown organisation and for one of another tenant', async () => {
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

  it('begins with the mint and has each change with its transport and documents', async () => {
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

  it('shows place and documents only to members who may read them', async () => {
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

  it('is 404 for another tenant, an unknown lot or an invalid id', async () => {
    const bags = await tokenOf('RP262641');
    await expect(history(await world.admin('wool'), bags + 500)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
    await expect(history(admin, 99_999)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
    await expect(admin.get('/api/v1/nfts/1.5/custody')).rejects.toMatchObject({ status: 400 });
  });
});

describe('an offer', () => {
  const offers = async (org: string, direction?: string): Promise<number[]> =>
    ((await admin.get<Json>(`/api/v1/custody/org/${orgs[org]}/offers${direction ? `?direction=${direction}` : ''}`))['data'] as Json[]).map(
      ({ tokenId }) => tokenId as number,
    );

  it('is listed on both sides while it is open, and in parts when a part of it was accepted', async () => {
    const lots = [await harvest(), await harvest(), await harvest()];
    const tokenIds = lots.map(({ tokenId }) => tokenId);
    await land(farmA, custody(farmA, { tokenIds, to: mill.address }));
    expect(new Set(await offers('mill', 'in'))).toEqual(new Set(tokenIds));
    expect(new Set(await offers('farmA', 'out'))).toEqual(new Set(tokenIds));
    expect(await offers('mill', 'out')).toEqual([]);

    const back = await harvest();
    await trade.handOver([back.tokenId]);
    await land(mill, custody(mill, { tokenId: back.tokenId, to: farmB.address }));
    expect(new Set(await offers('mill'))).toEqual(new Set([...tokenIds, back.tokenId]));
    await land(mill, custody(mill, { action: 'cancel', tokenId: back.tokenId }));

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

  it('of a hundred lots, with containers in a container, is accepted in parts, with an event and without', async () => {
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

  it('cannot be accepted by the wrong wallet, after it was cancelled, or by its old number', async () => {
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
    expect(await codeOf(old)).toBe('422 no_offer');
  });

  it('is accepted once when two acceptances are sent at the same time', async () => {
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

  it('can be cancelled in part; the rest stays open', async () => {
    const tokenIds = [(await harvest()).tokenId, (await harvest()).tokenId, (await harvest()).tokenId];
    await land(farmA, custody(farmA, { tokenIds, to: mill.address }));
    await land(farmA, custody(farmA, { action: 'cancel', tokenIds: tokenIds.slice(1) }));
    const waiting = await offers('mill', 'in');
    expect(tokenIds.map((tokenId) => waiting.includes(tokenId))).toEqual([true, false, false]);
    await land(mill, custody(mill, { action: 'accept', tokenIds: tokenIds.slice(0, 1) }));
    const holders = await Promise.all(tokenIds.map(async (tokenId) => (await trade.lot(tokenId))['custodian'] as string));
    expect(holders).toEqual([mill.address, farmA.address, farmA.address]);
  });

  it('carries no event of another kind than a transfer, of another sender, or out of scope', async () => {
    const { tokenId } = await harvest();
    const harvesting = { tokenId, to: mill.address, processType: 'RICE_HARVESTING', metadata: trade.metadataOf('RICE_HARVESTING') };
    expect(await codeOf(custody(farmA, harvesting))).toBe('422 not_a_transfer');
    expect(await codeOf(custody(farmA, { tokenId, to: mill.address, from: mill.address }))).toBe('403 foreign_sender');

    const scope = { name: 'Drier', roles: ['OPERATOR'], roleScopes: { OPERATOR: ['RICE_DRYING'] } };
    const { secret } = await admin.post<{ secret: string }>('/api/v1/api-keys', scope);
    const drier = new TraceabilityClient(world.baseUrl, { apiKey: secret });
    const shipping = { tokenId, to: mill.address, processType: 'RICE_SHIPPING', metadata: trade.metadataOf('RICE_SHIPPING') };
    expect(await codeOf(drier.post('/api/v1/custody/prepare', shipping))).toBe('403 process_out_of_scope');
  });

  it('may be cancelled by its sender while its lot is recalled', async () => {
    const { tokenId } = await harvest();
    await land(farmA, custody(farmA, { tokenId, to: mill.address }));
    await land(owner, call(owner, { method: 'recall', inputTokenIds: [tokenId], metadata: { reason: 'Aflatoxin' } }));
    await land(farmA, custody(farmA, { action: 'cancel', tokenId }));
    expect(await trade.lot(tokenId)).toMatchObject({ status: 'recalled', custodian: farmA.address, pendingCustodian: null });
  });

  it('may be rejected but not accepted while its lot is recalled', async () => {
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

describe('transfers of every status', () => {
  const STATUSES = ['pending', 'accepted', 'rejected', 'cancelled', 'direct'] as const;
  let lots: Record<(typeof STATUSES)[number], number>;
  beforeAll(async () => {
    const made: number[] = [];
    for (const _ of STATUSES) made.push((await harvest()).tokenId);
    const [pending, accepted, rejected, cancelled, direct] = made as [number, number, number, number, number];
    lots = { pending, accepted, rejected, cancelled, direct };
    for (const tokenId of [pending, accepted, rejected, cancelled]) await land(farmA, custody(farmA, { tokenId, to: farmB.address }));
    await land(farmB, custody(farmB, { action: 'accept', tokenId: accepted }));
    await land(farmB, custody(farmB, { action: 'reject', tokenId: rejected }));
    await land(farmA, custody(farmA, { action: 'cancel', tokenId: cancelled }));
    await land(farmB, call(farmB, { method: 'setDirectReceipt', metadata: { args: { allowed: true } } }));
    const moving = { inputTokenIds: [direct], metadata: { args: { from: farmA.address, to: farmB.address } } };
    await land(farmA, call(farmA, { method: 'transferFrom', ...moving }));
  });

  it.each([...STATUSES, 'completed', 'all', undefined])('are listed by status %s', async (status) => {
    const { data } = await admin.get<{ data: Json[] }>(
      `/api/v1/custody/org/${orgs['farmB']}?direction=in&limit=100${status ? `&status=${status}` : ''}`,
    );
    const asked = status === 'all' ? STATUSES : STATUSES.filter((one) => one === status);
    const wanted = status === undefined || status === 'completed' ? (['accepted', 'direct'] as const) : asked;
    const ours = data.filter(({ tokenId }) => Object.values(lots).includes(tokenId as number));
    const found = new Set(ours.map(({ status: listed, tokenId }) => `${listed} ${tokenId}`));
    expect(found).toEqual(new Set(wanted.map((one) => `${one} ${lots[one]}`)));
    expect(ours).toHaveLength(wanted.length);
  });

  it('are in the history, one line each, with number, block, event and duration', async () => {
    for (const status of STATUSES) {
      const { data } = await admin.get<{ data: Json[] }>(`/api/v1/nfts/${lots[status]}/custody`);
      const [mint, line] = data as [Json, Json];
      const { mintEventId, ...lot } = await trade.lot(lots[status]);
      expect(mint).toMatchObject({ status: 'mint', transferId: null, eventId: mintEventId, blockNumber: lot['blockNumber'] });
      expect(await admin.get<Json>(`/api/v1/events/${mintEventId}`)).toMatchObject({ processType: 'RICE_HARVESTING' });

      expect([data.length, line['status']]).toEqual([2, status]);
      const offered = status !== 'direct';
      const id = offered ? new RegExp(`^${lots[status]}-\\d+$`) : /^[0-9a-f-]{36}$/;
      const at = (...among: string[]): unknown => (among.includes(status) ? line['timestamp'] : null);
      expect(line).toMatchObject({
        from: farmA.address,
        to: farmB.address,
        transferId: expect.stringMatching(id),
        acceptedAt: at('accepted', 'direct'),
        closedAt: at('rejected', 'cancelled'),
        eventId: null,
      });
      expect([status, line['offeredAt'] !== null, line['acceptTxHash'] !== null]).toEqual([status, offered, status === 'accepted']);
      const end = line['closedAt'] ?? line['acceptedAt'];
      const took = offered ? Math.round((Date.parse(end as string) - Date.parse(line['offeredAt'] as string)) / 1000) : 0;
      expect([status, line['durationSeconds']]).toEqual([status, status === 'pending' ? null : took]);
    }
  });

  it('name the block of their last change, in the history and in the list', async () => {
    const { data } = await admin.get<{ data: Json[] }>(`/api/v1/custody/org/${orgs['farmB']}?direction=in&status=all&limit=100`);
    for (const { tokenId, txHash, blockNumber, transferId } of data) {
      const { blockNumber: landed } = await farmA.sender.receipt(txHash as string);
      expect(blockNumber).toBe(Number(landed));
      const history = await admin.get<{ data: Json[] }>(`/api/v1/nfts/${tokenId}/custody`);
      expect(history.data.at(-1)).toMatchObject({ transferId, blockNumber });
    }
  });
});

describe('the contents of a container that moves', () => {
  const moves = async (tokenId: number): Promise<Json> =>
    (await admin.get<{ data: Json[] }>(`/api/v1/nfts/${tokenId}/custody`)).data.at(-1)!;

  it('cannot be accepted alone: the offer is of the container', async () => {
    const bags = await trade.make([], 2);
    const [pallet] = (await trade.make(bags, 1, 1)) as [number];
    await land(mill, custody(mill, { tokenId: pallet, to: trade.dist.address }));
    expect(await codeOf(custody(trade.dist, { action: 'accept', tokenId: bags[0] }))).toBe('409 no_open_offer');
    expect(await codeOf(custody(trade.dist, { action: 'reject', tokenId: bags[0] }))).toBe('409 no_open_offer');
    expect(await codeOf(custody(mill, { action: 'cancel', tokenId: bags[0] }))).toBe('409 no_open_offer');
    await land(mill, custody(mill, { action: 'cancel', tokenId: pallet }));
    for (const tokenId of [...bags, pallet]) expect(await moves(tokenId)).toMatchObject({ status: 'cancelled' });
  });

  it('moves with the container when its holder transfers that without the service; each lot is published once', async () => {
    const bags = await trade.make([], 3);
    const [carton] = (await trade.make(bags.slice(0, 2), 1, 1)) as [number];
    const [pallet] = (await trade.make([bags[2]!, carton], 1, 1)) as [number];
    const { dist } = trade;
    await land(dist, call(dist, { method: 'setDirectReceipt', metadata: { args: { allowed: true } } }));
    const { id } = await admin.webhooks.create(world.sink.url('/past'), ['custody.transferred']);
    const data = new Interface(tenantLotsAbi).encodeFunctionData('transferFrom', [mill.address, dist.address, pallet]) as Hex;
    const { transactionHash } = await mill.sender.sendAndWait({ to: trade.contract, data, gasEstimate: 3_000_000, chainId: 31_337 });

    const via = { [pallet]: null, [carton]: pallet, [bags[0]!]: carton, [bags[1]!]: carton, [bags[2]!]: pallet };
    await eventuallyHolds(async () => expect(await trade.lot(pallet)).toMatchObject({ custodian: dist.address }));
    for (const [tokenId, viaContainerTokenId] of Object.entries(via)) {
      expect(await trade.lot(Number(tokenId))).toMatchObject({ custodian: dist.address });
      expect(await moves(Number(tokenId))).toMatchObject({
        status: 'direct',
        from: mill.address,
        to: dist.address,
        txHash: transactionHash,
        offeredAt: null,
        durationSeconds: 0,
        viaContainerTokenId,
      });
    }
    await world.sink.received('/past', 5);
    // A second delivery would arrive before the one of the next transfer.
    const { tokenId: next } = await harvest();
    await trade.handOver([next]);
    const transfers = (await world.sink.received('/past', 6)).map(({ body }) => (JSON.parse(body.toString()) as Json)['data'] as Json);
    const byLot = new Map(transfers.map((one) => [String(one['tokenId']), one['viaContainerTokenId'] as number | null]));
    expect(byLot).toEqual(new Map([...Object.entries(via), [String(next), null]]));
    expect(transfers).toHaveLength(6);
    await admin.webhooks.delete(id);
  });
});

describe('retiring', () => {
  const pallet = async (): Promise<{ bag: number; pallet: number }> => {
    const [bag] = (await trade.make([], 1)) as [number];
    return { bag, pallet: (await trade.make([bag], 1, 1))[0]! };
  };
  const offered = async (): Promise<number> => {
    const { tokenId } = await harvest();
    await land(farmA, custody(farmA, { tokenId, to: mill.address }));
    return tokenId;
  };
  const retire = (company: Company, tokenId: number | string, body: object): Promise<Json> =>
    company.api.post(`/api/v1/nfts/${tokenId}/retire/prepare`, body);

  it('takes a part of a lot, and then the rest, out of the chain of custody, for a wallet that the holder approved', async () => {
    const { tokenId, tlc } = await harvest();
    expect(await codeOf(retire(owner, tokenId, { reason: 'sampled' }))).toBe('422 not_custodian');
    await land(farmA, call(farmA, { method: 'setApprovalForAll', metadata: { args: { operator: owner.address, ok: true } } }));

    const sample = await retire(owner, tokenId, { reason: 'sampled', quantity: { value: 500, uom: 'GRM' }, metadata: { lab: 'L-1' } });
    expect(sample).toMatchObject({ ipfsCid: expect.stringMatching(/^bafkrei/), metadata: { method: 'retire', reason: 'sampled' } });
    await owner.land(sample['preparedTx'], 'test');
    expect(await admin.lots.byTlc(tlc)).toMatchObject({ status: 'active', remainingQuantity: 7999.5 });

    await land(owner, retire(owner, tokenId, { reason: 'sold' }));
    expect(await admin.lots.byTlc(tlc)).toMatchObject({ status: 'retired', remainingQuantity: 7999.5 });
    expect(await codeOf(retire(owner, tokenId, { reason: 'sold' }))).toBe('lot_retired');
  });

  it('is for an operator of the organisation that holds the lot, and for no auditor or operator of another one', async () => {
    const { tokenId } = await harvest();
    const asked = async (role: string, { address, api }: Company): Promise<string> => {
      const { orgId } = await api.get<Json>('/api/v2/auth/me');
      const body = { name: `${role} who retires`, roles: [role], orgId, wallet: address };
      const { secret } = await admin.post<{ secret: string }>('/api/v1/api-keys', body);
      const answer = await fetch(`${world.baseUrl}/api/v1/nfts/${tokenId}/retire/prepare`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'sold' }),
      });
      const { code = '', errors } = (await answer.json()) as { code?: string; errors?: { code: string }[] };
      return `${answer.status} ${errors?.[0]!.code ?? code}`;
    };
    expect(await asked('OPERATOR', farmA)).toMatch(/^20[01] $/);
    expect(await asked('ADMIN', farmA)).toMatch(/^20[01] $/);
    expect(await asked('AUDITOR', farmA)).toBe('403 role_required');
    expect(await asked('OPERATOR', mill)).toBe('422 not_custodian');
  });

  it('accepts every reason', async () => {
    const reasons = ['sold', 'disposed', 'destroyed', 'lost', 'sampled', 'exported', 'migrated'];
    const { tokenId } = await harvest();
    const asked = await Promise.all(reasons.map((reason) => retire(owner, tokenId, { reason })));
    expect(asked.map(({ metadata }) => (metadata as { args: { reason: number } }).args.reason)).toEqual([1, 2, 3, 4, 5, 7, 9]);
  });

  it.each(['disposed', 'destroyed', 'lost', 'exported', 'migrated'])('shows the reason %s', async (reason) => {
    const { tokenId } = await harvest();
    await land(owner, retire(owner, tokenId, { reason }));
    expect(await trade.lot(tokenId)).toMatchObject({ status: 'retired', retireReason: reason });
  });

  it('of a recalled lot is refused for a reason that passes the lot on', async () => {
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
    ['what is in a container', async () => (await pallet()).bag, { reason: 'lost' }, 'lot_contained'],
    ['a part of a container', async () => (await pallet()).pallet, { reason: 'lost', quantity: { value: 1, uom: 'H87' } }, 'whole_only'],
    [
      'a part of what has no quantity',
      async () => (await trade.make([], 1))[0]!,
      { reason: 'lost', quantity: { value: 1, uom: 'KGM' } },
      'whole_only',
    ],
    ['a lot that is offered', offered, { reason: 'lost' }, 'lot_in_transit'],
  ])('refuses %s', async (_, lot, body, code) => {
    expect(await codeOf(retire(owner, await lot(), body))).toBe(code);
  });

  it('is for the organisation that holds the lot', async () => {
    const { tokenId, tlc } = await harvest();
    expect(await codeOf(retire(mill, tokenId, { reason: 'lost' }))).toBe('not_custodian');
    await land(farmA, retire(farmA, tokenId, { reason: 'exported' }));
    expect(await admin.lots.byTlc(tlc)).toMatchObject({ status: 'retired', retireReason: 'exported' });
  });
});
