import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import { keccakOf } from '#kernel';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade, codeOf } from './rice-trade.js';

let world: World;
let rice: RiceTrade;
beforeAll(async () => {
  world = await World.start();
  rice = await RiceTrade.of(world);
  await rice.land(rice.farmA, rice.call(rice.farmA, { method: 'setDirectReceipt', metadata: { args: { allowed: true } } }));
  await rice.land(
    rice.mill,
    rice.call(rice.mill, { method: 'setApprovalForAll', metadata: { args: { operator: rice.admin.address, ok: true } } }),
  );
});
afterAll(() => world?.close());

const hold = (tokenId: number): Promise<Json> => rice.api.post(`/api/v1/nfts/${tokenId}/hold`, { reason: 'Lab result due' });
const release = (tokenId: number): Promise<Json> => rice.api.post(`/api/v1/nfts/${tokenId}/release`);
const answer = (company: Company, action: string, tokenId: number, more: object = {}): Promise<Json> =>
  rice.custody(company, { action, tokenId, ...more });
const event = (processType: string, more: object = {}): { processType: string; metadata: Json } => ({
  processType,
  metadata: { ...rice.metadataOf(processType), ...more },
});
const codesOf = (requests: readonly Promise<unknown>[]): Promise<string[]> => Promise.all(requests.map(codeOf));
const validated = async (company: Company, body: object): Promise<string[]> => {
  const { issues } = await company.api.post<{ issues: Json[] }>('/api/v1/events/validate', body);
  return issues
    .filter(({ pointer }) => String(pointer).startsWith('/inputTokenIds'))
    .map(({ code, severity }) => `${severity as string} ${code as string}`);
};

/** Every way to send a lot that the mill holds to somebody. */
function sending(tokenId: number): Promise<unknown>[] {
  const { mill, dist, farmA } = rice;
  const args = { from: mill.address, to: farmA.address };
  const shipping = event('RICE_SHIPPING');
  const offered = { method: 'offerCustody', inputTokenIds: [tokenId] };
  return [
    rice.custody(mill, { tokenId, to: dist.address }),
    rice.custody(mill, { tokenId, to: dist.address, ...shipping }),
    rice.call(mill, { ...offered, metadata: { args: { to: dist.address } } }),
    rice.call(mill, {
      ...offered,
      processId: keccakOf(shipping.processType),
      metadata: { ...shipping.metadata, args: { to: dist.address } },
    }),
    rice.call(mill, { method: 'transferFrom', inputTokenIds: [tokenId], metadata: { args } }),
    rice.call(mill, { method: 'safeTransferFrom', metadata: { args: { ...args, tokenId } } }),
    rice.event(mill, { ...shipping, inputTokenIds: [tokenId] }),
  ];
}

/** Every way for the distributor to take a lot that it was offered. */
function taking(tokenId: number, no: string): Promise<unknown>[] {
  const { dist } = rice;
  const receiving = event('RICE_RECEIVING');
  const accepted = { method: 'acceptCustody', inputTokenIds: [tokenId] };
  return [
    answer(dist, 'accept', tokenId),
    answer(dist, 'accept', tokenId, receiving),
    rice.call(dist, { ...accepted, metadata: { args: { no } } }),
    rice.call(dist, { ...accepted, processId: keccakOf(receiving.processType), metadata: { ...receiving.metadata, args: { no } } }),
  ];
}

const all = (requests: readonly unknown[], code: string): string[] => requests.map(() => code);
/** The number of the offer to the distributor, as its rejection names it. */
const offerNo = async (tokenId: number): Promise<string> =>
  ((await answer(rice.dist, 'reject', tokenId))['transferIds'] as string[])[0]!.split('-')[1]!;

it('of a lot stops every way of sending it, until it is released', async () => {
  const [tokenId] = (await rice.make([], 1)) as [number];
  await hold(tokenId);
  const refused = await codesOf(sending(tokenId));
  expect(refused).toEqual(all(refused, 'lot_on_hold'));
  expect(await validated(rice.mill, { ...event('RICE_SHIPPING'), inputTokenIds: [tokenId] })).toEqual(['error lot_on_hold']);

  await release(tokenId);
  const prepared = await codesOf(sending(tokenId));
  expect(prepared).toEqual(all(prepared, 'taken'));
});

