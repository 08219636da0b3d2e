import { inChildSpan } from '#tracing';
import type { RawBlock } from './answer-shapes.js';
import { HeaderHashes } from './block-header.js';
import { checkAnswer } from './check-answer.js';
import { errorFrom, readError, RpcLie, RpcRefused, RpcUnreachable } from './rpc-errors.js';

export interface ChainCounts {
  /** Blocks between the node's head and the last indexed block; null before both are known. */
  readonly lag: number | null;
  readonly reorgs: number;
  /** Blocks undone by all reorgs together. */
  readonly blocksTakenBack: number;
  /** JSON-RPC requests, and those without a usable answer by `<endpoint> <reason>`: `NodeFault`, `behind`, or `lie_` and a field. */
  readonly requests: number;
  readonly errors: Readonly<Record<string, number>>;
}

/**
 * Counters of this process since its start. A metrics exporter reads `counts`. Endpoints are named by host, without the API keys that
 * hosted nodes have in the path.
 */
export class ChainMetrics {
  private lag: number | null = null;
  private reorgs = 0;
  private blocksTakenBack = 0;
  private requests = 0;
  private readonly errors = new Map<string, number>();

  get counts(): ChainCounts {
    const { lag, reorgs, blocksTakenBack, requests } = this;
    return { lag, reorgs, blocksTakenBack, requests, errors: Object.fromEntries(this.errors) };
  }

  lags(blocks: number | null): void {
    this.lag = blocks;
  }

  reorganised(blocks: number): void {
    this.reorgs++;
    this.blocksTakenBack += blocks;
  }

  requested(): void {
    this.requests++;
  }

  failed(endpoint: string, reason: string): void {
    const key = `${endpoint} ${reason}`;
    this.errors.set(key, (this.errors.get(key) ?? 0) + 1);
  }
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Not every node serves it: a refusal is its result, instead of a fault of the node. */
  readonly optional?: boolean;
}

/** One result of a batch: an error of one call must not hide the results of the others. */
export type RpcResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: RpcRefused };

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A failing endpoint is skipped for a while that doubles with each failure in a row, up to this maximum. */
const MAX_PAUSE_MS = 15_000;
const BLOCKS = new Set(['eth_getBlockByHash', 'eth_getBlockByNumber']);
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** One JSON-RPC address over plain fetch, with its health. */
export class RpcEndpoint {
  private failures = 0;
  private pausedUntil = 0;
  private nextId = 1;
  /** The chain of this address is checked before its first answer is used, and after each failure: an address can change its node. */
  private isRightChain: boolean;
  /** The address without credentials or keys, for logs and health checks. */
  readonly name: string;

  constructor(
    readonly url: string,
    private readonly timeoutMs: number,
    private readonly metrics: ChainMetrics,
    /** Null: any chain. */
    private readonly chainId: number | null = null,
    /** One for all endpoints of a chain. */
    private readonly headers = new HeaderHashes(),
  ) {
    this.name = new URL(url).host;
    this.isRightChain = chainId === null;
  }

  get pausedFor(): number {
    return Math.max(0, this.pausedUntil - Date.now());
  }

  /** Its answers are correct but old: it is skipped for a while and not counted as failed. */
  behind(): void {
    this.metrics.failed(this.name, 'behind');
    this.pause(1_000);
  }

  /** Its answers contradict each other: it is skipped like one that fails. */
  lied(field: string): void {
    this.failed(`lie_${field}`);
  }

  private failed(reason: string, retryAfterMs: number | null = null): void {
    this.failures++;
    this.isRightChain = this.chainId === null;
    this.metrics.failed(this.name, reason);
    this.pause(Math.max(retryAfterMs ?? 0, Math.min(MAX_PAUSE_MS, 50 * 2 ** this.failures)));
  }

