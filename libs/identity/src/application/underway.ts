import { Logger } from '@nestjs/common';

/** Work beside the answer that caused it. What is under way ends before the process does. */
export class Underway {
  private static readonly log = new Logger('Identity');
  private readonly running = new Set<Promise<unknown>>();

  get size(): number {
    return this.running.size;
  }

  /** @param failure what the log says when it does not come about */
  start(work: Promise<unknown>, failure: string): void {
    const noted = work
      .catch((error: unknown) => Underway.log.warn(`${failure}: ${error instanceof Error ? error.message : 'unknown'}`))
      .finally(() => this.running.delete(noted));
    this.running.add(noted);
  }

  async settled(): Promise<void> {
    await Promise.all(this.running);
  }
}