it('of a lot on the way stops its acceptance; it may be rejected, cancelled and then retired', async () => {
  const { mill, dist } = rice;
  const [tokenId] = (await rice.make([], 1)) as [number];
  const offer = (): Promise<Json> => rice.land(mill, rice.custody(mill, { tokenId, to: dist.address }));
  await offer();
  await hold(tokenId);
  const refused = await codesOf(taking(tokenId, await offerNo(tokenId)));
  expect(refused).toEqual(all(refused, 'lot_on_hold'));
  await rice.land(dist, answer(dist, 'reject', tokenId));

  await release(tokenId);
  await offer();
  const no = await offerNo(tokenId);
  const prepared = await codesOf(taking(tokenId, no));
  expect(prepared).toEqual(all(prepared, 'taken'));

  await hold(tokenId);
  const closing = { inputTokenIds: [tokenId], metadata: { args: { no } } };
  expect(await codeOf(rice.call(dist, { method: 'rejectCustody', ...closing }))).toBe('taken');
  expect(await codeOf(rice.call(mill, { method: 'cancelCustody', ...closing }))).toBe('taken');
  await rice.land(mill, answer(mill, 'cancel', tokenId));
  await rice.land(rice.admin, rice.api.post<Json>(`/api/v1/nfts/${tokenId}/retire/prepare`, { reason: 'disposed' }));
  expect(await rice.lot(tokenId)).toMatchObject({ status: 'retired' });
});

it('of a lot stops the containers that it is in, at any depth, and names it', async () => {
  const { mill, dist } = rice;
  const bags = await rice.make([], 3);
  const [carton] = (await rice.make(bags.slice(0, 2), 1, 1)) as [number];
  const [pallet] = (await rice.make([bags[2]!, carton], 1, 1)) as [number];
  await hold(bags[0]!);
  const refused = await codesOf(sending(pallet));
  expect(refused).toEqual(all(refused, 'lot_on_hold'));
  const problem = await rice.custody(mill, { tokenId: pallet, to: dist.address }).catch(({ body }: { body: Json }) => body);
  expect(problem['errors']).toMatchObject([{ pointer: '/tokenId', message: `lot ${pallet} holds lot ${bags[0]}, which is on hold` }]);

  await release(bags[0]!);
  await rice.land(mill, rice.custody(mill, { tokenId: pallet, to: dist.address }));
  await hold(bags[1]!);
  const untaken = await codesOf(taking(pallet, await offerNo(pallet)));
  expect(untaken).toEqual(all(untaken, 'lot_on_hold'));
  await release(bags[1]!);
  await rice.land(dist, answer(dist, 'accept', pallet));
  for (const tokenId of [...bags, carton, pallet]) expect(await rice.lot(tokenId)).toMatchObject({ custodian: dist.address });
});

it('forgets what was taken out of a container', async () => {
  const bags = await rice.make([], 2);
  const [pallet] = (await rice.make(bags, 1, 1)) as [number];
  await hold(bags[0]!);
  expect(await codeOf(rice.custody(rice.mill, { tokenId: pallet, to: rice.dist.address }))).toBe('lot_on_hold');
  await rice.send([pallet], 0, 2);
  const again = (await rice.make([bags[1]!], 1, 1)) as [number];
  expect(await codeOf(rice.custody(rice.mill, { tokenId: again[0], to: rice.dist.address }))).toBe('taken');
});

it('is no recall: a recalled lot travels with an event that says it goes back', async () => {
  const { mill, farmB, admin } = rice;
  const [tokenId] = (await rice.make([], 1)) as [number];
  await rice.land(admin, rice.recall(admin, tokenId, { reason: 'Glass in the hopper', recallClass: 'II', depth: 'retail' }));
  await rice.land(admin, rice.call(admin, { method: 'setRoles', metadata: { args: { account: farmB.address, roles: 2 + 16 } } }));
  const back = (more: object = {}): Promise<Json> => rice.custody(mill, { tokenId, to: farmB.address, ...event('RICE_SHIPPING', more) });
  expect(await codeOf(back())).toBe('lot_recalled');
  expect(await validated(mill, { ...event('RICE_SHIPPING'), inputTokenIds: [tokenId] })).toEqual(['error lot_recalled']);
  const returned = { ...event('RICE_SHIPPING', { recallReturn: true }), inputTokenIds: [tokenId] };
  expect(await validated(mill, returned)).toEqual(['warning lot_recalled']);
  await rice.land(mill, back({ recallReturn: true }));
  await rice.land(farmB, answer(farmB, 'accept', tokenId, event('RICE_RECEIVING', { recallReturn: true })));
  expect(await rice.lot(tokenId)).toMatchObject({ status: 'recalled', custodian: farmB.address });
});

