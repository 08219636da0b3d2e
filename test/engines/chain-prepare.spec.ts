import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpc, type PrepareRequest, RpcTransactionPreparer } from '#chain';
import { DemoChain, devWallet, startTestAnvil, type TestAnvil } from '#chain/testing';
import { keccakOf, ZERO_BYTES32 } from '#kernel';
import { eventually } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';

const admin = devWallet(1);
const stranger = devWallet(5);
const NO_EVENT = { eventId: ZERO_BYTES32, processId: ZERO_BYTES32, dataHash: ZERO_BYTES32 };

let anvil: TestAnvil;
let chain: DemoChain;
let front: LyingRpc;
let contract: string;
let preparer: RpcTransactionPreparer;

beforeAll(async () => {
  anvil = await startTestAnvil();
  chain = await DemoChain.deploy(anvil.url);
  contract = await chain.createTenant('rice');
  await chain.mint(admin, contract, ['LOT-1', 'LOT-2']);
  await chain.call(admin, contract, 'recall', [2n, ZERO_BYTES32]);
  front = await LyingRpc.before(anvil.url);
  preparer = new RpcTransactionPreparer(new JsonRpc({ urls: [front.url], timeoutMs: 30_000 }), 31_337);
});
afterAll(async () => {
  await front.close();
  chain.close();
  await anvil.stop();
});

const prepare = (method: string, args: readonly unknown[], from: string | null = admin.address) =>
  preparer.prepare({ contract, from, method, args } satisfies PrepareRequest);
const output = (tlc: string, custodian = admin.address) => ({
  tlcHash: keccakOf(tlc),
  assetType: keccakOf('asset'),
  custodian,
  quantity: 5n,
  expiresAt: 0n,
});
const record = (event: string, inputs: bigint[], quantities: bigint[], outputs: unknown[], mode = 0) =>
  [keccakOf(event), keccakOf('process'), inputs, quantities, outputs, mode, ZERO_BYTES32] as const;

