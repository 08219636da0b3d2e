import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TraceabilityClient } from '#client';
import { newId } from '#kernel';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade, administrator, codeOf } from './rice-trade.js';

interface Golden {
  readonly recalls: Record<
    string,
    { descendants: { tlc: string; relation: string }[]; unitsByLot: Record<string, number>; estimatedUnits: number }
  >;
}
const golden = (slug: string): Golden =>
  JSON.parse(readFileSync(new URL(`../harness/expected/${slug}.golden.json`, import.meta.url), 'utf8')) as Golden;

/** A wallet of no organisation. */
const NOBODY_KNOWN = '0x000000000000000000000000000000000000dEaD';

let world: World;
let trade: RiceTrade;
let wool: Company;
let farmA: Company;
let mill: Company;

beforeAll(async () => {
  world = await World.start();
  await Promise.all([world.play('rice'), world.play('wool')]);
  wool = await administrator(world, 'wool');
  trade = await RiceTrade.of(world);
  ({ farmA, mill } = trade);
});
afterAll(() => world?.close());

const rice = (): TraceabilityClient => trade.api;
const tokenOf = async (client: TraceabilityClient, tlc: string): Promise<number> => Number((await client.lots.byTlc(tlc)).tokenId);
const impactOf = (client: TraceabilityClient, tokenId: number, query = ''): Promise<Json> =>
  client.get(`/api/v1/nfts/${tokenId}/recall-impact${query}`);
const prepare = (company: Company, tokenId: number, body: object): Promise<Json> => trade.recall(company, tokenId, body);
const harvest = (): Promise<{ tokenId: number; tlc: string }> => trade.harvest();
const dry = (inputs: readonly { tokenId: number; tlc: string }[]): Promise<Json> => trade.dry(inputs);
const handOver = (tokenIds: readonly number[]): Promise<void> => trade.handOver(tokenIds);
const metadataOf = (processType: string): Json => trade.metadataOf(processType);

