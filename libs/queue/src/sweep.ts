import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EngineUnavailable } from '#kernel';

/**
 * Work that is done again and again while the process runs, in any number of processes: each turn takes what no other has. A turn that
 * fails is told and done again; the end of the process waits for the turn in hand. Every 0 ms: it never runs.
 */
export abstract class Sweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(this.constructor.name);
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  protected constructor(private readonly everyMs: number) {}

  /** @param leaving the process ends: what is left over is done by whoever comes next */
  protected abstract turn(leaving: AbortSignal): Promise<unknown>;

  onApplicationBootstrap(): void {
    if (this.everyMs > 0) this.running = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await this.turn(signal).catch((error: unknown) => this.report(error));
      await sleep(this.everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private report(error: unknown): void {
    if (error instanceof EngineUnavailable) this.log.warn(error.message);
    else if (error instanceof AggregateError) for (const one of error.errors) this.log.error(one);
    else this.log.error(error);
  }
}
