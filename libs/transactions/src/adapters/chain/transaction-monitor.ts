import { setTimeout as sleep } from 'node:timers/promises';
import { ChainHead, ChainProfile } from '#chain';
import { Clock, EngineUnavailable } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { WatchTransactions } from '../../application/watch-transactions.js';
import { TrackedTransactions } from '../../ports.js';

/** How often it is asked whether there is a new head. */
export class MonitorSettings {
  constructor(readonly pollMs: number) {}
}

/** Without a new block a transaction can still appear in a node's pool. */
const IDLE_LOOKS_MS = 2_000;
/** After a look that failed. */
const AWAY_MS = 1_000;

/** Watches once per projected head, and at once what was just given to track, in any number of worker processes: rows that another one is writing are passed over. */
@Injectable()
export class TransactionMonitor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('TransactionMonitor');
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private position = '';
  private lastLook = 0;
  private isAway = false;

  constructor(
    private readonly transactions: WatchTransactions,
    private readonly unitOfWork: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
    private readonly tracked: TrackedTransactions,
    private readonly clock: Clock,
    private readonly settings: MonitorSettings,
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
      const failed = await this.look().then(
        () => false,
        (error: unknown) => this.report(error),
      );
      this.isAway = failed;
      await sleep(failed ? AWAY_MS : this.settings.pollMs, undefined, { signal: this.stop.signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const { position, isNew } = await this.unitOfWork.asSystem(async (tx) => {
      const { head, final } = await this.chainHead.position(tx);
      return { position: `${head}:${final}`, isNew: await this.tracked.hasNew(tx, this.chain.chainId) };
    });
    const now = this.clock.now();
    if (position === this.position && !isNew && now.getTime() - this.lastLook < IDLE_LOOKS_MS) return;
    await this.transactions.watch(now);
    [this.position, this.lastLook] = [position, now.getTime()];
  }

  /** One line when an engine goes away, none for as long as it is. */
  private report(error: unknown): true {
    if (!(error instanceof EngineUnavailable)) this.log.error(error);
    else if (!this.isAway) this.log.warn(error.message);
    return true;
  }
}
