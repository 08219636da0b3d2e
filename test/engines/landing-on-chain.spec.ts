import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Contract, type HDNodeWallet, JsonRpcProvider } from 'ethers';
import { type ContractLog, type LogBatch, decodeLog } from '#chain';
import { DemoChain, type TestAnvil, devWallet, startTestAnvil } from '#chain/testing';
import { tenantLotsAbi } from '#contracts';
import { type Hex, ZERO_BYTES32, eventIdBytes, keccakOf, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { keysPersistence } from '#sealed-contents';
import { type Lot, traceabilityPersistence } from '#traceability';
import { MAX_UINT256, landingParts } from '#traceability/testing';

const [ADMIN, FARM, MILL, NEW_WALLET, SHOP] = [1, 2, 3, 4, 5].map(devWallet) as [
  HDNodeWallet,
  HDNodeWallet,
  HDNodeWallet,
  HDNodeWallet,
  HDNodeWallet,
];
const KG = 1_000_000n;
/** The role of the contract that receives recalled lots. */
const RETURNS = 16n;
/** A node, a compiler's worth of deployments and hundreds of calls, on a machine that may be busy. */
const SLOW = 120_000;
const NO_EVENT = [ZERO_BYTES32, ZERO_BYTES32, ZERO_BYTES32] as const;
const TABLES = ['lot', 'event_lot', 'edge', 'event', 'account_roles'] as const;

/** Codes of the contract's own view (contracts/src/TenantLots.sol, LotView). */
const ON_CHAIN: Readonly<Record<string, string>> = {
  1: 'active',
  2: 'in_transit',
  3: 'aggregated',
  4: 'consumed',
  5: 'recalled',
  6: 'retired',
};

describe('landing compared with the contract itself', () => {
  let db: TestDatabase;
  let anvil: TestAnvil;
  let chain: DemoChain;
  let provider: JsonRpcProvider;
  let contract: string;
  let tokens = 0n;
  let applied = 0;
  const tenant = { tenantId: newId() };
  const { handler, lots } = landingParts('demo');

  beforeAll(async () => {
    [db, anvil] = await Promise.all([cloneTestDatabase([traceabilityPersistence, keysPersistence]), startTestAnvil({ canReorg: true })]);
    chain = await DemoChain.deploy(anvil.url);
    contract = await chain.createTenant('demo', ADMIN);
    provider = new JsonRpcProvider(anvil.url, chain.chainId, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 });
  }, SLOW);
  afterAll(async () => {
    provider.destroy();
    chain.close();
    await anvil.stop();
    await db.drop();
  }, SLOW);

  const call = (wallet: HDNodeWallet, method: string, ...args: unknown[]) => chain.call(wallet, contract, method, args);
  const asTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.unitOfWork.inTransaction(tenant, work);
  const undo = (lastGoodBlock: number) => db.unitOfWork.asSystem((tx) => handler.undo(tx, chain.chainId, lastGoodBlock));

  async function record(
    wallet: HDNodeWallet,
    inputs: readonly bigint[],
    quantities: readonly bigint[],
    outputs: readonly { tlc: string; quantity?: bigint; to?: HDNodeWallet }[],
    mode = 0,
  ) {
    const minted = outputs.map(({ tlc, quantity = 0n, to = wallet }) => [keccakOf(tlc), keccakOf('GOODS'), to.address, quantity, 0n]);
    const header = [eventIdBytes(newId()), keccakOf('PROCESS'), wallet.address, mode, tokens + 1n, keccakOf(`content ${tokens}`)] as const;
    await call(wallet, 'recordEvent', header[0], header[1], inputs, quantities, minted, mode, header[5]);
    tokens += BigInt(outputs.length);
    return { header, inputs, minted };
  }

  /** The tenant's logs of some blocks, as the indexer would hand them over. */
  async function logsOf(from: number, to: number): Promise<LogBatch> {
    const range = { address: contract, fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
    const raw = await chain.rpc.call<any[]>('eth_getLogs', [range]);
    const perTx = new Map<string, number>();
    const logs: ContractLog[] = [];
    for (const log of raw) {
      const txLogIndex = perTx.get(log.transactionHash) ?? 0;
      perTx.set(log.transactionHash, txLogIndex + 1);
      const decoded = decodeLog(log);
      const { timestamp } = await chain.rpc.call<{ timestamp: string }>('eth_getBlockByHash', [log.blockHash, false]);
      const block = { number: Number(log.blockNumber), hash: log.blockHash as Hex, timestamp: new Date(Number(timestamp) * 1000) };
      if (decoded) logs.push({ ...decoded, contract, block, txHash: log.transactionHash, logIndex: Number(log.logIndex), txLogIndex });
    }
    return { chainId: chain.chainId, contract, logs };
  }

  async function catchUp(): Promise<void> {
    const head = await chain.head();
    for (; applied < head; applied++) {
      const batch = await logsOf(applied + 1, applied + 1);
      await asTenant((tx) => handler.apply(tx, batch));
    }
  }

  const everything = () =>
    asTenant(async (tx) => {
      const tables: string[][] = [];
      for (const table of TABLES) {
        const rows = await tx.sql<{ row: object }>(`select to_jsonb(t) as row from traceability.${table} t`);
        tables.push(rows.map(({ row }) => JSON.stringify(row)).toSorted());
      }
      return tables;
    });

  /** What the contract says of every lot, against what we say of it. */
  async function expectSameAsContract(): Promise<void> {
    const view = new Contract(contract, tenantLotsAbi, provider);
    const minted = Number(await view.getFunction('nextTokenId')()) - 1;
    const tokenIds = Array.from({ length: minted }, (_, i) => BigInt(i + 1));
    const projected = await asTenant((tx) => lots.byTokenIds(tx, tokenIds));
    const byId = new Map(projected.map((lot) => [lot.tokenId, lot]));
    for (const tokenId of tokenIds) {
      const lot = await view.getFunction('lotOf')(tokenId);
      expect({ tokenId, ...ours(byId.get(tokenId)!) }).toEqual({
        tokenId,
        status: ON_CHAIN[String(lot.status)],
        remaining: lot.uncounted ? null : lot.remaining,
        custodian: lot.custodian,
        pendingCustodian: BigInt(lot.pendingCustodian) === 0n ? null : lot.pendingCustodian,
        containerTokenId: lot.containerTokenId === 0n ? null : lot.containerTokenId,
        offerNo: lot.offerNo === 0n ? null : lot.offerNo,
        isContainer: lot.depth > 0n,
        recalled: lot.recalled,
        holdsRecalled: lot.holdsRecalled,
      });
    }
  }

  const ours = (lot: Lot) => ({
    status: lot.status,
    remaining: lot.remaining,
    custodian: lot.custodian,
    pendingCustodian: lot.pendingCustodian,
    containerTokenId: lot.containerTokenId,
    offerNo: lot.offerNo,
    isContainer: lot.isContainer,
    recalled: lot.recalled,
    holdsRecalled: lot.holdsRecalled,
  });

  /** Does something, projects it block by block, and compares every lot. */
  async function transition(act: () => Promise<unknown>): Promise<void> {
    await act();
    await catchUp();
    await expectSameAsContract();
  }

  const harvested = Array.from({ length: 10 }, (_, i) => ({ tlc: `H${i}`, quantity: 10n * KG }));
  const all = Array.from({ length: 10 }, (_, i) => BigInt(i + 1));

  it(
    'says of every lot what the contract says, after every transition of a long story',
    async () => {
      for (const wallet of [FARM, MILL]) await call(ADMIN, 'setRoles', wallet.address, 2);
      await transition(() => record(FARM, [], [], harvested));
      await transition(() => record(FARM, all, [...all.slice(1).map(() => MAX_UINT256), 4n * KG], [{ tlc: 'RICE', quantity: 60n * KG }]));
      await transition(() => record(FARM, [10n, 11n], [], [{ tlc: 'PALLET' }], 1));
      await transition(() => record(FARM, [12n], [], [{ tlc: 'CRATE' }], 1));
      await transition(() => call(FARM, 'offerCustody', [13n], MILL.address, NO_EVENT));
      await transition(() => call(MILL, 'acceptCustody', 1n, [13n], [eventIdBytes(newId()), keccakOf('RECEIVE'), keccakOf('received')]));
      await transition(() => call(ADMIN, 'recall', 11n, ZERO_BYTES32));
      await transition(() => record(MILL, [13n], [], [], 2));
      await transition(() => record(MILL, [12n], [], [], 2));
      await transition(() => call(ADMIN, 'liftRecall', [11n], ZERO_BYTES32));
      await transition(() => call(MILL, 'retire', [10n, 10n], [1n * KG, 2n * KG], 5, NO_EVENT));
      await transition(() => call(MILL, 'retire', [11n], [MAX_UINT256], 1, [eventIdBytes(newId()), keccakOf('SELL'), keccakOf('sold')]));
      await transition(() => call(ADMIN, 'recall', 11n, ZERO_BYTES32));
    },
    SLOW,
  );

  it(
    'gives back what a void gives back',
    async () => {
      await transition(() => record(MILL, [], [], [{ tlc: 'UNCOUNTED' }]));
      const drying = await record(MILL, [10n, 14n], [3n * KG, MAX_UINT256], [{ tlc: 'DRY', quantity: 2n * KG }]);
      await transition(() => Promise.resolve());
      await transition(() => call(MILL, 'voidEvent', drying.header, drying.inputs, [3n * KG, MAX_UINT256], drying.minted, ZERO_BYTES32));
      await transition(() => record(MILL, [10n], [0n], [{ tlc: 'DRY', quantity: 1n }]));
    },
    SLOW,
  );

  it(
    'follows offers without an acceptance, direct transfers and destroyed containers',
    async () => {
      await transition(() => call(MILL, 'offerCustody', [10n], FARM.address, NO_EVENT));
      await transition(() => call(FARM, 'rejectCustody', 2n, [10n], ZERO_BYTES32));
      await transition(() => call(MILL, 'offerCustody', [10n, 14n], FARM.address, NO_EVENT));
      await transition(() => call(MILL, 'cancelCustody', 3n, [14n], ZERO_BYTES32));
      await transition(() => call(FARM, 'setDirectReceipt', true));
      await transition(() => call(MILL, 'transferFrom', MILL.address, FARM.address, 14n));
      await transition(() => record(FARM, [14n], [], [{ tlc: 'BOX' }], 1));
      await transition(() => record(FARM, [17n], [], [{ tlc: 'BIN' }], 1));
      await transition(() => call(FARM, 'retire', [18n], [MAX_UINT256], 3, NO_EVENT));
      await transition(() => call(ADMIN, 'recallMany', [14n, 10n, 3n], ZERO_BYTES32));
    },
    SLOW,
  );

  it(
    'follows parts: offered, taken short, given back, used',
    async () => {
      await transition(() => record(FARM, [], [], [{ tlc: 'SPLIT', quantity: 100n * KG }]));
      const shipped = [eventIdBytes(newId()), keccakOf('SHIP'), keccakOf('shipped')] as const;
      await transition(() => call(FARM, 'offerParts', [19n, 19n], [40n * KG, 10n * KG], MILL.address, shipped));
      await transition(() => call(MILL, 'acceptParts', 4n, [20n, 21n], [35n * KG, MAX_UINT256], 1, NO_EVENT));
      await transition(() => call(FARM, 'offerParts', [19n, 22n], [MAX_UINT256, 1n], MILL.address, NO_EVENT));
      await transition(() => call(FARM, 'cancelCustody', 5n, [19n], ZERO_BYTES32));
      await transition(() => call(MILL, 'rejectCustody', 5n, [23n], ZERO_BYTES32));
      tokens += 4n;
      await transition(() => record(MILL, [20n], [5n * KG], [{ tlc: 'OF A PART', quantity: 4n * KG }]));
      const splits = await asTenant((tx) =>
        tx.sql(`select from_token, to_token, quantity::text, event_id from traceability.edge where kind = 'split' order by to_token`),
      );
      expect(splits).toEqual([
        { from_token: '19', to_token: '20', quantity: '40000000', event_id: null },
        { from_token: '19', to_token: '21', quantity: '10000000', event_id: null },
        { from_token: '20', to_token: '22', quantity: '5000000', event_id: null },
        { from_token: '22', to_token: '23', quantity: '1', event_id: null },
      ]);
      const [event] = await asTenant((tx) =>
        tx.sql(`select input_token_ids from traceability.event where process_id = $1`, [keccakOf('SHIP').toLowerCase()]),
      );
      expect(event).toEqual({ input_token_ids: ['20', '21'] });
      const keys = await asTenant((tx) => tx.sql(`select distinct tlc_hash from traceability.lot where token_id in (19, 20, 21, 22, 23)`));
      expect(keys).toEqual([{ tlc_hash: keccakOf('SPLIT') }]);
    },
    SLOW,
  );

  it(
    'follows a wallet to its new address, offers included',
    async () => {
      await transition(() => call(MILL, 'proposeWallet', MILL.address, NEW_WALLET.address));
      // It holds a recalled lot.
      await transition(() => call(ADMIN, 'setRoles', NEW_WALLET.address, RETURNS));
      await transition(() => call(NEW_WALLET, 'acceptWallet', MILL.address));
      await transition(() => call(FARM, 'proposeWallet', FARM.address, SHOP.address));
      await transition(() => call(SHOP, 'acceptWallet', FARM.address));
    },
    SLOW,
  );

  it(
    'is the same from scratch in one range, and after the chain was reorganised',
    async () => {
      const stepwise = await everything();
      const head = await chain.head();
      await undo(0);
      const whole = await logsOf(1, head);
      await asTenant((tx) => handler.apply(tx, whole));
      expect(await everything()).toEqual(stepwise);

      await chain.reorg(6);
      const hashes = await asTenant((tx) => tx.sql<{ n: string }>('select max(from_block) as n from traceability.lot'));
      expect(Number(hashes[0]!.n)).toBeGreaterThan(head - 6);
      await undo(head - 6);
      applied = head - 6;
      await transition(() => Promise.resolve());
      const reorganised = await everything();
      await undo(0);
      const again = await logsOf(1, await chain.head());
      await asTenant((tx) => handler.apply(tx, again));
      expect(await everything()).toEqual(reorganised);
      expect(reorganised).not.toEqual(stepwise);
    },
    SLOW,
  );
});
