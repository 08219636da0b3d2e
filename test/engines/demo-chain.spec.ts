import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { DemoChain, startTestAnvil, type TestAnvil } from '#chain/testing';
import { LyingRpc } from '../harness/lying-rpc.js';

let anvil: TestAnvil;
let front: LyingRpc;

beforeEach(async () => {
  anvil = await startTestAnvil();
  front = await LyingRpc.before(anvil.url);
});
afterEach(async () => {
  await front.close();
  await anvil.stop();
});

// On a busy machine the receipt is there a moment after the transaction. No later block tells of it, because nobody mines one.
it('waits for a receipt that comes late, without another block', async () => {
  const { registry } = await DemoChain.deploy(anvil.url);
  let asked = 0;
  front.lieAbout('eth_getTransactionReceipt', (honest) => (++asked < 4 ? null : honest));
  const chain = await DemoChain.deploy(front.url);
  expect(chain.registry).not.toBe(registry);
  expect(asked).toBeGreaterThan(3);
  chain.close();
});