describe('preparing a transaction', () => {
  it('gives a call that lands as it is, with its gas and hints', async () => {
    const { preparedTx, hints, warnings } = await prepare('recordEvent', record('first', [1n], [1_000n], [output('LOT-3')]));
    expect(preparedTx).toMatchObject({ to: contract, chainId: 31_337 });
    expect(hints).toMatchObject({ from: admin.address, nonce: 2, maxFeePerGas: expect.stringMatching(/^\d+$/) });
    expect(warnings).toEqual([]);
    const provider = {
      from: admin.address,
      to: preparedTx.to,
      data: preparedTx.data,
      gas: `0x${Math.ceil(preparedTx.gasEstimate).toString(16)}`,
    };
    const txHash = await chain.rpc.call<string>('eth_sendTransaction', [provider]);
    const receipt = await eventually('the receipt', () =>
      chain.rpc.call<{ status: string; gasUsed: string } | null>('eth_getTransactionReceipt', [txHash]),
    );
    expect(receipt.status).toBe('0x1');
    expect(Math.abs(preparedTx.gasEstimate / Number(receipt.gasUsed) - 1)).toBeLessThan(0.05);
  });

  it('asks the node once a call, and for fees once a second at most', async () => {
    await prepare('setDirectReceipt', [true]);
    front.asked.clear();
    await prepare('setDirectReceipt', [true]);
    await prepare('setDirectReceipt', [false]);
    const { eth_getBlockByNumber: blocks = 0, eth_maxPriorityFeePerGas: tips = 0, ...each } = Object.fromEntries(front.asked);
    expect(each).toEqual({ eth_estimateGas: 2, eth_getTransactionCount: 2 });
    expect([blocks, tips].every((asked) => asked < 2)).toBe(true);
  });

  it('estimates from the gas table and says so when no sender is known', async () => {
    const args = record('table', [], [], [output('LOT-90'), output('LOT-91')]);
    const table = await prepare('recordEvent', args, null);
    const real = await prepare('recordEvent', args);
    expect(table.warnings).toHaveLength(1);
    expect(table.hints).toEqual({ from: null, nonce: null, maxFeePerGas: null, maxPriorityFeePerGas: null });
    expect(Math.abs(table.preparedTx.gasEstimate / real.preparedTx.gasEstimate - 1)).toBeLessThan(0.1);
  });

  const refusals: readonly [string, string, number, () => Promise<unknown>][] = [
    ['TlcTaken', 'tlc_taken', 409, () => prepare('recordEvent', record('x', [], [], [output('LOT-1')]))],
    [
      'EventExists',
      'event_exists',
      409,
      () => prepare('recordEvent', [keccakOf('event of LOT-1,LOT-2'), keccakOf('process'), [], [], [output('Y')], 0, ZERO_BYTES32]),
    ],
    ['NotAuthorized', 'not_authorized', 422, () => prepare('recordEvent', record('x', [], [], [output('Z')]), stranger.address)],
    ['NotCustodian', 'not_custodian', 422, () => prepare('retire', [[1n], [1n], 2, NO_EVENT], stranger.address)],
    ['UnknownLot', 'unknown_lot', 422, () => prepare('offerCustody', [[99n], stranger.address, NO_EVENT])],
    ['LotIsRecalled', 'lot_is_recalled', 422, () => prepare('offerCustody', [[2n], stranger.address, NO_EVENT])],
    ['NotRecalled', 'not_recalled', 422, () => prepare('liftRecall', [[1n], ZERO_BYTES32])],
    ['OverConsumption', 'over_consumption', 422, () => prepare('recordEvent', record('x', [1n], [9_000_000n], [output('Z')]))],
    ['NoOffer', 'no_offer', 422, () => prepare('acceptCustody', [7n, [1n], NO_EVENT], stranger.address)],
    ['NotContainer', 'not_container', 422, () => prepare('recordEvent', record('x', [1n], [], [], 2))],
    ['NotAscending', 'not_ascending', 422, () => prepare('recordEvent', record('x', [1n, 1n], [1n, 1n], [output('Z')]))],
    ['InvalidMode', 'invalid_mode', 422, () => prepare('recordEvent', record('x', [1n], [], [output('Z')], 9))],
    ['InvalidReason', 'invalid_reason', 422, () => prepare('retire', [[1n], [1n], 0, NO_EVENT])],
    ['InvalidShape', 'invalid_shape', 422, () => prepare('recordEvent', record('x', [], [], []))],
    ['UnknownEvent', 'unknown_event', 422, () => prepare('amendEvent', [keccakOf('none'), NO_EVENT])],
    ['TooMany', 'too_many', 422, () => prepare('recallMany', [Array.from({ length: 501 }, (_, i) => BigInt(i + 1)), ZERO_BYTES32])],
    ['LastAdmin', 'last_admin', 422, () => prepare('setRoles', [admin.address, 0n])],
    ['PauseTooLong', 'pause_too_long', 422, () => prepare('pause', [2n ** 40n - 1n])],
    ['NoConsent', 'no_consent', 422, () => prepare('transferFrom', [admin.address, devWallet(7).address, 1n])],
    ['AlreadyInitialized', 'already_initialized', 422, () => prepare('initialize', [ZERO_BYTES32, 'x', admin.address, 1n])],
  ];
  it.each(refusals)('turns %s into %s, %i', async (name, code, status, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ code, status, details: { revert: { name } } });
  });

  it('carries arguments as JSON can', async () => {
    await expect(prepare('recordEvent', record('x', [1n], [9_000_000n], [output('Z')]))).rejects.toMatchObject({
      message: 'Lot 1 has 999000 millionths left; 9000000 were requested.',
      details: { revert: { name: 'OverConsumption', args: { tokenId: 1, remaining: 999_000, requested: 9_000_000 } } },
    });
  });

  it('refuses a call above the gas limit of a transaction', async () => {
    front.lieAbout('eth_estimateGas', () => '0x1000001');
    await expect(prepare('setDirectReceipt', [true])).rejects.toMatchObject({ code: 'gas_limit_exceeded', status: 422 });
    front.answerHonestly();
  });

  it('answers 503 when the node hangs, is down, throttles or answers HTML, and works again afterwards', async () => {
    const troubles: [() => unknown, () => unknown][] = [
      [() => front.answerWith(429, ''), () => front.answerHonestly()],
      [() => front.answerWith(200, '<html>login</html>'), () => front.answerHonestly()],
      [() => front.die(), () => front.revive()],
    ];
    const impatient = new RpcTransactionPreparer(new JsonRpc({ urls: [front.url], timeoutMs: 400 }), 31_337);
    front.hang();
    await expect(impatient.prepare({ contract, from: admin.address, method: 'setDirectReceipt', args: [true] })).rejects.toMatchObject({
      code: 'chain_unavailable',
      status: 503,
    });
    front.answerHonestly();
    for (const [begin, end] of troubles) {
      await begin();
      await expect(prepare('setDirectReceipt', [true])).rejects.toMatchObject({ code: 'chain_unavailable', status: 503 });
      await end();
      await prepare('setDirectReceipt', [true]);
    }
  });

  it('goes to the second node without making the caller wait for the first twice', async () => {
    const both = new RpcTransactionPreparer(new JsonRpc({ urls: [front.url, anvil.url], timeoutMs: 2_000 }), 31_337);
    front.hang();
    await both.prepare({ contract, from: admin.address, method: 'setDirectReceipt', args: [true] });
    const asked = front.requests;
    await both.prepare({ contract, from: admin.address, method: 'setDirectReceipt', args: [true] });
    expect(front.requests).toBe(asked);
    front.answerHonestly();
  });
});
