import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Changes the real result of one call. A thrown `{code, message}` becomes the error of the call. */
export type Lie = (honest: never, params: readonly unknown[]) => unknown;

type Mood =
  | { readonly kind: 'honest' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'answer'; readonly status: number; readonly body: string };

interface RangeFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
}

/** A JSON-RPC proxy in front of a real node. By script it lags, changes results, answers with errors, hangs or is down. */
export class LyingRpc {
  /** How often each method was asked. */
  readonly asked = new Map<string, number>();
  /** HTTP exchanges. */
  requests = 0;
  private readonly lies = new Map<string, Lie>();
  private readonly sockets = new Set<Socket>();
  private mood: Mood = { kind: 'honest' };
  private lag = 0;
  private server: Server;
  private port = 0;

  private constructor(private readonly target: string) {
    this.server = this.makeServer();
  }

  static async before(target: string): Promise<LyingRpc> {
    const front = new LyingRpc(target);
    await front.listen();
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Answers as if the last blocks were not mined yet; the logs of a range end earlier, without an error. */
  lagBehind(blocks: number): void {
    this.lag = blocks;
  }

  /** Until `answerHonestly`. */
  lieAbout(method: string, lie: Lie): void {
    this.lies.set(method, lie);
  }

  /** As a node that does not serve these methods, or has pruned what they need. */
  refuse(methods: readonly string[], message = 'the method does not exist/is not available'): void {
    for (const method of methods)
      this.lies.set(method, () => {
        throw { code: -32601, message };
      });
  }

  /** Refuses `eth_getLogs` over more blocks than this, in the words of some provider. */
  refuseRanges(moreThan: number, error: { readonly code: number; readonly message: string }): void {
    this.lieAbout('eth_getLogs', (honest, [filter]) => {
      const { fromBlock, toBlock } = filter as RangeFilter;
      if (fromBlock !== undefined && Number(toBlock) - Number(fromBlock) + 1 > moreThan) throw error;
      return honest;
    });
  }

  /** Answers null to this method, as a node that does not have the block or transaction yet. */
  knowNothingOf(method: string): void {
    this.lieAbout(method, () => null);
  }

  /** Gives every log twice. */
  repeatLogs(): void {
    this.lieAbout('eth_getLogs', (honest: unknown[]) => [...honest, ...honest]);
  }

  /** Gives the logs last first; that is no fault. */
  reorderLogs(): void {
    this.lieAbout('eth_getLogs', (honest: unknown[]) => honest.toReversed());
  }

  /** Leaves the last log of every answer out, without an error. */
  truncateLogs(): void {
    this.lieAbout('eth_getLogs', (honest: unknown[]) => honest.slice(0, -1));
  }

  /** Reports success as failure and failure as success. */
  flipReceipts(): void {
    this.lieAbout(
      'eth_getTransactionReceipt',
      (honest: { status: string } | null) => honest && { ...honest, status: honest.status === '0x1' ? '0x0' : '0x1' },
    );
  }

  /** Answers every request with this, as a proxy in front of a node does. */
  answerWith(status: number, body: string): void {
    this.mood = { kind: 'answer', status, body };
  }

  /** Takes requests and never answers. */
  hang(): void {
    this.mood = { kind: 'hang' };
  }

  /** Ends all faults that were set. */
  answerHonestly(): void {
    this.mood = { kind: 'honest' };
    this.lag = 0;
    this.lies.clear();
  }

  /** Refuses connections, as a stopped process does. */
  async die(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Comes back on the same port. */
  async revive(): Promise<void> {
    this.server = this.makeServer();
    await this.listen();
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.die();
  }

  private async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  private makeServer(): Server {
    const server = createServer((request, response) => void this.take(request, response).catch(() => response.destroy()));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    return server;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { mood } = this;
    if (mood.kind === 'hang') return;
    if (mood.kind === 'answer') return void response.writeHead(mood.status, { 'content-type': 'text/html' }).end(mood.body);
    const body = JSON.parse(text) as Call | Call[];
    const calls = Array.isArray(body) ? body : [body];
    const answers = await this.forward(calls);
    const results = await Promise.all(calls.map((call) => this.answerTo(call, answers.get(call.id)!)));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(Array.isArray(body) ? results : results[0]));
  }

  private async forward(calls: readonly Call[]): Promise<Map<number, { id: number; result?: unknown; error?: unknown }>> {
    const answer = await fetch(this.target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    });
    const list = (await answer.json()) as { id: number; result?: unknown; error?: unknown }[];
    return new Map(list.map((item) => [item.id, item]));
  }

  private async answerTo(call: Call, answer: { id: number; result?: unknown; error?: unknown }): Promise<unknown> {
    this.asked.set(call.method, (this.asked.get(call.method) ?? 0) + 1);
    if (answer.error !== undefined && !this.lies.has(call.method)) return answer;
    try {
      const late = this.lag > 0 ? await this.asIfBehind(call, answer.result) : answer.result;
      const lie = this.lies.get(call.method);
      return { jsonrpc: '2.0', id: call.id, result: lie ? lie(late as never, call.params) : late };
    } catch (error) {
      return { jsonrpc: '2.0', id: call.id, error };
    }
  }

  private async asIfBehind({ method, params }: Call, honest: unknown): Promise<unknown> {
    const head = Number(await this.ask('eth_blockNumber', [])) - this.lag;
    const hex = (n: number): string => `0x${n.toString(16)}`;
    switch (method) {
      case 'eth_blockNumber':
        return hex(head);
      case 'eth_getBlockByNumber':
        if (params[0] === 'latest') return this.ask(method, [hex(head), false]);
        return Number(params[0]) > head ? null : honest;
      case 'eth_getLogs':
        return (honest as { blockNumber: string }[]).filter((log) => Number(log.blockNumber) <= head);
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return Number((honest as { blockNumber?: string } | null)?.blockNumber ?? 0) > head ? null : honest;
      default:
        return honest;
    }
  }

  private async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return (await this.forward([{ id: 1, method, params }].map((call) => ({ jsonrpc: '2.0', ...call })))).get(1)?.result;
  }
}
