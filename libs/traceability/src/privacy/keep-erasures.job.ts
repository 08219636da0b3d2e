import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { PeriodicJob } from '#queue';
import { EpochKeys } from '#sealed-contents';
import { SynchroniseErasures } from './synchronise-erasures.js';

/** A start compares everything; in between only what is new can be missing. */
const RECENT_MS = 3_600_000;

/** Every minute: writes into the erasure log what a process that died has left out, and destroys the keys of backups that are too old. */
@Injectable()
export class KeepErasuresJob extends PeriodicJob {
  readonly name = 'traceability.keep-erasures';
  readonly everyMs = 60_000;

  constructor(
    private readonly erasures: SynchroniseErasures,
    private readonly epochs: EpochKeys,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const now = this.clock.now();
    await this.erasures.keep(new Date(now.getTime() - RECENT_MS));
    this.epochs.destroyOld(now);
  }
}
