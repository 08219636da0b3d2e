import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { reportOf } from '#kernel';
import { RunSponsor } from './run-sponsor.js';
import { SponsorSettings } from './sponsor.settings.js';

/** The balance is read this often while nothing else happens. */
const IDLE_MS = 30_000;
/** It asks for work this often while there is none: a chain may be polled ten times a second. */
const SEARCH_MS = 500;
const WAIT_AFTER_FAILURE_MS = 1_000;

/** Sends what waits, tick by tick. Any number of processes: one decides at a time. */
@Injectable()
export class SponsorLoop implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Sponsor');
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private said: string | null = null;
  private lastTick = Number.NEGATIVE_INFINITY;
  private lastSearch = Number.NEGATIVE_INFINITY;
  private isBusy = false;

  constructor(
    private readonly sponsor: RunSponsor,
    private readonly settings: SponsorSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stop.signal.aborted) {
      const fault = await this.tickWhenDue().catch(reportOf);
      if (fault !== null && fault !== this.said) this.log.warn(fault);
      this.said = fault;
      const wait = fault === null ? this.settings.pollMs : Math.max(WAIT_AFTER_FAILURE_MS, this.settings.pollMs);
      await sleep(wait, undefined, { signal: this.stop.signal }).catch(() => undefined);
    }
  }

  private async tickWhenDue(): Promise<string | null> {
    const now = performance.now();
    if (!this.isBusy && now - this.lastSearch < SEARCH_MS) return null;
    this.isBusy = await this.sponsor.hasWork();
    this.lastSearch = now;
    if (!this.isBusy && now - this.lastTick < IDLE_MS) return null;
    const refused = await this.sponsor.tick();
    this.lastTick = now;
    return refused.length === 0 ? null : `A node refused ${refused.length} transactions of the sponsor: ${refused[0]}`;
  }
}
