import { Injectable } from '@nestjs/common';
import { ChainHead } from '#chain';
import type { RetentionConfig } from '#config';
import { UnsentContents } from '#content-storage';
import { Clock, EngineUnavailable } from '#kernel';
import { type RetentionRule, UnitOfWork, deleteOldRows } from '#persistence';
import { PeriodicJob } from '#queue';
import { type RetentionListener, retentionRules } from '../../runtime/src/index.js';

/** What is deleted, and after which times. A class, because it is also an injection token. */
export class RetentionSettings {
  constructor(
    readonly kept: RetentionConfig,
    readonly listener: RetentionListener = { deleted: () => undefined },
  ) {}
}

/** Contents are deleted one by one where they are files or pins. */
const CONTENTS = 200;

/**
 * Every hour: deletes the rows and contents that are of no more use (docs/explanation/retention.md). Waits while the chain is read again:
 * then rows are missing that others are decided by.
 */
@Injectable()
export class DeleteOldRowsJob extends PeriodicJob {
  readonly name = 'worker.delete-old-rows';
  readonly everyMs = 3_600_000;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly head: ChainHead,
    private readonly contents: UnsentContents,
    private readonly settings: RetentionSettings,
  ) {
    super();
  }

  /** What fails does not keep the rest waiting. @throws AggregateError */
  override async run(signal: AbortSignal): Promise<void> {
    const failures: Error[] = [];
    const attempt = (what: string, work: Promise<unknown>): Promise<unknown> =>
      work.catch((cause: Error) => {
        if (cause instanceof EngineUnavailable && cause.engine === 'database') throw cause;
        failures.push(new Error(`${what}: ${cause.message}`, { cause }));
      });
    for (const rule of retentionRules) await attempt(rule.table, this.apply(rule, signal));
    await attempt('contents', this.deleteContents(signal));
    if (failures.length > 0) throw new AggregateError(failures, failures[0]!.message, { cause: failures[0] });
  }

  private async apply(rule: RetentionRule, signal: AbortSignal): Promise<void> {
    const before = this.beforeFor(rule.settings);
    if (before === null) return;
    await deleteOldRows(this.unitOfWork, rule, {
      before,
      signal,
      onDeleted: (rows) => this.settings.listener.deleted(rule.table, rows),
      mayGoOn: async () => !(await this.unitOfWork.readAsSystem((tx) => this.head.isRebuilding(tx))),
    });
  }

  private async deleteContents(signal: AbortSignal): Promise<void> {
    const before = this.beforeFor(['UNSENT_CONTENTS_KEPT_DAYS']);
    if (before === null) return;
    for (let seen = CONTENTS; seen === CONTENTS && !signal.aborted;) {
      const batch = await this.contents.deleteMarked(CONTENTS);
      seen = batch.seen;
      if (batch.deleted > 0) this.settings.listener.deleted('content', batch.deleted);
    }
    for (let seen = CONTENTS; seen === CONTENTS && !signal.aborted;) seen = await this.contents.mark(before, CONTENTS);
  }

  /** Null: they are kept without limit. */
  private beforeFor(settings: readonly string[]): Date | null {
    const times = settings.map((name) => this.settings.kept[name as keyof RetentionConfig]);
    return times.includes(0) ? null : new Date(this.clock.now().getTime() - times.reduce((sum, ms) => sum + ms, 0));
  }
}