describe('the impact of a recall', () => {
  it.each(['rice', 'wool'])('of %s is the golden result', async (slug) => {
    const { api } = slug === 'rice' ? trade : wool;
    for (const [tlc, wanted] of Object.entries(golden(slug).recalls)) {
      const impact = await impactOf(api, await tokenOf(api, tlc));
      const reached = [
        ...(impact['descendants'] as Json[]).map(({ tlc: code, relation }) => ({ tlc: code as string, relation: relation as string })),
        ...(impact['containers'] as Json[]).map(({ tlc: code }) => ({ tlc: code as string, relation: 'container' })),
      ];
      const byCode = (list: readonly { tlc: string }[]) => list.toSorted((a, b) => (a.tlc < b.tlc ? -1 : 1));
      expect([tlc, byCode(reached)]).toEqual([tlc, byCode(wanted.descendants)]);
      expect([tlc, impact['estimatedUnits']]).toEqual([tlc, wanted.estimatedUnits]);
      const counted = [await api.get<Json>(`/api/v1/nfts/${await tokenOf(api, tlc)}`), ...(impact['descendants'] as Json[])];
      expect([tlc, impact['unitsByAssetType']]).toEqual([tlc, unitsByType(counted, wanted.unitsByLot)]);
    }
  });

  it('names each custodian with the lots that it holds, is to receive or held', async () => {
    const { from, lot } = await trade.dried();
    const { outputTlc: code } = await trade.land(mill, trade.event(mill, trade.milling(lot)));
    const [rice_, broken] = await Promise.all([trade.tokenOf(code as string), trade.tokenOf(`${code}B`)]);
    await trade.land(mill, trade.custody(mill, { tokenId: rice_, to: trade.dist.address }));
    await trade.land(mill, trade.custody(mill, { tokenId: broken, to: NOBODY_KNOWN }));
    const { actors, affectedActors } = await impactOf(rice(), from.tokenId);
    const byAddress = new Map((actors as Json[]).map(({ address, did: _did, ...actor }) => [address as string, actor]));
    expect(Object.fromEntries(byAddress)).toEqual({
      [farmA.address]: { label: 'Example Farm A', labelKind: 'organization', roles: ['past'], tokenIds: [from.tokenId] },
      [mill.address]: {
        label: 'Example Mill',
        labelKind: 'organization',
        roles: ['custodian'],
        tokenIds: [from.tokenId, lot.tokenId, rice_, broken],
      },
      [trade.dist.address]: { label: 'Example Distributor', labelKind: 'organization', roles: ['pending'], tokenIds: [rice_] },
      [NOBODY_KNOWN]: { label: '0x0000…dEaD', labelKind: 'address', roles: ['pending'], tokenIds: [broken] },
    });
    expect(affectedActors).toEqual([...byAddress.keys()]);
  });

  it('has the fields of the specification, with custodian, quantity, place and certainty', async () => {
    const impact = await impactOf(rice(), await tokenOf(rice(), 'RD-20260917-01'));
    const { actors } = world.tenant('rice');
    const lot = (impact['descendants'] as Json[]).find(({ tlc }) => tlc === 'RP262641')!;
    for (const field of 'id tokenId tenantId tlc assetType assetTypeName processMapName status custodian custodianLabel custodianLabelKind metadataCid metadata txHash blockNumber dataHash expiresAt pendingCustodian mintEventId eventCount createdAt'.split(
      ' ',
    ))
      expect(lot).toHaveProperty(field);
    expect(lot).toMatchObject({ relation: 'transformed', depth: 2, share: 0.663258 });
    expect(impact['affectedActors']).toEqual([actors['mill']!.address, actors['dist']!.address].toSorted());
    expect((impact['actors'] as Json[]).find(({ address }) => address === actors['dist']!.address)).toMatchObject({
      label: 'Example Distributor',
      did: `did:pkh:eip155:31337:${actors['dist']!.address}`,
      roles: ['custodian'],
    });
    expect(impact).toMatchObject({
      countries: ['VN'],
      quantities: { H87: 1400, KGM: 1401 },
      truncated: false,
      truncatedBy: null,
      frontier: [],
      nextCursor: null,
      asOf: { block: expect.any(Number) },
      elapsedMs: expect.any(Number),
      reconciliation: { total: { accountedPercent: 100, unaccountedKg: 0 } },
    });
    const dried = (impact['reconciliation']['lots'] as Json[]).find(({ producedKg }) => producedKg === 10775);
    expect(dried).toMatchObject({ usedKg: 10560, lossKg: 215, onHandKg: 0, accountedPercent: 100 });
  });

  it('shows each lot as its own route does, to every member, without the place', async () => {
    // Lots of every kind: offered, packed, used up, retired and sold, with dates and codes of articles.
    for (const [slug, tlc] of [
      ['rice', 'RH-20260915-A1'],
      ['wool', 'WS-20260302-M1'],
    ] as const) {
      const root = await tokenOf((slug === 'rice' ? trade : wool).api, tlc);
      // The administrator reads all metadata, a company its own, and of others' what the map calls public.
      const readers = [slug === 'rice' ? trade : wool, ...(slug === 'rice' ? [farmA, mill] : [])];
      for (const { api } of readers) {
        const { descendants } = await impactOf(api, root);
        expect(descendants.length).toBeGreaterThan(3);
        for (const { relation: _relation, depth: _depth, share: _share, ...shown } of descendants as Json[]) {
          const { location: _location, ...lot } = await api.get<Json>(`/api/v1/nfts/${shown['tokenId']}`);
          expect(shown).toEqual(lot);
        }
      }
    }
  });

  it('shows each lot as of an earlier block as its own route does', async () => {
    const root = await tokenOf(rice(), 'RH-20260915-A1');
    const { asOf, descendants: now } = await impactOf(rice(), root);
    const blocks = new Set((now as Json[]).map(({ blockNumber }) => blockNumber as number));
    for (const block of [...blocks, asOf.block]) {
      const { descendants } = await impactOf(rice(), root, `?asOf=${block}`);
      for (const { relation: _relation, depth: _depth, share: _share, ...shown } of descendants as Json[]) {
        const { location: _location, ...lot } = await rice().get<Json>(`/api/v1/nfts/${shown['tokenId']}?asOf=${block}`);
        expect(shown).toEqual(lot);
      }
    }
  });

  it('is cut at the limits, says so, and continues exactly there', async () => {
    const root = await tokenOf(rice(), 'RH-20260915-A1');
    const whole = await impactOf(rice(), root);
    const pages = [await impactOf(rice(), root, '?maxNodes=3')];
    expect(pages[0]).toMatchObject({ truncated: true, truncatedBy: 'maxNodes' });
    while (pages.at(-1)!['nextCursor'] !== null)
      pages.push(await impactOf(rice(), root, `?maxNodes=3&cursor=${pages.at(-1)!['nextCursor']}`));
    const all = (field: string): number[] => pages.flatMap((page) => (page[field] as Json[]).map(({ tokenId }) => tokenId as number));
    expect(all('descendants')).toEqual((whole['descendants'] as Json[]).map(({ tokenId }) => tokenId as number));
    const shares = (of: readonly Json[]): unknown[] =>
      of.flatMap((page) => (page['descendants'] as Json[]).map(({ share }) => share as unknown));
    expect(shares(pages)).toEqual(shares([whole]));
    // Of the dried paddy: 7004, 377, 1024 and 2155 of 10,560 kg; all of the harvest went into it, all of the rice into the bags.
    expect(shares([whole])).toEqual([1, 0.663258, 0.035701, 0.09697, 0.204072, 0.663258]);
    // The quantity that was used of a lot is the same, whether its descendants are on this page or on a later one.
    const balances = (of: readonly Json[]): unknown[] => of.flatMap((page) => page['reconciliation']['lots'] as unknown[]);
    expect(balances(pages)).toEqual(balances([whole]));
    expect(all('containers')).toEqual((whole['containers'] as Json[]).map(({ tokenId }) => tokenId as number));
    // A part of the lots has no number of units of its own, and no total: they could be taken for all.
    expect(pages.map(({ estimatedUnits, reconciliation }) => [estimatedUnits, (reconciliation as Json)['total']])).toEqual(
      pages.map(() => [null, null]),
    );
    const units = pages.flatMap(({ unitsByAssetType }) => unitsByAssetType as Json[]);
    expect(units.reduce((sum, { units: count }) => sum + Number(count), 0)).toBe(whole['estimatedUnits']);
  });

  it('has a Warning header when it is cut, and none when it is complete', async () => {
    const { email, password } = world.tenant('rice').admin;
    const authorization = `Bearer ${await accessToken(email, password)}`;
    const root = await tokenOf(rice(), 'RH-20260915-A1');
    const warning = async (query: string): Promise<string | null> => {
      const { headers } = await fetch(`${world.baseUrl}/api/v1/nfts/${root}/recall-impact${query}`, { headers: { authorization } });
      return headers.get('warning');
    };
    expect(await warning('')).toBeNull();
    for (const [query, bound] of [
      ['?maxNodes=3', 'maxNodes'],
      ['?maxDepth=1', 'maxDepth'],
    ] as const)
      expect(await warning(query)).toBe(`199 - "Not all affected lots are here: the walk was cut by ${bound}."`);
  });

  it('continues as of the block where it began, whatever is recorded meanwhile', async () => {
    const { from, lot } = await trade.dried();
    for (const order of [trade.milling(lot), trade.milling(lot)]) await trade.land(mill, trade.event(mill, order));
    const whole = await impactOf(rice(), from.tokenId);
    const first = await impactOf(rice(), from.tokenId, '?maxNodes=2');
    await trade.land(mill, trade.event(mill, trade.milling(lot)));
    const second = await impactOf(rice(), from.tokenId, `?maxNodes=20&cursor=${first['nextCursor']}`);
    const tokens = (...pages: Json[]): number[] =>
      pages.flatMap(({ descendants }) => (descendants as Json[]).map(({ tokenId }) => tokenId as number));
    expect(tokens(whole)).toHaveLength(5);
    expect(tokens(first, second)).toEqual(tokens(whole));
    expect(second).toMatchObject({ truncated: false, nextCursor: null, asOf: whole['asOf'] });
    expect(first['asOf']).toEqual(whole['asOf']);
    expect(tokens(await impactOf(rice(), from.tokenId))).toHaveLength(7);
  });

  it('as of an earlier block is what it was', async () => {
    const { tokenId } = await rice().lots.byTlc('RD-20260917-01');
    const { blockNumber } = await rice().lots.byTlc('RM-20260920-01');
    const before = await impactOf(rice(), Number(tokenId), `?asOf=${Number(blockNumber) - 1}`);
    expect(before).toMatchObject({ descendants: [], containers: [], estimatedUnits: 1, asOf: { block: Number(blockNumber) - 1 } });
  });

  it('as of an earlier time is what it was', async () => {
    const root = await harvest();
    await handOver([root.tokenId]);
    // Blocks are timed in seconds.
    await pause(1100);
    const { outputTlc } = await trade.land(mill, dry([root]));
    const { createdAt, tokenId } = await rice().lots.byTlc(outputTlc as string);
    const justBefore = new Date(Date.parse(createdAt as string) - 1).toISOString();
    expect(await impactOf(rice(), root.tokenId, `?asOf=${justBefore}`)).toMatchObject({ descendants: [], estimatedUnits: 1 });
    expect(await impactOf(rice(), root.tokenId, `?asOf=${createdAt as string}`)).toMatchObject({ descendants: [{ tokenId }] });
  });

  it.each([
    ['?maxDepth=0', 'out_of_range'],
    ['?maxDepth=201', 'out_of_range'],
    ['?maxNodes=0', 'out_of_range'],
    ['?maxNodes=20001', 'out_of_range'],
    ['?asOf=-1', 'invalid_block'],
    ['?cursor=WyJ4Il0', 'invalid_cursor'],
  ])('refuses %s', async (query, code) => {
    const refused = impactOf(rice(), await tokenOf(rice(), 'RD-20260917-01'), query);
    await expect(refused).rejects.toMatchObject({ status: 400 });
    expect(await codeOf(refused)).toBe(code);
  });

  it('refuses a block or time in the future', async () => {
    const lot = await tokenOf(rice(), 'RD-20260917-01');
    for (const asOf of ['99999999', '2999-01-01T00:00:00Z'])
      expect(await codeOf(impactOf(rice(), lot, `?asOf=${asOf}`))).toBe('422 as_of_not_reached');
  });

  it('refuses a cursor that was changed to walk without a limit', async () => {
    const root = await tokenOf(rice(), 'RH-20260915-A1');
    const { nextCursor } = await impactOf(rice(), root, '?maxNodes=3');
    const place = JSON.parse(Buffer.from(nextCursor as string, 'base64url').toString()) as string[];
    for (const depth of ['0', '2000000000', '999999999999999']) {
      const changed = Buffer.from(JSON.stringify([...place.slice(0, -1), depth])).toString('base64url');
      await expect(impactOf(rice(), root, `?maxNodes=3&cursor=${changed}`)).rejects.toMatchObject({ status: 400 });
    }
  });

  it('is 404 for a lot of another tenant', async () => {
    const lot = await ofRiceAlone();
    await expect(impactOf(wool.api, lot)).rejects.toMatchObject({ status: 404, code: 'lot_not_found' });
  });
});

