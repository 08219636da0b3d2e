import { EngineUnavailable } from '#kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeaderHashes } from './block-header.js';
import { ChainMetrics, type RpcCall, RpcEndpoint, type RpcResult } from './rpc-endpoint.js';
import { RpcBehind, RpcLie, RpcRefused, RpcUnreachable } from './rpc-errors.js';

export interface JsonRpcOptions {
  readonly urls: readonly string[];
  /** Per HTTP request, including the whole response body. */
  readonly timeoutMs: number;
  /** Passes over all endpoints before `EngineUnavailable`; default 3. */
  readonly passes?: number;
  /** While it is true nothing is sent, as if no endpoint answered. */
  readonly isAway?: () => boolean;
  /** An endpoint on another chain is not used. Default: any chain. */
  readonly chainId?: number;
}

/** JSON-RPC calls to the chain. */
export interface Rpc {
  /** @throws RpcRefused */
  call<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** One HTTP request per hundred calls; each call has its own result. */
  batch(calls: readonly RpcCall[]): Promise<RpcResult[]>;
}

const BATCH = 100;
const FIRST_WAIT_MS = 50;

/**
 * JSON-RPC over several endpoints: the first healthy one of the list answers; when it fails, the next one. A read may be sent twice. The
 * service never sends transactions, so a repeated call does no harm.
 */
export class JsonRpc implements Rpc {
  readonly endpoints: readonly RpcEndpoint[];
  readonly metrics = new ChainMetrics();
  private readonly passes: number;
  private readonly isAway: () => boolean;
  private readonly headers = new HeaderHashes();

  constructor(options: JsonRpcOptions) {
    this.endpoints = options.urls.map((url) => new RpcEndpoint(url, options.timeoutMs, this.metrics, options.chainId, this.headers));
    this.passes = options.passes ?? 3;
    this.isAway = options.isAway ?? (() => false);
  }

  call<T>(method: string, params: readonly unknown[]): Promise<T> {
    return this.pinned((rpc) => rpc.call<T>(method, params));
  }

  batch(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    return this.pinned((rpc) => rpc.batch(calls));
  }

  /**
   * Runs `work` against one endpoint only: answers of different nodes must not be combined. When the endpoint fails, contradicts itself
   * or is behind, the whole work starts again with the next one.
   * @throws RpcBehind when every endpoint is, RpcRefused, EngineUnavailable('chain')
   */
  async pinned<T>(work: (rpc: Rpc, endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
    let last: unknown;
    for (let pass = 0; pass < this.passes; pass++) {
      if (pass > 0) await sleep(FIRST_WAIT_MS * 2 ** pass);
      if (this.isAway()) {
        last = new Error('the node is starting again');
        continue;
      }
      for (const endpoint of this.byHealth()) {
        try {
          return await work(new PinnedRpc(endpoint), endpoint);
        } catch (error) {
          if (error instanceof RpcLie) endpoint.lied(error.field);
          else if (error instanceof RpcBehind) endpoint.behind();
          else if (!(error instanceof RpcUnreachable)) throw error;
          last = error;
        }
      }
      if (last instanceof RpcBehind) throw last;
    }
    throw new EngineUnavailable('chain', last);
  }

  /** Asks every endpoint for its newest block: a wrong answer of the first one alone must not decide whether headers can be checked. */
  async learnHeaders(): Promise<void> {
    if (this.headers.areChecked) return;
    const newest = { method: 'eth_getBlockByNumber', params: ['latest', false] };
    await Promise.allSettled(this.endpoints.map((endpoint) => endpoint.send([newest])));
  }

  /** In the configured order; endpoints that failed recently come last, the one that is usable again first comes first. */
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