describe('with a scope', () => {
  const scoped = async (name: string, role: 'COMPLIANCE' | 'TENANT_ADMIN', scope: string[]): Promise<TraceabilityClient> => {
    const { secret } = await rice.api.post<{ secret: string }>('/api/v1/api-keys', { name, roles: [role], roleScopes: { [role]: scope } });
    return new TraceabilityClient(world.baseUrl, { apiKey: secret });
  };
  const ask = (by: TraceabilityClient, path: string, body?: object): Promise<string> => codeOf(by.post(`/api/v1/${path}`, body));

  it('are of the processes in which the lots were made', async () => {
    const { from, lot } = await rice.dried();
    const compliance = await scoped('compliance of harvests', 'COMPLIANCE', ['RICE_HARVESTING']);
    const reason = { reason: 'Lab result due' };
    for (const [tokenId, held, released] of [
      [from.tokenId, 'taken', 'taken'],
      [lot.tokenId, '403 process_out_of_scope', '403 process_out_of_scope'],
    ] as const) {
      expect(await ask(compliance, `nfts/${tokenId}/hold`, reason)).toBe(held);
      expect(await ask(compliance, `nfts/${tokenId}/release`)).toBe(released);
    }
    expect(await ask(await scoped('administrator of dryings', 'TENANT_ADMIN', ['RICE_DRYING']), `nfts/${lot.tokenId}/hold`, reason)).toBe(
      'taken',
    );
    await release(lot.tokenId);
  });

  it('a recall is prepared, lifted and released within the processes of the lots that it recalls and holds', async () => {
    const { from, lot } = await rice.dried();
    const [harvests, both] = [
      await scoped('administrator of harvests', 'TENANT_ADMIN', ['RICE_HARVESTING']),
      await scoped('administrator of both', 'TENANT_ADMIN', ['RICE_HARVESTING', 'RICE_DRYING']),
    ];
    const recall = (propagation: string) => ({ reason: 'Cadmium', recallClass: 'I', depth: 'wholesale', propagation });
    const asked = (by: TraceabilityClient, tokenId: number): Promise<string[]> =>
      codesOf(['none', 'flag', 'hold', 'recall'].map((how) => by.post(`/api/v1/nfts/${tokenId}/recall/prepare`, recall(how))));
    const outside = '403 process_out_of_scope';
    expect(await asked(harvests, from.tokenId)).toEqual(['taken', 'taken', outside, outside]);
    expect(await asked(harvests, lot.tokenId)).toEqual([outside, outside, outside, outside]);
    expect(await asked(both, from.tokenId)).toEqual(['taken', 'taken', 'taken', 'taken']);

    await rice.land(rice.admin, rice.recall(rice.admin, from.tokenId, recall('hold')));
    await eventuallyHolds(async () => expect((await rice.lot(lot.tokenId))['onHold']).toBe(true));
    const { data } = await rice.api.get<{ data: Json[] }>('/api/v1/recalls?limit=100');
    const { id } = data.find(({ lots }) => (lots as Json[]).some((one) => one['tokenId'] === from.tokenId))!;
    expect(await ask(harvests, `recalls/${id}/release`)).toBe(outside);
    expect(await ask(harvests, `nfts/${lot.tokenId}/recall/lift/prepare`, { reason: 'Done' })).toBe(outside);
    expect(await ask(harvests, `nfts/${from.tokenId}/recall/lift/prepare`, { reason: 'Done' })).toBe('taken');
    expect(await ask(both, `recalls/${id}/release`)).toBe('taken');
    expect((await rice.lot(lot.tokenId))['onHold']).toBe(false);
  });
});
