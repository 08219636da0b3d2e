import { inStep } from '#tracing';
import type { ChainMetrics } from '../chain-metrics.js';
import { RpcRefused, RpcUnreachable, errorFrom } from './rpc-errors.js';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One answer of a batch: the refusal of one call must not hide the answers of the others. */
export type RpcResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: RpcRefused };

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: object;
}

/** How long a failing endpoint is passed over: doubles with each failure in a row, at most this. */
const MAX_PAUSE_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/** One JSON-RPC address over plain fetch, and how it has been doing. */
export class RpcEndpoint {
  private failures = 0;
  private pausedUntil = 0;
  private nextId = 1;
  /** The address without credentials or keys, fit for logs and health. */
  readonly name: string;

  constructor(
    readonly url: string,
    private readonly timeoutMs: number,
    private readonly metrics: ChainMetrics,
  ) {
    this.name = new URL(url).host;
  }

  get pausedFor(): number {
    return Math.max(0, this.pausedUntil - Date.now());
  }

  /** Its answers are honest but old: it is passed over for a while, without being held for dead. */
  behind(): void {
    this.metrics.failed(this.name, 'behind');
    this.pause(1_000);
  }

  private pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, Date.now() + ms);
  }

  /** @throws RpcUnreachable when there is no usable answer to the whole batch */
  send(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    const method = calls.length === 1 ? calls[0]!.method : 'batch';
    const facts = { 'rpc.system.name': 'jsonrpc', 'rpc.method': method, 'server.address': this.name, 'rpc.jsonrpc.calls': calls.length };
    return inStep(`rpc ${method}`, { kind: 'client', facts }, () => this.counted(calls));
  }

  private async counted(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    this.metrics.asked();
    try {
      const results = await this.exchange(calls);
      this.failures = 0;
      this.pausedUntil = 0;
      return results;
    } catch (error) {
      if (error instanceof RpcUnreachable) {
        this.failures++;
        this.metrics.failed(this.name, error.reason);
        this.pause(Math.max(error.retryAfterMs ?? 0, Math.min(MAX_PAUSE_MS, 50 * 2 ** this.failures)));
      }
      throw error;
    }
  }

  private async exchange(calls: readonly RpcCall[]): Promise<RpcResult[]> {
    const first = this.nextId;
    this.nextId += calls.length;
    const requests = calls.map((call, i) => ({ jsonrpc: '2.0', id: first + i, method: call.method, params: call.params }));
    const body = await this.post(JSON.stringify(requests.length === 1 ? requests[0] : requests));
    const answers = (Array.isArray(body) ? body : [body]) as Answer[];
    const whole = answers.length === 1 ? answers[0]! : null;
    // A batch that is refused as a whole comes back as one error with a null id.
    if (whole?.error && (whole.id === null || whole.id === undefined)) throw this.asFailure(whole.error);
    const byId = new Map(answers.map((answer) => [answer?.id, answer]));
    return requests.map(({ id, method }) => this.resultOf(byId.get(id), method));
  }

  private resultOf(answer: Answer | undefined, method: string): RpcResult {
    if (answer?.error) {
      const error = errorFrom(this.name, answer.error);
      if (error instanceof RpcUnreachable) throw error;
      return { ok: false, error };
    }
    if (!answer || answer.result === undefined) throw this.unusable(`no answer to ${method}`);
    return { ok: true, value: answer.result };
  }

  private async post(body: string): Promise<unknown> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const response = await fetch(this.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
      return this.parse(response, await this.textOf(response));
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

  /** What does not fit into memory several times over is too much of an answer; a smaller question gets a smaller one. @throws RpcRefused */
  private async textOf(response: Response): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += part.length;
      // Leaving the loop closes the connection.
      if (size > MAX_ANSWER_BYTES) throw new RpcRefused(0, `the response is too large: more than ${MAX_ANSWER_BYTES} bytes`, null);
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
    // Some nodes send a JSON-RPC error with a 4xx or 5xx: then the error says more than the status.
    const speaks = typeof body === 'object' && body !== null && (Array.isArray(body) || 'jsonrpc' in body || 'id' in body);
    if (speaks) return body;
    if (!response.ok) throw new RpcUnreachable(this.name, 'http', `HTTP ${response.status}`, retryAfter(response));
    throw this.unusable('answered JSON that is not JSON-RPC');
  }

  private asFailure(error: object): Error {
    return errorFrom(this.name, error);
  }

  private unusable(detail: string): RpcUnreachable {
    return new RpcUnreachable(this.name, 'not_json_rpc', detail);
  }
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, 60_000) : null;
}
