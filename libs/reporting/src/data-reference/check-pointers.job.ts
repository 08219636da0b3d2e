import { PeriodicJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { ReportingSettings } from '../reporting.settings.js';
import { CheckBatch } from './check-pointers.js';

/** A batch of each tenant that is due. Any number of processes share the tenants. */
@Injectable()
export class CheckPointersJob extends PeriodicJob {
  readonly name = 'reporting.check-pointers';
  readonly everyMs: number;

  constructor(
    private readonly checkBatch: CheckBatch,
    private readonly settings: ReportingSettings,
  ) {
    super();
    this.everyMs = Math.min(settings.pointers.everyMs, 1_000);
  }

  override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.checkBatch.checkNext(this.settings.pointers)));
  }
}
