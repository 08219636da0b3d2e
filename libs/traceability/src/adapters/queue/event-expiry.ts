import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EngineUnavailable } from '#kernel';
import { ExpireEvents } from '../../application/expire-events.js';

const EVERY_MS = 60_000;

/** Sweeps once a minute, in any number of worker processes: rows that another one is expiring are passed over. */
@Injectable()
export class EventExpiry implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('EventExpiry');
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly expireEvents: ExpireEvents) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stop.signal.aborted) {
      await this.expireEvents.expire().catch((error: unknown) => this.report(error));
      await sleep(EVERY_MS, undefined, { signal: this.stop.signal }).catch(() => undefined);
    }
  }

  private report(error: unknown): void {
    if (error instanceof EngineUnavailable) this.log.warn(error.message);
    else this.log.error(error);
  }
}
