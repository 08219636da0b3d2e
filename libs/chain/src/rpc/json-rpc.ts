import { EngineUnavailable } from '#kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainMetrics } from '../chain-metrics.js';
import { RpcBehind, RpcRefused, RpcUnreachable } from './rpc-errors.js';
import { type RpcCall, RpcEndpoint, type RpcResult } from './rpc-endpoint.js';

export interface JsonRpcOptions {
  readonly urls: readonly string[];
  /** Per HTTP exchange, all of its body included. */
  readonly timeoutMs: number;
  /** Rounds over all endpoints before `EngineUnavailable`; default 3. */
  readonly rounds?: number;
}

/** What a piece of work may ask the chain. */
export interface Rpc {
  /** @throws RpcRefused */
  call<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** All in one HTTP exchange per hundred calls; each has its own result. */
  batch(calls: readonly RpcCall[]): Promise<RpcResult[]>;
}

const BATCH = 100;
const FIRST_WAIT_MS = 50;

/**
 * The chain by JSON-RPC over several endpoints: the first healthy one of the list answers, the others when it fails.
 * Reads may be asked twice; a transaction is never sent by the service, so a repeated call does no harm.
 */
export class JsonRpc implements Rpc {
  readonly endpoints: readonly RpcEndpoint[];
  readonly metrics = new ChainMetrics();
  private readonly rounds: number;

  constructor(options: JsonRpcOptions) {
    this.endpoints = options.urls.map((url) => new RpcEndpoint(url, options.timeoutMs, this.metrics));
    this.rounds = options.rounds ?? 3;
  }

  call<T>(method: string, params: readonly unknown[]): Promise<T> {
    return this.pinned((rpc) => rpc.call<T>(method, params));
  }

  batch(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    return this.pinned((rpc) => rpc.batch(calls));
  }

  /**
   * Runs `work` against one endpoint only: an answer of A and one of B must never be mixed into one conclusion. When the
   * endpoint fails or is behind, the whole work starts over with the next one.
   * @throws RpcBehind when every endpoint is, RpcRefused, EngineUnavailable('chain')
   */
  async pinned<T>(work: (rpc: Rpc, endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
    let last: unknown;
    for (let round = 0; round < this.rounds; round++) {
      if (round > 0) await sleep(FIRST_WAIT_MS * 2 ** round);
      for (const endpoint of this.byHealth()) {
        try {
          return await work(new PinnedRpc(endpoint), endpoint);
        } catch (error) {
          if (!(error instanceof RpcUnreachable || error instanceof RpcBehind)) throw error;
          if (error instanceof RpcBehind) endpoint.behind();
          last = error;
        }
      }
      if (last instanceof RpcBehind) throw last;
    }
    throw new EngineUnavailable('chain', last);
  }

  /** Configured order; those that failed lately come last, soonest usable first. */
  private byHealth(): RpcEndpoint[] {
    return this.endpoints.toSorted((a, b) => a.pausedFor - b.pausedFor);
  }
}

class PinnedRpc implements Rpc {
  constructor(private readonly endpoint: RpcEndpoint) {}

  async call<T>(method: string, params: readonly unknown[]): Promise<T> {
    const [result] = await this.endpoint.send([{ method, params }]);
    return valueOf<T>(result!);
  }

  async batch(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    const results: RpcResult[] = [];
    for (let i = 0; i < calls.length; i += BATCH) results.push(...(await this.endpoint.send(calls.slice(i, i + BATCH))));
    return results;
  }
}

/** @throws RpcRefused */
export function valueOf<T>(result: RpcResult): T {
  if (result.ok) return result.value as T;
  throw result.error;
}

export const isRefused = (error: unknown): error is RpcRefused => error instanceof RpcRefused;
export const quantity = (value: number | bigint): string => `0x${value.toString(16)}`;
