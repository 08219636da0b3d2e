import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ContractLog, TenantLotsEvents } from '#chain';
import { CustodyProjector, custodyPersistence } from '#custody';
import type { Tenants } from '#identity';
import { ZERO_BYTES32, eventIdBytes, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import type { Lot, Lots } from '#traceability';

const [farmer, mill, shop] = ['0xFa', '0x31', '0x50'];
const contract = '0xC0';
const tenantId = newId();
const shipping = newId();

/** Lot 20 is a pallet with carton 21 in it, and bag 22 in that. */
const lots = {
  byTokenIds: async (_tx: unknown, ids: readonly bigint[]) =>
    ids.map((tokenId) => ({ tokenId, tlc: `LOT-${tokenId}`, isContainer: tokenId === 20n || tokenId === 21n }) as Lot),
  contentsAt: async (_tx: unknown, asked: Parameters<Lots['contentsAt']>[1]) =>
    asked.flatMap(({ containerTokenId, moment }) =>
      containerTokenId !== 20n
        ? []
        : [
            { containerTokenId, moment, tokenId: 21n, viaTokenId: 20n },
            { containerTokenId, moment, tokenId: 22n, viaTokenId: 21n },
          ],
    ),
} as Partial<Lots> as Lots;
const handler = new CustodyProjector(lots, { byId: async () => ({ slug: 'rice' }) } as unknown as Tenants);

type CustodyName = 'CustodyOffered' | 'CustodyAccepted' | 'CustodyRejected' | 'CustodyCancelled' | 'CustodyMoved';
const log = <Name extends CustodyName>(name: Name, block: number, args: Partial<TenantLotsEvents[Name]>): ContractLog =>
  ({
    name,
    args: { offerNo: 1n, from: farmer, to: mill, eventId: ZERO_BYTES32, dataHash: ZERO_BYTES32, tokenIds: [], ...args },
    contract,
    block: { number: block, hash: `0x${block}`, timestamp: new Date(Date.UTC(2026, 8, 20, 0, 0, block * 10)) },
    txHash: `0x${name}${block}`,
    logIndex: 4,
    txLogIndex: 2,
  }) as unknown as ContractLog;

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneTestDatabase([custodyPersistence]);
});
afterAll(() => database.drop());
beforeEach(() =>
  database.unitOfWork.asSystem(async (tx) => {
    await tx.sql('delete from custody.transfer');
    await tx.sql('delete from persistence.outbox');
  }),
);

const land = (...logs: ContractLog[]): Promise<void> =>
  database.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, { chainId: 31337, contract, logs }));
const undo = (lastGoodBlock: number): Promise<void> => database.unitOfWork.asSystem((tx) => handler.undo(tx, 31337, lastGoodBlock));
const rows = (): Promise<Record<string, unknown>[]> =>
  database.unitOfWork.inTransaction({ tenantId }, (tx) => tx.sql('select * from custody.transfer order by token_id, offered_block'));
const statuses = async (): Promise<Record<string, unknown>> => Object.fromEntries((await rows()).map((row) => [row['id'], row['status']]));
const topics = async (topic: string): Promise<{ key: string; data: Record<string, unknown> }[]> =>
  (await published()).filter(({ key }) => key.startsWith(`${topic}:`));
const published = (): Promise<{ key: string; data: Record<string, unknown> }[]> =>
  database.unitOfWork
    .inTransaction({ tenantId }, (tx) =>
      tx.sql<{ dedup_key: string; body: string }>('select dedup_key, body from persistence.outbox order by seq'),
    )
    .then((found) =>
      found.map(({ dedup_key: key, body }) => ({ key, data: (JSON.parse(body) as { data: Record<string, unknown> }).data })),
    );

