import { Logger } from '@nestjs/common';

/** Work that an answer does not wait for. `settled` lets the process wait for it before it stops. */
export class BackgroundWork {
  private static readonly log = new Logger('Identity');
  private readonly running = new Set<Promise<unknown>>();

  get size(): number {
    return this.running.size;
  }

  /** @param failure what the log says when the work fails */
  start(work: Promise<unknown>, failure: string): void {
    const tracked = work
      .catch((error: unknown) => BackgroundWork.log.warn(`${failure}: ${error instanceof Error ? error.message : 'unknown'}`))
      .finally(() => this.running.delete(tracked));
    this.running.add(tracked);
  }

  async settled(): Promise<void> {
    await Promise.all(this.running);
  }
}
