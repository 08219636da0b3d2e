import { fork } from 'node:child_process';
import { once } from 'node:events';

/** On a busy machine a request may wait: what counts is processor time. */
const TIMEOUT_S = 120;

/** A process of its own that sends; what is measured is the processor time of this one. */
export class Load {
  private readonly child = fork(new URL('guard-load.js', import.meta.url));

  constructor(
    private readonly connections: number,
    private readonly requests: number,
  ) {}

  /** Microseconds a request. */
  async cost(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
    const before = process.cpuUsage();
    await this.run(url, headers);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / this.requests;
  }

  /** All requests, to their end. */
  async run(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    this.child.send({ url, headers, connections: this.connections, amount: this.requests, timeout: TIMEOUT_S });
    const [failed] = (await once(this.child, 'message')) as [number];
    if (failed > 0) throw new Error(`${url}: ${failed} requests were not answered with 200`);
  }

  close(): void {
    this.child.kill();
  }
}
