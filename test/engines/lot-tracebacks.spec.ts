import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ZERO_BYTES32, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { traceabilityPersistence } from '#traceability';
import { LogWriter, TracebackQueries, landingParts } from '#traceability/testing';

const FARM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const MILL = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const KG = 1_000_000n;

describe('tracebacks of lots', () => {
  const tenant = { tenantId: newId() };
  const book = new LogWriter('0x5FbDB2315678afecb367f032d93F642f64180aa3');
  let database: TestDatabase;

  beforeAll(async () => {
    database = await cloneTestDatabase([traceabilityPersistence]);
    const { handler } = landingParts('demo', {});
    // Blocks are made a second after another, from the first of September on.
    const expiresAt = BigInt(Date.UTC(2026, 8, 1) / 1000 + 3);
    book.record({
      id: newId(),
      processType: 'HARVEST',
      actor: FARM,
      outputs: [{ tlc: 'H', custodian: FARM, quantity: 10n * KG, expiresAt }],
    });
    const lot = book.token('H');
    book.mine();
    const offer = book.offer([lot], FARM, MILL);
    book.mine().accept(offer, [lot], FARM, MILL).mine();
    book.record({
      id: newId(),
      processType: 'MILL',
      actor: MILL,
      inputs: [lot],
      consumed: [4n * KG],
      outputs: [
        { tlc: 'A', custodian: MILL, quantity: KG },
        { tlc: 'B', custodian: MILL, quantity: KG },
      ],
    });
    await database.unitOfWork.inTransaction(tenant, (tx) => handler.apply(tx, book.batch()));
  });
  afterAll(() => database?.drop());

  const traced = (asOf: number | null) =>
    database.unitOfWork.inSnapshot(tenant, async (tx) => {
      const [traceback] = await new TracebackQueries().of(tx, [book.token('H'), 999n], asOf);
      const { status, custodian, pendingCustodian, pastCustodians, remaining, made } = traceback!;
      return { status, custodian, pendingCustodian, pastCustodians, remaining, made };
    });

  it('have the state and the time of the block that is asked about', async () => {
    const minted = { custodian: FARM, pendingCustodian: null, pastCustodians: [], remaining: 10n * KG, made: 1 };
    expect(await traced(1)).toEqual({ ...minted, status: 'active' });
    expect(await traced(2)).toEqual({ ...minted, status: 'in_transit', pendingCustodian: MILL });
    const accepted = { ...minted, custodian: MILL, pastCustodians: [FARM] };
    expect(await traced(3)).toEqual({ ...accepted, status: 'expired' });
    expect(await traced(4)).toEqual({ ...accepted, status: 'expired', remaining: 6n * KG });
    expect(await traced(null)).toEqual(await traced(4));
  });

  it('were not expired before the block in which that time came', async () => {
    const none = await database.unitOfWork.inSnapshot(tenant, (tx) => new TracebackQueries().of(tx, [book.token('H')], 0));
    expect(none).toEqual([]);
    expect((await traced(1)).status).not.toBe((await traced(null)).status);
  });

  it('are listed in the order of their token ids', async () => {
    const asked = ['B', 'H', 'A'].map((tlc) => book.token(tlc));
    const tracebacks = await database.unitOfWork.inSnapshot(tenant, (tx) => new TracebackQueries().of(tx, asked, null));
    expect(tracebacks.map(({ tokenId }) => tokenId)).toEqual(['H', 'A', 'B'].map((tlc) => book.token(tlc)));
    expect(tracebacks.map(({ made }) => made)).toEqual([1, 2, 2]);
  });

  it('remember what was sold, exported or lost in part, whatever became of the rest, as of each block and after a reorganisation', async () => {
    const mine = { tenantId: newId() };
    const { handler } = landingParts('other', {});
    const sales = new LogWriter('0x5FbDB2315678afecb367f032d93F642f64180aa3', 31_338);
    const lot = sales.record({
      id: newId(),
      processType: 'PACK',
      actor: FARM,
      outputs: [{ tlc: 'S', custodian: FARM, quantity: 100n * KG }],
    });
    const tokenIds = [lot.token('S')];
    const retire = (reason: number, kg: bigint): void => {
      sales
        .mine()
        .send('LotsRetired', { actor: FARM, reason, eventId: ZERO_BYTES32, dataHash: ZERO_BYTES32, tokenIds, quantities: [kg * KG] });
    };
    retire(1, 60n);
    retire(4, 3n);
    retire(7, 2n);
    retire(2, 5n);
    const rest = { inputs: tokenIds, consumed: [30n * KG], outputs: [{ tlc: 'U', custodian: FARM, quantity: KG }] };
    sales.mine().record({ id: newId(), processType: 'USE', actor: FARM, ...rest });
    const stands = (asOf: number | null) =>
      database.unitOfWork.inSnapshot(mine, async (tx) => {
        const [traceback] = await new TracebackQueries().of(tx, tokenIds, asOf);
        return [traceback!.status, Number(traceback!.remaining! / KG), Number(traceback!.leftSupplyChain / KG)];
      });
    const story = [
      ['active', 100, 0],
      ['active', 40, 60],
      ['active', 37, 63],
      ['active', 35, 65],
      ['active', 30, 65],
      ['consumed', 0, 65],
    ];
    for (let block = 1; block <= sales.blockNumber; block++) {
      await database.unitOfWork.inTransaction(mine, (tx) => handler.apply(tx, sales.batch(block, block)));
      expect(await stands(null)).toEqual(story[block - 1]);
    }
    for (let block = sales.blockNumber; block >= 1; block--) {
      expect(await stands(block)).toEqual(story[block - 1]);
      await database.unitOfWork.asSystem((tx) => handler.undo(tx, 31_338, block));
      expect(await stands(null)).toEqual(story[block - 1]);
    }
    await database.unitOfWork.inTransaction(mine, (tx) => handler.apply(tx, sales.batch(2)));
    expect(await stands(null)).toEqual(story.at(-1));
  });
});
