import { Sweep } from '#queue';
import { Injectable } from '@nestjs/common';
import { KeepReady } from '../../application/keep-ready.js';
import { ReportSettings } from '../../settings.js';

@Injectable()
export class AnswerKeeper extends Sweep {
  constructor(
    private readonly keepReady: KeepReady,
    settings: ReportSettings,
  ) {
    super(settings.readyEveryMs);
  }

  protected override turn(leaving: AbortSignal): Promise<void> {
    return this.keepReady.all(leaving);
  }
}
