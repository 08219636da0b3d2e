import * as fc from 'fast-check';
import type { DemoChain } from '#chain/testing';
import { type Hex, ZERO_BYTES32, keccakOf } from '#kernel';
import type { HDNodeWallet } from 'ethers';
import type { LyingRpc } from '../harness/lying-rpc.js';

/** One thing that happens to the chain, to the node in front of it, or to the indexer. Numbers are reduced to what is there. */
export type Action =
  | { readonly kind: 'mint'; readonly lots: number }
  | { readonly kind: 'use'; readonly lot: number; readonly percent: number }
  | { readonly kind: 'transfer' | 'recall' | 'lift'; readonly lot: number }
  | { readonly kind: 'reorg'; readonly depth: number; readonly again: boolean }
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'restart' | 'settle' | 'truth' }
  | { readonly kind: 'fault'; readonly fault: keyof typeof FAULTS };

export const FAULTS = {
  lag: (front: LyingRpc) => front.lagBehind(2),
  null: (front: LyingRpc) => front.knowNothingOf('eth_getBlockByNumber'),
  repeat: (front: LyingRpc) => front.repeatLogs(),
  reorder: (front: LyingRpc) => front.reorderLogs(),
  truncate: (front: LyingRpc) => front.truncateLogs(),
  ranges: (front: LyingRpc) => front.refuseRanges(3, { code: -32_005, message: 'query returned more than 10000 results' }),
  hang: (front: LyingRpc) => front.hang(),
  html: (front: LyingRpc) => front.answerWith(502, '<html>Bad gateway</html>'),
} as const;

/** No reorg reaches a final block: that is what finality means. */
export const CONFIRMATIONS = 6;

const lot = fc.nat({ max: 30 });
export const actions = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('mint' as const), lots: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('use' as const), lot, percent: fc.integer({ min: 1, max: 100 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('transfer' as const, 'recall' as const, 'lift' as const), lot }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: CONFIRMATIONS - 2 }),
      again: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'settle' as const, 'truth' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom(...(Object.keys(FAULTS) as (keyof typeof FAULTS)[])),
    }),
  },
);

/** Two wallets that record, hand over and recall on a contract of their own. What the contract refuses did not happen. */
export class Actors {
  private events = 0;
  private last: string | null = null;

  constructor(
    private readonly chain: DemoChain,
    private readonly contract: string,
    private readonly wallets: readonly [HDNodeWallet, HDNodeWallet],
  ) {}

  mint(lots: number): Promise<void> {
    return this.record([], [], lots);
  }

  use(tokenId: bigint, millionths: bigint): Promise<void> {
    return this.record([tokenId], [millionths], 1);
  }

  transfer(tokenId: bigint): Promise<void> {
    const [one, two] = this.wallets.map((wallet) => wallet.address);
    return this.either((wallet) => ['transferFrom', wallet.address, wallet.address === one ? two : one, tokenId]);
  }

  recall(tokenId: bigint): Promise<void> {
    return this.either(() => ['recall', tokenId, ZERO_BYTES32]);
  }

  lift(tokenId: bigint): Promise<void> {
    return this.either(() => ['liftRecall', [tokenId], ZERO_BYTES32]);
  }

  /** The last blocks are others now; `again`: the newest transaction lands once more, in another place. */
  async reorg(depth: number, again: boolean): Promise<void> {
    const raw = again ? this.last : null;
    // It fits where its nonce is next; elsewhere the node refuses, and the blocks are simply gone.
    if (raw !== null && depth > 1) await this.chain.reorg(depth, [[raw, 1]]).catch(() => this.chain.reorg(depth));
    else await this.chain.reorg(depth);
    this.last = null;
    // Another height, so that the branch is the longer one.
    await this.chain.mine(1);
  }

  private record(inputs: readonly bigint[], quantities: readonly bigint[], lots: number): Promise<void> {
    const event = ++this.events;
    const hash = (what: string): Hex => keccakOf(`${this.contract} ${event} ${what}`);
    return this.either((wallet) => {
      const outputs = Array.from({ length: lots }, (_, k) => [hash(`lot ${k}`), keccakOf('GOODS'), wallet.address, 10_000_000n, 0n]);
      return ['recordEvent', hash('id'), keccakOf('PROCESS'), inputs, quantities, outputs, 0, hash('content')];
    });
  }

  /** By the first of the wallets that may. */
  private async either(call: (wallet: HDNodeWallet) => readonly [string, ...unknown[]]): Promise<void> {
    for (const wallet of this.wallets) {
      const [method, ...args] = call(wallet);
      const receipt = await inTime(this.chain.call(wallet, this.contract, method, args));
      if (!receipt) continue;
      this.last = await this.chain.rpc.call<string>('eth_getRawTransactionByBlockHashAndIndex', [receipt.blockHash, '0x0']);
      return;
    }
  }
}

/** A transaction whose nonce a reorg has spoiled is never mined: then it did not happen. */
async function inTime<T>(answer: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, 5_000, null);
  });
  return Promise.race([answer.catch(() => null), limit]).finally(() => clearTimeout(timer));
}
