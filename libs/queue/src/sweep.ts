import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EngineUnavailable } from '#kernel';

/**
 * Work that is done again and again while the process runs, in any number of processes: each turn takes what no other has. A turn that
 * fails is told and done again; the end of the process waits for the turn in hand.
 */
export abstract class Sweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(this.constructor.name);
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  protected constructor(private readonly everyMs: number) {}

  protected abstract turn(): Promise<unknown>;

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.ending.signal.aborted) {
      await this.turn().catch((error: unknown) => this.report(error));
      await sleep(this.everyMs, undefined, { signal: this.ending.signal }).catch(() => undefined);
    }
  }

  private report(error: unknown): void {
    if (error instanceof EngineUnavailable) this.log.warn(error.message);
    else this.log.error(error);
  }
}