/** Units as the golden result has them of each lot, by asset type. */
function unitsByType(lots: readonly Json[], unitsByLot: Readonly<Record<string, number>>): Json[] {
  const sums = new Map<string, { assetType: string; assetTypeName: string; lots: number; units: number }>();
  for (const { tlc, assetType, assetTypeName } of lots) {
    const sum = sums.get(assetType as string) ?? { assetType, assetTypeName, lots: 0, units: 0 };
    sums.set(assetType as string, { ...sum, lots: sum.lots + 1, units: sum.units + unitsByLot[tlc as string]! });
  }
  return [...sums.values()].toSorted((a, b) => (a.assetType < b.assetType ? -1 : 1));
}

/** Tenants number their lots each for itself: one that rice has and wool has not got to. */
async function ofRiceAlone(): Promise<number> {
  const [{ tokenId: last }] = (await wool.api.get<{ data: [Json] }>('/api/v1/nfts?limit=1')).data;
  for (;;) {
    const { tokenId } = await harvest();
    if (tokenId > last) return tokenId;
  }
}

describe('a recall', () => {
  const said = { reason: 'Aflatoxin', recallClass: 'I', depth: 'consumer', reference: 'R-7', instructions: 'Bring it back.' };

  it('is for the administrator, of a lot of the own tenant, with a reason', async () => {
    const lot = await tokenOf(rice(), 'RM-20260920-01B');
    expect(await codeOf(prepare(mill, lot, said))).toBe('403 role_required');
    expect(await codeOf(prepare(trade.admin, lot + 5000, said))).toBe('404 lot_not_found');
    expect(await codeOf(prepare(wool, await ofRiceAlone(), said))).toBe('404 lot_not_found');
    expect(await codeOf(prepare(trade.admin, lot, {}))).toBe('required');
    expect(await codeOf(prepare(trade.admin, lot, { ...said, recallClass: 'IV' }))).toBe('not_allowed');
    expect(await codeOf(prepare(trade.admin, lot, { ...said, price: 3 }))).toBe('unknown_field');
  });

  it('flags lots that were minted after it was prepared, and its record says so', async () => {
    const lots = [await harvest(), await harvest()];
    await handOver(lots.map(({ tokenId }) => tokenId));
    const root = lots[0]!;
    const prepared = await prepare(trade.admin, root.tokenId, said);
    expect(prepared).toMatchObject({ metadata: { method: 'recall', affectedCount: 0, propagation: 'flag' } });
    expect(prepared['preparedTxs']).toBeUndefined();

    // The graph grows before the recall lands.
    const drying = await dry([root]);
    await mill.land(drying['preparedTx'], 'test');
    await trade.admin.land(prepared['preparedTx'], 'test');
    expect(await rice().lots.byTlc(drying['outputTlc'] as string)).toMatchObject({ recalled: false, recallAffected: true });

    const [recall] = (await rice().get<{ data: Json[] }>('/api/v1/recalls')).data;
    expect(recall).toMatchObject({ ...said, propagation: 'flag', open: true, affectedCount: 1, affectedWhenPrepared: 0, resolved: true });
    expect(await rice().get(`/api/v1/recalls/${recall!['id']}`)).toEqual(recall);
    expect(await codeOf(prepare(trade.admin, root.tokenId, said))).toBe('409 already_recalled');

    // And after it.
    const later = await harvest();
    await handOver([later.tokenId]);
    const mixed = await dry([later]);
    const use = {
      processType: 'RICE_DRYING',
      inputTokenIds: [root.tokenId],
      outputTlc: 'RD-20261102-X1',
      metadata: metadataOf('RICE_DRYING'),
    };
    const { valid, issues } = await mill.api.post<{ valid: boolean; issues: Json[] }>('/api/v1/events/validate', use);
    expect(valid).toBe(false);
    expect(issues).toContainEqual(expect.objectContaining({ pointer: '/inputTokenIds/0', code: 'lot_recalled', severity: 'error' }));
    await mill.land(mixed['preparedTx'], 'test');
    expect(await rice().lots.byTlc(mixed['outputTlc'] as string)).toMatchObject({ recallAffected: false });
  });

  it('of a lot stops its use and its transfer at validate, at prepare and on chain, except return and disposal', async () => {
    const { tokenId, tlc } = await harvest();
    await handOver([tokenId]);
    const offer = (to: Company): Promise<Json> => trade.custody(mill, { tokenId, to: to.address });
    const [drying, handover] = [await dry([{ tokenId, tlc }]), await offer(farmA)];
    await trade.land(trade.admin, prepare(trade.admin, tokenId, said));
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'recalled' });
    const use = { processType: 'RICE_DRYING', inputTokenIds: [tokenId], outputTlc: 'RD-20261102-X2', metadata: metadataOf('RICE_DRYING') };
    const { issues } = await mill.api.post<{ issues: Json[] }>('/api/v1/events/validate', use);
    expect(issues).toContainEqual(expect.objectContaining({ code: 'lot_recalled', severity: 'error' }));
    expect(await codeOf(dry([{ tokenId, tlc }]))).toContain('lot_recalled');
    expect(await codeOf(offer(farmA))).toBe('lot_recalled');
    // What was signed before the recall: the contract has the last word.
    for (const { preparedTx } of [drying, handover] as { preparedTx: never }[])
      expect((await mill.sender.receipt(await mill.sender.send(preparedTx))).status).toBe('0x0');

    const disposal = {
      processType: 'RICE_DISPOSAL',
      inputTokenIds: [tokenId],
      metadata: { ...metadataOf('RICE_DISPOSAL'), inputs: [{ tlc, quantity: { value: 8000, uom: 'KGM' } }] },
    };
    expect(await mill.api.post('/api/v1/events/validate', disposal)).toMatchObject({ valid: true, errors: [] });
    await trade.land(
      trade.admin,
      trade.call(trade.admin, { method: 'setRoles', metadata: { args: { account: trade.farmB.address, roles: 2 + 16 } } }),
    );
    await trade.handOver([tokenId], mill, trade.farmB);
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'recalled', custodian: trade.farmB.address });
  });

  it('that is prepared twice at the same time lands once, and the chain refuses the other', async () => {
    const { tokenId } = await harvest();
    const [first, second] = await Promise.all(['first', 'second'].map((reason) => prepare(trade.admin, tokenId, { reason })));
    await trade.land(trade.admin, second!);
    const { sender } = trade.admin;
    expect((await sender.receipt(await sender.send(first!['preparedTx']))).status).toBe('0x0');
    const { data } = await rice().get<{ data: { reason: string; lots: Json[] }[] }>('/api/v1/recalls?limit=100');
    expect(data.filter(({ lots }) => lots.some((lot) => lot['tokenId'] === tokenId)).map(({ reason }) => reason)).toEqual(['second']);
  });

  it('says how many units the impact counts', async () => {
    const [tlc, { estimatedUnits }] = Object.entries(golden('rice').recalls)[0]!;
    expect(await prepare(trade.admin, await tokenOf(rice(), tlc), said)).toMatchObject({ metadata: { estimatedUnits } });
  });

  it('reaches a lot that was sold and so left the supply chain', async () => {
    const { tokenId, tlc } = await harvest();
    await retired(tokenId, 'sold');
    const prepared = await prepare(trade.admin, tokenId, said);
    expect(prepared).toMatchObject({ metadata: { tokenIds: [tokenId], estimatedUnits: 1 } });
    await trade.admin.land(prepared['preparedTx'], 'test');
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ recalled: true, retireReason: 'sold' });
    expect(await impactOf(rice(), tokenId)).toMatchObject({ estimatedUnits: 1, quantities: { KGM: 8000 } });
    const [recall] = (await rice().get<{ data: Json[] }>('/api/v1/recalls')).data;
    expect(recall).toMatchObject({ open: true, lots: [{ tokenId, liftedAt: null }] });
  });

  it('counts no unit of a lot that was destroyed, recalled or not', async () => {
    const { tokenId, tlc } = await harvest();
    await retired(tokenId, 'destroyed');
    expect(await impactOf(rice(), tokenId)).toMatchObject({ estimatedUnits: 0, quantities: {} });
    await trade.land(trade.admin, prepare(trade.admin, tokenId, said));
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ recalled: true, retireReason: 'destroyed' });
    const { estimatedUnits, quantities, reconciliation } = await impactOf(rice(), tokenId);
    expect({ estimatedUnits, quantities }).toEqual({ estimatedUnits: 0, quantities: {} });
    expect(reconciliation['total']).toMatchObject({ onHandKg: 0, retiredKg: 8000 });
  });

  /** The farm lets the administrator retire its lots. */
  async function retired(tokenId: number, reason: string): Promise<void> {
    const operator = { operator: trade.admin.address, ok: true };
    await trade.land(farmA, trade.call(farmA, { method: 'setApprovalForAll', metadata: { args: operator } }));
    await trade.land(trade.admin, rice().post<Json>(`/api/v1/nfts/${tokenId}/retire/prepare`, { reason }));
  }

  it('can be lifted, and set again', async () => {
    const { tokenId, tlc } = await harvest();
    const lift = (): Promise<Json> => rice().post(`/api/v1/nfts/${tokenId}/recall/lift/prepare`, { reason: 'Wrong lot' });
    expect(await codeOf(lift())).toBe('409 not_recalled');
    await trade.admin.land((await prepare(trade.admin, tokenId, said))['preparedTx'], 'test');
    await trade.admin.land((await lift())['preparedTx'], 'test');
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'active', recalled: false });
    const closed = (await rice().get<{ data: Json[] }>('/api/v1/recalls?open=false')).data;
    expect(closed[0]).toMatchObject({ open: false, affectedCount: 0, lots: [{ tokenId, liftedBy: trade.admin.address }] });
    await trade.admin.land((await prepare(trade.admin, tokenId, said))['preparedTx'], 'test');
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'recalled' });
    expect(await codeOf(farmA.api.post(`/api/v1/nfts/${tokenId}/recall/lift/prepare`, { reason: 'x' }))).toBe('403 role_required');
  });

  it('with propagation `recall` takes every live affected lot, and prepared again only the rest', async () => {
    const root = await harvest();
    await handOver([root.tokenId]);
    const drying = await dry([root]);
    await mill.land(drying['preparedTx'], 'test');
    const dried = await tokenOf(rice(), drying['outputTlc'] as string);
    // A part of it has landed already: the root alone.
    await trade.admin.land((await prepare(trade.admin, root.tokenId, { ...said, propagation: 'none' }))['preparedTx'], 'test');
    const rest = await prepare(trade.admin, root.tokenId, { ...said, propagation: 'recall' });
    expect(rest['metadata']).toMatchObject({ method: 'recall', tokenIds: [dried], affectedCount: 1 });
    await trade.admin.land(rest['preparedTx'], 'test');
    expect(await rice().lots.byTlc(drying['outputTlc'] as string)).toMatchObject({ status: 'recalled' });
    expect(await codeOf(prepare(trade.admin, root.tokenId, { ...said, propagation: 'recall' }))).toBe('409 already_recalled');
  });

  it('with propagation `hold` holds the affected lots and their descendants until one call releases them', async () => {
    const [root, other] = [await harvest(), await harvest()];
    await handOver([root.tokenId, other.tokenId]);
    const drying = await dry([root]);
    await mill.land(drying['preparedTx'], 'test');
    const driedTlc = drying['outputTlc'] as string;
    await trade.admin.land((await prepare(trade.admin, root.tokenId, { ...said, propagation: 'hold' }))['preparedTx'], 'test');
    expect(await rice().lots.byTlc(driedTlc)).toMatchObject({ status: 'on_hold', onHold: true, recallAffected: true });
    const dried = await tokenOf(rice(), driedTlc);
    expect(await codeOf(mill.api.post('/api/v1/custody/prepare', { tokenId: dried, to: farmA.address }))).toBe('lot_on_hold');
    const milling = metadataOf('RICE_MILLING');
    const use = {
      processType: 'RICE_MILLING',
      inputTokenIds: [dried],
      outputTlc: `RM-${dried}`,
      metadata: { ...milling, inputs: [{ tlc: driedTlc, quantity: { value: 7000, uom: 'KGM' } }] },
    };
    const { errors } = await mill.api.post<{ errors: string[] }>('/api/v1/events/validate', use);
    expect(errors.join()).toContain('is on hold');

    const [recall] = (await rice().get<{ data: Json[] }>('/api/v1/recalls')).data;
    expect(recall).toMatchObject({ propagation: 'hold', holdsReleasedAt: null, preparedAtBlock: expect.any(Number) });
    expect(recall!['preparedAtBlock']).toBe(Number(recall!['blockNumber']) - 1);
    expect(await rice().post(`/api/v1/recalls/${recall!['id']}/release`)).toEqual({ released: 1 });
    const { holdsReleasedAt } = await rice().get<Json>(`/api/v1/recalls/${recall!['id']}`);
    expect(Math.abs(Date.now() - Date.parse(holdsReleasedAt as string))).toBeLessThan(60_000);
    expect(await rice().lots.byTlc(driedTlc)).toMatchObject({ status: 'active', onHold: false });
    expect(await codeOf(rice().post(`/api/v1/recalls/${newId()}/release`))).toBe('404 recall_not_found');
  });

  it.each(['', '&open=true', '&open=false'])('is listed newest first, the same by page and by cursor%s', async (query) => {
    const page = (rest: string): Promise<Json> => rice().get(`/api/v1/recalls?${rest}${query}`);
    const whole = await page('limit=100');
    const ids = (pages: readonly Json[]): string[] => pages.flatMap(({ data }) => (data as Json[]).map(({ id }) => id as string));
    const blocks = (whole['data'] as Json[]).map(({ blockNumber }) => blockNumber as number);
    expect(blocks).toEqual(blocks.toSorted((a, b) => b - a));
    expect(whole).toMatchObject({ total: blocks.length, page: 1, limit: 100, nextCursor: null });
    const open = (whole['data'] as Json[]).map((recall) => recall['open'] as boolean);
    expect(new Set(open)).toEqual(new Set(query === '' ? [true, false] : [query === '&open=true']));

    const numbered = await Promise.all(blocks.map((_, i) => page(`limit=1&page=${i + 1}`)));
    expect(ids(numbered)).toEqual(ids([whole]));
    const followed = [await page('limit=1')];
    while (followed.at(-1)!['nextCursor'] !== null) followed.push(await page(`limit=1&cursor=${followed.at(-1)!['nextCursor']}`));
    expect(ids(followed)).toEqual(ids([whole]));
  });

  it('is published by webhook once, with all lots that it reaches', async () => {
    const { id } = await wool.api.webhooks.create(world.sink.url('/recall'), ['nft.recalled']);
    const [tlc, wanted] = Object.entries(golden('wool').recalls)[0]!;
    const root = await tokenOf(wool.api, tlc);
    await wool.land((await prepare(wool, root, said))['preparedTx'], 'test');
    const [delivery] = await eventually('the webhook', () => {
      const found = world.sink.at('/recall').filter(({ headers }) => headers['x-webhook-event'] === 'nft.recalled');
      return found.length > 0 && found;
    });
    const { data } = JSON.parse(delivery!.body.toString()) as { data: Json };
    expect(data).toMatchObject({ tlc, estimatedUnits: wanted.estimatedUnits, affectedTruncated: false, reason: 'Aflatoxin' });
    expect(data['affectedActors'].length).toBeGreaterThan(1);
    await wool.api.webhooks.delete(id);
  });
});