  private pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, Date.now() + ms);
  }

  /** @throws RpcUnreachable when there is no usable answer to the whole batch, RpcLie */
  send(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    const method = calls.length === 1 ? calls[0]!.method : 'batch';
    const facts = { 'rpc.system.name': 'jsonrpc', 'rpc.method': method, 'server.address': this.name, 'rpc.jsonrpc.calls': calls.length };
    return inChildSpan(`rpc ${method}`, { kind: 'client', facts }, () => this.sendCounted(calls));
  }

  private async sendCounted(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    this.metrics.requested();
    try {
      if (!this.isRightChain) await this.requireChain();
      const results = await this.exchange(calls);
      this.failures = 0;
      this.pausedUntil = 0;
      return results;
    } catch (error) {
      if (error instanceof RpcUnreachable) this.failed(error.reason, error.retryAfterMs);
      throw error;
    }
  }

  /** @throws RpcLie on another chain: a wrong address, or a gateway that forwards to the wrong node */
  private async requireChain(): Promise<void> {
    const [answer] = await this.exchange([{ method: 'eth_chainId', params: [] }]);
    const found = answer!.ok ? Number(answer!.value) : null;
    if (found !== this.chainId) throw new RpcLie('chainId', `${this.name} is on chain ${found}, but CHAIN_ID is ${this.chainId}`);
    this.isRightChain = true;
  }

  private async exchange(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    const first = this.nextId;
    this.nextId += calls.length;
    const requests = calls.map((call, i) => ({ jsonrpc: '2.0', id: first + i, method: call.method, params: call.params }));
    const hasLogs = calls.some(({ method }) => method === 'eth_getLogs');
    const body = await this.post(JSON.stringify(requests.length === 1 ? requests[0] : requests), hasLogs);
    const answers = (Array.isArray(body) ? body : [body]) as Answer[];
    const whole = answers.length === 1 ? answers[0]! : null;
    // When a whole batch is refused, the answer is one error with a null id: it says nothing about a call.
    if (whole?.error && (whole.id === null || whole.id === undefined))
      throw errorFrom(this.name, calls.length === 1 ? calls[0]!.method : 'batch', whole.error);
    const byId = new Map(answers.map((answer) => [answer?.id, answer]));
    return calls.map((call, i) => this.resultOf(byId.get(first + i), call));
  }

  private resultOf(answer: Answer | undefined, call: RpcCall): RpcResult {
    if (answer?.error) return { ok: false, error: this.refusalOf(answer.error, call) };
    if (!answer || answer.result === undefined) throw this.unusable(`no answer to ${call.method}`);
    if (!checkAnswer(call, answer.result)) {
      const found = JSON.stringify(answer.result).slice(0, 100);
      throw new RpcUnreachable(this.name, 'wrong_shape', `${call.method} answered ${found}`, null, call.method);
    }
    if (BLOCKS.has(call.method) && answer.result !== null)
      this.headers.check(answer.result as RawBlock & Readonly<Record<string, unknown>>, call.params[0] === 'latest');
    return { ok: true, value: answer.result };
  }

  /** @throws RpcUnreachable for a fault of the node */
  private refusalOf(given: unknown, { method, optional = false }: RpcCall): RpcRefused {
    const error = errorFrom(this.name, method, given);
    if (error instanceof RpcRefused) return error;
    if (!optional || error.reason === 'rate_limited') throw error;
    const { code, message } = readError(given);
    return new RpcRefused(code, message, null);
  }

  private async post(body: string, hasLogs: boolean): Promise<unknown> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const response = await fetch(this.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
      return this.parse(response, await this.textOf(response, hasLogs));
    } catch (error) {
      if (error instanceof RpcUnreachable || error instanceof RpcRefused) throw error;
      if (signal.aborted) throw new RpcUnreachable(this.name, 'timeout', `no answer within ${this.timeoutMs} ms`);
      const { cause, message } = error as Error;
      throw new RpcUnreachable(
        this.name,
        'connection',
        cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message,
      );
    }
  }

  /** Limits the size of an answer, which is in memory several times. The logs of fewer blocks can be requested. @throws RpcRefused */
  private async textOf(response: Response, hasLogs: boolean): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += part.length;
      // Throwing out of the loop closes the connection.
      if (size > MAX_ANSWER_BYTES) {
        const detail = `the response is too large: more than ${MAX_ANSWER_BYTES} bytes`;
        throw hasLogs ? new RpcRefused(0, detail, null, 'range') : new RpcUnreachable(this.name, 'too_large', detail);
      }
      parts.push(part);
    }
    return Buffer.concat(parts, size).toString();
  }

  private parse(response: Response, text: string): unknown {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      if (response.ok) throw this.unusable(`answered ${response.headers.get('content-type') ?? 'something'} instead of JSON`);
    }
    if (response.status === 429) throw new RpcUnreachable(this.name, 'rate_limited', 'HTTP 429', retryAfter(response));
    // Some nodes send a JSON-RPC error with a 4xx or 5xx: the error has more information than the status.
    const isJsonRpc = typeof body === 'object' && body !== null && (Array.isArray(body) || 'jsonrpc' in body || 'id' in body);
    if (isJsonRpc) return body;
    if (!response.ok) throw new RpcUnreachable(this.name, 'http', `HTTP ${response.status}`, retryAfter(response));
    throw this.unusable('answered JSON that is not JSON-RPC');
  }

  private unusable(detail: string): RpcUnreachable {
    return new RpcUnreachable(this.name, 'not_json_rpc', detail);
  }
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, 60_000) : null;
}
