import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { SweepPointers } from '../../application/sweep-pointers.js';
import { ReportSettings } from '../../settings.js';

/** A batch of every tenant that is due; any number of processes share them. */
@Injectable()
export class PointerPatrol extends Sweep {
  constructor(
    private readonly sweepPointers: SweepPointers,
    private readonly settings: ReportSettings,
  ) {
    super(Math.min(settings.pointers.everyMs, 1_000));
  }

  protected override async turn(leaving: AbortSignal): Promise<void> {
    while (!leaving.aborted && (await this.sweepPointers.sweepNext(this.settings.pointers)));
  }
}
