import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { SweepPointers } from '../../application/sweep-pointers.js';
import { ReportSettings } from '../../settings.js';

const NEVER_MS = 3_600_000;

/** A batch of every tenant that is due; any number of processes share them. */
@Injectable()
export class PointerPatrol extends Sweep {
  private leaving = false;

  constructor(
    private readonly sweepPointers: SweepPointers,
    private readonly settings: ReportSettings,
  ) {
    super(Math.min(settings.pointers.everyMs, 1_000) || NEVER_MS);
  }

  override async onApplicationShutdown(): Promise<void> {
    this.leaving = true;
    await super.onApplicationShutdown();
  }

  protected override async turn(): Promise<void> {
    if (this.settings.pointers.everyMs === 0) return;
    while (!this.leaving && (await this.sweepPointers.sweepNext(this.settings.pointers)));
  }
}
