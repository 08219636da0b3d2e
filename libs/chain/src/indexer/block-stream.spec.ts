import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Hex } from '#kernel';
import type { JsonRpc, Rpc } from '../rpc/json-rpc.js';
import { BlockStream, BlockWindow } from './block-stream.js';
import type { ChainEvent, ChainLog } from './chain-event.js';

const HEAD = 500;
const hash = (number: number): Hex => `0x${(number + 1).toString(16).padStart(64, '0')}`;
const quantity = (number: number): string => `0x${number.toString(16)}`;

/** A chain of empty blocks that remembers which ranges it was asked for. */
class EmptyChain {
  readonly ranges: number[] = [];

  answer(method: string, [first]: readonly unknown[]): unknown {
    if (method === 'eth_blockNumber') return quantity(HEAD);
    if (method === 'eth_getLogs') {
      this.ranges.push(Number((first as { fromBlock: string }).fromBlock));
      return [];
    }
    const number = first === 'latest' ? HEAD : Number(first);
    return { number: quantity(number), hash: hash(number), parentHash: hash(number - 1), timestamp: quantity(number) };
  }

  get rpc(): JsonRpc {
    const rpc = {
      call: async (method: string, params: readonly unknown[]) => this.answer(method, params),
      batch: async (calls: readonly { method: string; params: readonly unknown[] }[]) =>
        calls.map(({ method, params }) => ({ ok: true, value: this.answer(method, params) })),
      pinned: (work: (pinned: Rpc) => unknown) => work(rpc as unknown as Rpc),
    };
    return rpc as unknown as JsonRpc;
  }
}

async function manyTicks(): Promise<void> {
  for (let i = 0; i < 50; i++) await yieldToEventLoop();
}

describe('a history as a stream', () => {
  it('is read once, and one range ahead of what is being written', async () => {
    const chain = new EmptyChain();
    const start = { number: -1, hash: hash(-1), parentHash: hash(-1) };
    const seen: (readonly ChainLog[])[] = [];
    const prefetch = async (logs: readonly ChainLog[]): Promise<void> => void seen.push(logs);
    const options = { confirmations: 1, genesisHash: hash(0), prefetch };
    const stream = new BlockStream(chain.rpc, new BlockWindow([start], 64), -1, options);
    const taken: ChainEvent[] = [];
    for (let event = await stream.next(); event?.kind === 'range'; event = await stream.next()) {
      await manyTicks();
      taken.push(event);
      const whole = event.marks.at(-1)!.number >= HEAD - 8;
      expect(chain.ranges).toHaveLength(taken.length + (whole ? 0 : 1));
      stream.applied(event);
    }
    expect(taken.length).toBeGreaterThan(3);
    expect(chain.ranges).toEqual(taken.map((event) => (event.kind === 'range' ? event.from : -1)));
    // The stream returns what it prefetched. The first range was not: nothing was being written before it.
    expect(seen).toEqual(taken.slice(1).map((event) => (event.kind === 'range' ? event.logs : [])));
  });
});
