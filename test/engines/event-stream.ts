import { expect } from '@jest/globals';
import type { Admin } from './webhooks-world.js';

interface Block {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** A client of server-sent events, as the specification reads them. */
export class Stream {
  private text = '';

  private constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly ended: AbortController,
  ) {}

  static async open(admin: Admin, accept = 'text/event-stream', lastId?: string): Promise<Stream> {
    const ended = new AbortController();
    const answer = await admin.get('/api/v1/changes', { accept, ...(lastId !== undefined && { 'last-event-id': lastId }) }, ended.signal);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    return new Stream(answer.body!.getReader(), ended);
  }

  /** Those with data, until there are so many. */
  async blocks(count: number): Promise<Block[]> {
    for (;;) {
      const parsed = this.text
        .split('\n\n')
        .slice(0, -1)
        .map(blockOf)
        .filter(({ data }) => data !== undefined);
      if (parsed.length >= count) return parsed;
      const { value, done } = await this.reader.read();
      if (done) throw new Error(`the stream ended after ${parsed.length} changes`);
      this.text += Buffer.from(value).toString();
    }
  }

  async close(): Promise<void> {
    this.ended.abort();
    await this.reader.cancel().catch(() => undefined);
  }
}

const blockOf = (text: string): Block => Object.fromEntries(text.split('\n').map((line) => /^(\w+): (.*)$/s.exec(line)!.slice(1)));
