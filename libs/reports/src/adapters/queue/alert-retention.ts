import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { EvaluateAlerts } from '../../application/evaluate-alerts.js';
import { ReportSettings } from '../../settings.js';

/** Once an hour. */
@Injectable()
export class AlertRetention extends Sweep {
  constructor(
    private readonly evaluateAlerts: EvaluateAlerts,
    private readonly settings: ReportSettings,
  ) {
    super(3_600_000);
  }

  protected override turn(leaving: AbortSignal): Promise<void> {
    return this.evaluateAlerts.forget(this.settings.alertsKeptDays, leaving);
  }
}