describe('a hold', () => {
  const hold = (company: Company, tokenId: number, body: object = { reason: 'Lab result due' }): Promise<Json> =>
    company.api.post(`/api/v1/nfts/${tokenId}/hold`, body);
  const release = (company: Company, tokenId: number): Promise<Json> => company.api.post(`/api/v1/nfts/${tokenId}/release`);

  it('stops a lot until it is released, however often it was placed', async () => {
    const { tokenId, tlc } = await harvest();
    expect(await codeOf(release(trade.admin, tokenId))).toBe('409 not_held');
    expect(await hold(trade.admin, tokenId)).toEqual({ tokenId, onHold: true });
    await hold(trade.admin, tokenId);
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'on_hold' });
    expect(await codeOf(farmA.api.post('/api/v1/custody/prepare', { tokenId, to: mill.address }))).toBe('lot_on_hold');
    expect(await release(trade.admin, tokenId)).toEqual({ tokenId, onHold: false });
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'active' });
    await hold(trade.admin, tokenId);
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'on_hold' });
  });

  it('that is placed and released by many at once is placed once and released once', async () => {
    const { tokenId, tlc } = await harvest();
    await Promise.all(Array.from({ length: 8 }, () => hold(trade.admin, tokenId)));
    const ended = await Promise.all(Array.from({ length: 8 }, () => codeOf(release(trade.admin, tokenId))));
    expect(ended.toSorted()).toEqual([...Array.from({ length: 7 }, () => '409 not_held'), 'taken']);
    expect(await rice().lots.byTlc(tlc)).toMatchObject({ status: 'active', onHold: false });
  });

  it('is refused without a reason, of an unknown lot, and by an operator', async () => {
    const { tokenId } = await harvest();
    expect(await codeOf(hold(trade.admin, tokenId, {}))).toBe('required');
    expect(await codeOf(hold(trade.admin, tokenId, { reason: ' \n' }))).toBe('wrong_format');
    expect(await codeOf(hold(trade.admin, tokenId, { reason: '\ud800' }))).toBe('lone_surrogate');
    expect(await codeOf(prepare(trade.admin, tokenId, { reason: ' ' }))).toBe('wrong_format');
    expect(await codeOf(hold(trade.admin, 99_999))).toBe('404 lot_not_found');
    expect(await codeOf(hold(farmA, tokenId))).toBe('403 role_required');
    expect(await codeOf(release(farmA, tokenId))).toBe('403 role_required');
  });
});

