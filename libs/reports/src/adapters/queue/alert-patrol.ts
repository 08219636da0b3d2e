import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { EvaluateAlerts } from '../../application/evaluate-alerts.js';
import { ReportSettings } from '../../settings.js';

const NEVER_MS = 3_600_000;

/** Every tenant that is due, one after the other; any number of processes share them. */
@Injectable()
export class AlertPatrol extends Sweep {
  private readonly leaving = new AbortController();

  constructor(
    private readonly evaluateAlerts: EvaluateAlerts,
    private readonly settings: ReportSettings,
  ) {
    super(Math.min(settings.alertsEveryMs, 1_000) || NEVER_MS);
  }

  /** A round ends at its next batch: what is left over is done by whoever comes next. */
  override async onApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    await super.onApplicationShutdown();
  }

  protected override async turn(): Promise<void> {
    const { signal } = this.leaving;
    if (this.settings.alertsEveryMs === 0) return;
    while (!signal.aborted && (await this.evaluateAlerts.evaluateNext(this.settings.alertsEveryMs, signal)));
  }
}
