import type { Socket } from 'node:net';

const LONGEST = 64 * 1024;

/** What a socket says, line by line, for one reader. */
export class Lines {
  private held = '';
  private over = false;
  private fault: Error | null = null;
  private wake: (() => void) | null = null;
  private readonly take = (chunk: Buffer): void => {
    this.held += chunk.toString('latin1');
    if (this.held.length > LONGEST) this.socket.destroy(new Error('a line without end'));
    this.wake?.();
  };
  private readonly fail = (error: Error): void => {
    this.fault = error;
  };
  private readonly end = (): void => {
    this.over = true;
    this.wake?.();
  };

  constructor(private readonly socket: Socket) {
    socket.on('data', this.take).on('error', this.fail).on('close', this.end);
  }

  /** The next line without its end; null when there is none any more. @throws Error of the socket */
  async next(): Promise<string | null> {
    for (;;) {
      const end = this.held.indexOf('\n');
      if (end >= 0) {
        const line = this.held.slice(0, end).replace(/\r$/, '');
        this.held = this.held.slice(end + 1);
        return line;
      }
      if (this.fault) throw this.fault;
      if (this.over) return null;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Leaves the socket to another reader. @returns what nobody has read */
  detach(): string {
    this.socket.off('data', this.take).off('close', this.end);
    return this.held;
  }
}