describe('a drill', () => {
  const run = (body: object = {}): Promise<Json> => rice().post('/api/v1/recall/drills', body);

  it('on a given lot walks its ancestors and descendants, computes the mass balance, and scores', async () => {
    const drill = await run({ tokenId: await tokenOf(rice(), 'RM-20260920-01') });
    expect(drill).toMatchObject({
      tlc: 'RM-20260920-01',
      drawn: false,
      report: {
        traceBack: { lots: 3, depth: 2, truncated: false },
        traceForward: { lots: 1, depth: 2, truncated: false },
        massBalance: { accountedPercent: 100, unaccountedKg: 0, unmeasuredLots: 0 },
        custodians: { unreachable: [] },
        estimatedUnits: 1400,
        parts: { traceBack: 1, traceForward: 1, massBalance: 1, custodians: 1, time: 1 },
      },
    });
    expect(drill['score']).toBeGreaterThan(90);
    const { elapsedMs } = drill['report'] as { elapsedMs: number };
    expect(elapsedMs).toBeGreaterThanOrEqual(0);
    expect(elapsedMs).toBeLessThan(Date.now() - Date.parse(drill['startedAt'] as string) + 1);
    expect(await rice().get(`/api/v1/recall/drills/${drill['id']}`)).toEqual(drill);
    const { data, total } = await rice().get<{ data: Json[]; total: number }>('/api/v1/recall/drills');
    expect([data[0], total]).toEqual([drill, 1]);
  });

  it('can be downloaded as CSV that no spreadsheet reads as a formula', async () => {
    const [drill] = (await rice().get<{ data: Json[] }>('/api/v1/recall/drills')).data;
    const { headers, lines } = await table(drill!['id'] as string);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="recall-drill-${drill!['id']}.csv"`);
    expect(lines[0]).toBe('section,item,value,unit');
    expect(lines).toContain('recall,estimatedUnits,1400,units');
    expect(lines).toContain('massBalance,accountedPercent,100,%');
    expect(lines).toContain(`drill,elapsed,${drill!['report'].elapsedMs},ms`);
  });

  async function table(id: string): Promise<{ headers: Headers; lines: string[] }> {
    const { email, password } = world.tenant('rice').admin;
    const response = await fetch(`${world.baseUrl}/api/v1/recall/drills/${id}?format=csv`, {
      headers: { authorization: `Bearer ${await accessToken(email, password)}` },
    });
    return { headers: response.headers, lines: (await response.text()).split('\r\n') };
  }

  it('selects a live lot when none is given', async () => {
    const { drawn, tokenId } = await run();
    expect(drawn).toBe(true);
    expect(await rice().get(`/api/v1/nfts/${tokenId}`)).toMatchObject({ isContainer: false, retireReason: null });
  });

  it('names unknown custodians and missing KDEs, and scores less for them', async () => {
    const { lot } = await trade.dried();
    const { outputTlc: milled } = await trade.land(mill, trade.event(mill, trade.milling(lot)));
    const order = trade.packing({ tokenId: await tokenOf(rice(), milled as string), tlc: milled as string }, 'RP263201', '2027-11-01');
    order['metadata'].documents = [];
    const { eventId } = await trade.land(mill, trade.event(mill, order));
    const tokenId = await tokenOf(rice(), 'RP263201');
    await trade.land(mill, trade.custody(mill, { tokenId, to: NOBODY_KNOWN }));
    const { id, report, score } = await run({ tokenId });
    expect(report).toMatchObject({
      kde: { events: 4, complete: 3, missing: [{ eventId, missing: ['/documents/0/number'] }] },
      custodians: { total: 2, unreachable: [NOBODY_KNOWN] },
      parts: { kde: 0.75, custodians: 0.5 },
    });
    // A quarter of the 15 of the key data, and half of the 15 of the custodians.
    expect(score).toBeCloseTo(100 - 3.75 - 7.5, 0);
    const { lines } = await table(id as string);
    expect(lines).toContain(`kde missing,${eventId},/documents/0/number,`);
    expect(lines).toContain(`custodians,unreachable,${NOBODY_KNOWN},`);
  });

  it('is listed with the others, newest first, page by page', async () => {
    const { id: newest } = await run({ tokenId: await tokenOf(rice(), 'RM-20260920-01') });
    const page = (query: string): Promise<{ data: Json[]; total: number }> => rice().get(`/api/v1/recall/drills?${query}`);
    const { data, total } = await page('limit=100');
    expect(data.length).toBeGreaterThan(2);
    expect([data[0]!['id'], total]).toEqual([newest, data.length]);
    const times = data.map(({ startedAt }) => startedAt as string);
    expect(times).toEqual(times.toSorted().toReversed());
    const pages = await Promise.all(data.map((_, i) => page(`limit=1&page=${i + 1}`)));
    expect(pages.flatMap((one) => one.data)).toEqual(data);
  });

  it('is refused on an unknown lot, by an operator, and is not there for another tenant', async () => {
    expect(await codeOf(run({ tokenId: 99_999 }))).toBe('404 lot_not_found');
    expect(await codeOf(run({ tokenId: 'one' }))).toBe('invalid_token_id');
    expect(await codeOf(farmA.api.post('/api/v1/recall/drills', {}))).toBe('403 role_required');
    const [drill] = (await rice().get<{ data: Json[] }>('/api/v1/recall/drills')).data;
    expect(await codeOf(wool.api.get(`/api/v1/recall/drills/${drill!['id']}`))).toBe('404 drill_not_found');
  });
});

async function accessToken(email: string, password: string): Promise<string> {
  const response = await fetch(`${world.baseUrl}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, tenantId: 'rice' }),
  });
  return ((await response.json()) as Json)['accessToken'] as string;
}
