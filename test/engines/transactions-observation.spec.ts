import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpc, encodeCall } from '#chain';
import { DemoChain, type TestAnvil, devWallet, startTestAnvil } from '#chain/testing';
import { ZERO_BYTES32, eventIdBytes, keccakOf, newId } from '#kernel';
import { type ObservedHash, type PollResult, TransactionClient, type Observation } from '#transactions/testing';
import { eventually } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';

const admin = devWallet(1);
/** Several fields say the place of a transaction; the first one that differs is counted. */
const FIELDS_OF_A_PLACE = 'blockHash|blockNumber|transactionHash';
const TRACING_METHODS = ['debug_traceTransaction', 'trace_transaction'];

/** Everything a node can say of a transaction, asked of a real one, through a front that can lie. */
describe.each([
  ['the node that ships', false],
  ['a node that keeps its history', true],
])('observing transactions of %s', (_kind, hasHistory) => {
  let anvil: TestAnvil;
  let chain: DemoChain;
  let front: LyingRpc;
  let contract: string;
  let client: TransactionClient;

  beforeAll(async () => {
    anvil = await startTestAnvil({ canReorg: hasHistory });
    chain = await DemoChain.deploy(anvil.url);
    contract = await chain.createTenant('rice');
    await chain.mint(admin, contract, ['LOT-1']);
    front = await LyingRpc.before(anvil.url);
    client = new TransactionClient(new JsonRpc({ urls: [front.url], timeoutMs: 2_000, passes: 1 }));
  });
  afterEach(async () => {
    front.answerHonestly();
    await chain.rpc.call('evm_setAutomine', [true]);
  });
  afterAll(async () => {
    await front.close();
    chain.close();
    await anvil.stop();
  });

  const asking = (txHash: string, known: Partial<ObservedHash> = {}): ObservedHash => ({
    txHash,
    from: null,
    nonce: null,
    blockNumber: null,
    blockHash: null,
    revertReason: null,
    ...known,
  });
  const observe = (...hashes: readonly ObservedHash[]): Promise<PollResult> => client.observe(hashes);
  const observed = async (hash: ObservedHash): Promise<Observation> => (await observe(hash)).observations.get(hash.txHash)!;
  const knownFrom = ({ sent, mined }: Observation): Partial<ObservedHash> => ({
    from: sent!.from,
    nonce: sent!.nonce,
    blockNumber: mined?.blockNumber ?? null,
    blockHash: mined?.blockHash ?? null,
  });
  const send = (method: string, args: readonly unknown[], more: object = {}, from = admin.address): Promise<string> =>
    chain.rpc.call<string>('eth_sendTransaction', [{ from, to: contract, data: encodeCall(method, args), gas: '0x80000', ...more }]);
  const isMined = (txHash: string): Promise<unknown> =>
    eventually('the receipt', () => chain.rpc.call<object | null>('eth_getTransactionReceipt', [txHash]));
  const sendMined = async (method: string, args: readonly unknown[]): Promise<string> => {
    const txHash = await send(method, args);
    await isMined(txHash);
    return txHash;
  };
  const consent = (allowed: boolean, more?: object): Promise<string> => send('setDirectReceipt', [allowed], more);

  it('finds sender, place and cost of a mined one', async () => {
    const txHash = await sendMined('setDirectReceipt', [true]);
    const { mined, sent, ...rest } = await observed(asking(txHash));
    expect(sent).toMatchObject({ from: admin.address, to: contract, nonce: expect.any(Number) });
    expect(mined).toMatchObject({
      succeeded: true,
      blockHash: await chain.blockHash(mined!.blockNumber),
      gasUsed: expect.stringMatching(/^\d+$/),
    });
    expect(Math.abs(mined!.blockTime.getTime() - Date.now())).toBeLessThan(600_000);
    expect(rest).toEqual({ revertReason: null, eventId: null, eventDataHash: null, orphaned: false, replaced: null });
  });

  it('keeps a nonce that no column holds as one that is never reached', async () => {
    await chain.rpc.call('evm_setAutomine', [false]);
    const txHash = await consent(true);
    front.lieAbout('eth_getTransactionByHash', (honest: object) => ({ ...honest, nonce: '0xfffffffffffffffe' }));
    expect(await observed(asking(txHash))).toMatchObject({ sent: { nonce: Number.MAX_SAFE_INTEGER }, mined: null, replaced: null });
    await chain.mine();
    await isMined(txHash);
  });

  it('reads the event and its commitment from the calldata, and nothing from calldata of another contract', async () => {
    const eventId = newId();
    const output = [keccakOf('LOT-2'), keccakOf('asset'), admin.address, 1n, 0n];
    const args = [eventIdBytes(eventId), keccakOf('process'), [], [], [output], 0, keccakOf('content')];
    expect(await observed(asking(await sendMined('recordEvent', args)))).toMatchObject({ eventId, eventDataHash: keccakOf('content') });
    const { receipt } = await chain.mint(admin, contract, ['LOT-3']);
    expect(await observed(asking(receipt.hash))).toMatchObject({ mined: { succeeded: true }, eventId: null, eventDataHash: null });
    const odd = await chain.rpc.call<string>('eth_sendTransaction', [
      { from: admin.address, to: devWallet(3).address, data: '0xdeadbeef01' },
    ]);
    await isMined(odd);
    expect(await observed(asking(odd))).toMatchObject({ mined: { succeeded: true }, eventId: null, sent: { to: devWallet(3).address } });
  });

  describe('that failed', () => {
    let failed: string;
    const REASON = `TlcTaken(${keccakOf('LOT-1')}, 1)`;
    beforeAll(async () => {
      const output = [keccakOf('LOT-1'), keccakOf('asset'), admin.address, 1n, 0n];
      failed = await sendMined('recordEvent', [keccakOf('again'), keccakOf('process'), [], [], [output], 0, ZERO_BYTES32]);
    });

    it.each<[string, readonly string[]]>([
      ['every method', []],
      ['no debug tracing', ['debug_traceTransaction']],
      ['pruned the state', ['eth_call', 'debug_traceTransaction']],
      ...(hasHistory ? [['no tracing, but the state before the block', TRACING_METHODS] as [string, readonly string[]]] : []),
    ])('reads the revert reason where the node has %s', async (_name, refused) => {
      front.refuse(refused, 'BlockOutOfRangeError: block height is 7 but requested was 1');
      expect(await observed(asking(failed))).toMatchObject({ mined: { succeeded: false }, revertReason: REASON });
    });

    it('has no reason, rather than a wrong one, where the node keeps neither', async () => {
      front.refuse([...TRACING_METHODS, 'eth_call'], 'BlockOutOfRangeError: block height is 7 but requested was 1');
      expect(await observed(asking(failed))).toMatchObject({ mined: { succeeded: false }, revertReason: null });
    });

    it('keeps a reason of anybody’s contract short, and without what no text column holds', async () => {
      const said = `\0${'🌾'.repeat(100_000)}`;
      const words = Buffer.from(said).toString('hex');
      const data = `0x08c379a0${[32, words.length / 2].map((n) => n.toString(16).padStart(64, '0')).join('')}${words.padEnd(Math.ceil(words.length / 64) * 64, '0')}`;
      front.lieAbout('debug_traceTransaction', () => ({ output: data }));
      const { revertReason } = await observed(asking(failed));
      expect(revertReason).toMatch(/^Error\(\ufffd(🌾)+/u);
      expect(revertReason!.length).toBeLessThanOrEqual(500);
      expect(revertReason).not.toMatch(/\p{Surrogate}|\0/u);
      front.lieAbout('debug_traceTransaction', () => ({ error: `a bad jump\0` }));
      front.refuse(['trace_transaction', 'eth_call']);
      expect(await observed(asking(failed))).toMatchObject({ revertReason: 'a bad jump\ufffd' });
    });

    it('tells it blocks later too', async () => {
      await chain.mine(20);
      expect(await observed(asking(failed))).toMatchObject({ mined: { succeeded: false }, revertReason: REASON });
    });

    it('asks for a reason once', async () => {
      const { mined } = await observed(asking(failed));
      front.asked.clear();
      const again = asking(failed, { blockNumber: mined!.blockNumber, blockHash: mined!.blockHash, revertReason: REASON });
      expect(await observed(again)).toMatchObject({ revertReason: REASON });
      expect([...front.asked.keys()]).not.toContain('eth_call');
    });

    it('reads the reason of a transaction that lost a race within its block, which no replay finds', async () => {
      await chain.rpc.call('evm_setAutomine', [false]);
      const output = [keccakOf('LOT-R'), keccakOf('asset'), admin.address, 1n, 0n];
      const race = (event: string): Promise<string> =>
        send('recordEvent', [keccakOf(event), keccakOf('process'), [], [], [output], 0, ZERO_BYTES32]);
      const [, loser] = [await race('won'), await race('lost')];
      await chain.mine();
      expect(await observed(asking(loser))).toMatchObject({
        mined: { succeeded: false },
        revertReason: expect.stringMatching(/^TlcTaken\(/),
      });
    });

    it('reports that the gas ran out', async () => {
      const txHash = await consent(true, { gas: '0x5800' });
      await isMined(txHash);
      const { mined, revertReason } = await observed(asking(txHash));
      expect(mined!.succeeded).toBe(false);
      expect(revertReason).toMatch(/gas/i);
    });
  });

  it('concludes nothing from a missing receipt while its block is still on chain', async () => {
    const txHash = await sendMined('setDirectReceipt', [true]);
    const known = knownFrom(await observed(asking(txHash)));
    front.lieAbout('eth_getTransactionReceipt', () => null);
    expect(await observed(asking(txHash, known))).toMatchObject({ mined: null, orphaned: false, replaced: null });
    front.lieAbout('eth_getTransactionByHash', () => null);
    expect(await observed(asking(txHash, known))).toMatchObject({ sent: null, mined: null, orphaned: false, replaced: null });
    // Nor when the node keeps no index by nonce: the block itself names ours.
    front.refuse(['eth_getTransactionBySenderAndNonce']);
    expect(await observed(asking(txHash, known))).toMatchObject({ replaced: null });
  });

  it('ignores a receipt of a block that is not on chain', async () => {
    const txHash = await sendMined('setDirectReceipt', [false]);
    for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash'])
      front.lieAbout(method, (honest: { logs?: object[] }) => ({
        ...honest,
        blockHash: keccakOf('orphan'),
        logs: honest.logs?.map((log) => ({ ...log, blockHash: keccakOf('orphan') })),
      }));
    expect(await observed(asking(txHash))).toMatchObject({ mined: null, replaced: null, sent: { from: admin.address } });
  });

  const onlyWithHistory = hasHistory ? it : () => undefined;
  onlyWithHistory('sees that a reorg took the block away, and the new place when it lands again', async () => {
    const txHash = await sendMined('setDirectReceipt', [true]);
    const raw = await chain.rpc.call<string>('eth_getRawTransactionByHash', [txHash]);
    const known = knownFrom(await observed(asking(txHash)));
    await chain.reorg(1);
    expect(await observed(asking(txHash, known))).toMatchObject({ mined: null, orphaned: true, replaced: null });
    const again = await chain.rpc.call<string>('eth_sendRawTransaction', [raw]);
    expect(again).toBe(txHash);
    await isMined(txHash);
    const { mined } = await observed(asking(txHash, known));
    expect(mined!.blockHash).not.toBe(known.blockHash);
  });

  it('shows how far the node is, so that one that lags is not believed', async () => {
    const txHash = await sendMined('setDirectReceipt', [true]);
    const { mined } = await observed(asking(txHash));
    front.lagBehind(2);
    const { head, observations } = await observe(asking(txHash, { blockNumber: mined!.blockNumber, blockHash: mined!.blockHash }));
    expect(head).toBeLessThan(mined!.blockNumber);
    expect(observations.get(txHash)).toMatchObject({ mined: null, orphaned: false });
  });

  describe('whose nonce went to another', () => {
    const replace = async (): Promise<{ readonly lost: string; readonly won: string; readonly known: Partial<ObservedHash> }> => {
      await chain.rpc.call('evm_setAutomine', [false]);
      const lost = await consent(true, { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' });
      const known = knownFrom(await observed(asking(lost)));
      const nonce = `0x${known.nonce!.toString(16)}`;
      const won = await consent(false, { nonce, maxFeePerGas: '0xee6b2800', maxPriorityFeePerGas: '0x77359400' });
      return { lost, won, known };
    };

    it('says so only when the other one is mined, and which it was', async () => {
      const { lost, won, known } = await replace();
      expect(await observed(asking(lost, known))).toMatchObject({ replaced: null });
      await chain.mine();
      expect(await observed(asking(lost, known))).toMatchObject({ mined: null, replaced: { by: won } });
    });

    it('finds it without an index by nonce too, within the last 256 blocks', async () => {
      const { lost, won, known } = await replace();
      await chain.mine(90);
      front.refuse(['eth_getTransactionBySenderAndNonce']);
      expect(await observed(asking(lost, known))).toMatchObject({ replaced: { by: won } });
      await chain.mine(200);
      expect(await observed(asking(lost, known))).toMatchObject({ replaced: { by: null } });
    });

    it('believes no other transaction in its place', async () => {
      const { lost, known } = await replace();
      await chain.mine();
      front.lieAbout('eth_getTransactionBySenderAndNonce', () => ({ hash: keccakOf('x'), from: admin.address, nonce: '0x0', input: '0x' }));
      await expect(observed(asking(lost, known))).rejects.toMatchObject({ code: 'chain_unavailable' });
    });

    it('knows nothing of one whose sender was never seen', async () => {
      expect(await observed(asking(keccakOf('a hash of another chain')))).toMatchObject({
        sent: null,
        mined: null,
        orphaned: false,
        replaced: null,
      });
    });
  });

  it('takes a hundred questions an exchange, whatever the number of transactions', async () => {
    const { hash: mined } = (await chain.mint(admin, contract, ['LOT-MANY'])).receipt;
    const asked = [
      asking(mined),
      ...Array.from({ length: 9_999 }, (_, i) => asking(keccakOf(`unknown ${i}`), { from: admin.address, nonce: 9_999 })),
    ];
    front.requests = 0;
    const { observations } = await observe(...asked);
    expect(observations.size).toBe(10_000);
    expect(observations.get(mined)).toMatchObject({ mined: { succeeded: true } });
    expect(front.requests).toBeLessThan(210);
  });

  it.each<[string, string, (honest: any) => unknown]>([
    ['from', 'eth_getTransactionByHash', (honest) => ({ ...honest, from: devWallet(9).address })],
    ['to', 'eth_getTransactionByHash', (honest) => ({ ...honest, to: devWallet(9).address })],
    ['hash', 'eth_getTransactionByHash', (honest) => ({ ...honest, hash: keccakOf('x') })],
    ['from', 'eth_getTransactionReceipt', (honest) => ({ ...honest, from: devWallet(9).address })],
    ['to', 'eth_getTransactionReceipt', (honest) => ({ ...honest, to: null })],
    ['transactionHash', 'eth_getTransactionReceipt', (honest) => ({ ...honest, transactionHash: keccakOf('x') })],
    ['transactionIndex', 'eth_getTransactionReceipt', (honest) => ({ ...honest, transactionIndex: '0x7' })],
    ['blockNumber', 'eth_getTransactionReceipt', (honest) => ({ ...honest, blockNumber: '0x1' })],
    ['blockHash', 'eth_getTransactionReceipt', (honest) => ({ ...honest, blockHash: keccakOf('x') })],
    ['status', 'eth_getTransactionReceipt', (honest) => ({ ...honest, status: '0x0' })],
    ['number', 'eth_getBlockByNumber', (honest) => ({ ...honest, number: '0x1' })],
    ['transactionIndex', 'eth_getBlockByNumber', (honest) => ({ ...honest, transactions: [keccakOf('x')] })],
  ])('believes no other %s in %s, and asks the next node', async (field, method, lie) => {
    const { hash } = (await chain.mint(admin, contract, [`LOT-${newId()}`])).receipt;
    const honest = await observed(asking(hash));
    front.lieAbout(method, lie);
    await expect(observe(asking(hash))).rejects.toMatchObject({ code: 'chain_unavailable', status: 503 });
    const both = new JsonRpc({ urls: [front.url, anvil.url], timeoutMs: 2_000 });
    expect((await new TransactionClient(both).observe([asking(hash)])).observations.get(hash)).toEqual(honest);
    const counted = Object.keys(both.metrics.counts.errors);
    expect(counted).toEqual([expect.stringMatching(new RegExp(` lie_(${field}|${FIELDS_OF_A_PLACE})$`))]);
  });

  it.each<[string, () => void]>([
    ['talks HTML', () => front.answerWith(200, '<html>sign in</html>')],
    ['throttles', () => front.answerWith(429, '')],
    ['refuses a plain question', () => front.refuse(['eth_getTransactionReceipt'])],
    ['knows no head', () => front.lieAbout('eth_blockNumber', () => null)],
  ])('concludes nothing from a node that %s', async (_, begin) => {
    begin();
    await expect(observe(asking(keccakOf('any')))).rejects.toMatchObject({ code: 'chain_unavailable', status: 503 });
  });
});
