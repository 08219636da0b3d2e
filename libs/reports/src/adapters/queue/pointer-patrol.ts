import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { SweepPointers } from '../../application/sweep-pointers.js';
import { ReportSettings } from '../../settings.js';

/** So that a turn ends, however many are due: the process may be waiting for it. */
const IN_A_TURN = 20;

/** A batch of every tenant that is due; any number of processes share them. */
@Injectable()
export class PointerPatrol extends Sweep {
  constructor(
    private readonly sweepPointers: SweepPointers,
    private readonly settings: ReportSettings,
  ) {
    super(Math.min(settings.pointers.everyMs, 1_000));
  }

  protected override async turn(): Promise<void> {
    for (let i = 0; i < IN_A_TURN && (await this.sweepPointers.sweepNext(this.settings.pointers)); i++);
  }
}