describe('custody follows the chain', () => {
  it('keeps an offer pending until it is accepted, part by part, and tells once per lot', async () => {
    await land(log('CustodyOffered', 10, { tokenIds: [1n, 2n, 3n], eventId: eventIdBytes(shipping) }));
    expect(await statuses()).toEqual({ '1-1': 'pending', '2-1': 'pending', '3-1': 'pending' });
    const offers = await published();
    expect(offers.map(({ key }) => key)).toEqual([1, 2, 3].map((lot) => `custody.offered:31337:0xCustodyOffered10:2:${lot}`));
    expect(offers[2]!.data).toEqual({
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: contract,
      txHash: '0xCustodyOffered10',
      blockNumber: 10,
      occurredAt: '2026-09-20T00:01:40.000Z',
      transferId: '3-1',
      tokenId: 3,
      tlc: 'LOT-3',
      from: farmer,
      to: mill,
      viaContainerTokenId: null,
      eventId: shipping,
    });

    await land(log('CustodyAccepted', 12, { tokenIds: [1n, 2n] }), log('CustodyRejected', 12, { tokenIds: [3n] }));

    expect(await statuses()).toEqual({ '1-1': 'accepted', '2-1': 'accepted', '3-1': 'rejected' });
    const { eventId: _, ...rejected } = offers[2]!.data;
    expect(await topics('custody.rejected')).toEqual([
      {
        key: 'custody.rejected:31337:0xCustodyRejected12:2:3',
        data: {
          ...rejected,
          txHash: '0xCustodyRejected12',
          blockNumber: 12,
          occurredAt: '2026-09-20T00:02:00.000Z',
          offeredAt: '2026-09-20T00:01:40.000Z',
          reason: null,
          pendingSeconds: 20,
        },
      },
    ]);
    expect(await topics('custody.transferred')).toMatchObject([
      {
        data: {
          transferId: '1-1',
          tenantId: 'rice',
          tlc: 'LOT-1',
          from: farmer,
          to: mill,
          eventId: shipping,
          pendingSeconds: 20,
          blockNumber: 12,
        },
      },
      {
        data: {
          transferId: '2-1',
          offeredAt: '2026-09-20T00:01:40.000Z',
          acceptedAt: '2026-09-20T00:02:00.000Z',
          viaContainerTokenId: null,
        },
      },
    ]);
  });

  it('moves contents with their container and says what they moved in', async () => {
    await land(log('CustodyOffered', 10, { tokenIds: [20n] }), log('CustodyAccepted', 11, { tokenIds: [20n] }));
    expect(await rows()).toMatchObject([
      { id: '20-1', named_token_id: '20', via_container_token_id: null, status: 'accepted' },
      { id: '21-1', named_token_id: '20', via_container_token_id: '20', status: 'accepted' },
      { id: '22-1', named_token_id: '20', via_container_token_id: '21', status: 'accepted' },
    ]);
    // In the order of the logs, whatever number of blocks is applied at once.
    expect((await published()).map(({ key, data }) => [key.split(':', 1)[0], data['tokenId']])).toEqual(
      ['custody.offered', 'custody.transferred'].flatMap((topic) => [20, 21, 22].map((lot) => [topic, lot])),
    );
  });

  it('closes the contents of an offered container whose offer landed in an earlier block', async () => {
    await land(log('CustodyOffered', 10, { tokenIds: [20n] }));
    await land(log('CustodyCancelled', 11, { tokenIds: [20n] }));
    expect(await statuses()).toEqual({ '20-1': 'cancelled', '21-1': 'cancelled', '22-1': 'cancelled' });
    expect(await topics('custody.transferred')).toEqual([]);
    expect(await topics('custody.rejected')).toEqual([]);
  });

  it('records a direct move as complete', async () => {
    await land(log('CustodyMoved', 10, { tokenId: 5n, from: mill, to: shop }));
    expect(await rows()).toMatchObject([{ status: 'direct', offer_no: null, offered_block: null, closed_from: mill, closed_to: shop }]);
    expect(await published()).toMatchObject([{ data: { tokenId: 5, from: mill, to: shop, offeredAt: null, pendingSeconds: 0 } }]);
  });

  it('undoes blocks, and gives the same rows and no second topic when they come again', async () => {
    const history = [
      log('CustodyOffered', 10, { tokenIds: [1n, 20n] }),
      log('CustodyAccepted', 12, { tokenIds: [1n, 20n] }),
      log('CustodyOffered', 13, { offerNo: 2n, tokenIds: [1n], from: mill, to: shop }),
      log('CustodyMoved', 14, { tokenId: 5n }),
    ];
    await land(...history);
    const [before, sent] = [await rows(), await published()];

    await undo(11);
    expect(await statuses()).toEqual({ '1-1': 'pending', '20-1': 'pending', '21-1': 'pending', '22-1': 'pending' });

    await land(...history.slice(1));
    expect(await rows()).toEqual(before);
    expect(await published()).toEqual(sent);

    await undo(9);
    expect(await rows()).toEqual([]);
  });

  it('throws at an acceptance of an unknown offer', async () => {
    await expect(land(log('CustodyAccepted', 12, { offerNo: 77n, tokenIds: [1n] }))).rejects.toThrow('offer 77 was never seen for lot 1');
  });
});
