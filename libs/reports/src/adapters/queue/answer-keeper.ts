import { Sweep } from '#queue';
import { Injectable } from '@nestjs/common';
import { KeepReady } from '../../application/keep-ready.js';
import { ReportSettings } from '../../settings.js';

const NEVER_MS = 3_600_000;

@Injectable()
export class AnswerKeeper extends Sweep {
  private readonly leaving = new AbortController();

  constructor(
    private readonly keepReady: KeepReady,
    private readonly settings: ReportSettings,
  ) {
    super(settings.readyEveryMs || NEVER_MS);
  }

  override async onApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    await super.onApplicationShutdown();
  }

  protected override async turn(): Promise<void> {
    if (this.settings.readyEveryMs > 0) await this.keepReady.all(this.leaving.signal);
  }
}
