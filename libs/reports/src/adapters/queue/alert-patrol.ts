import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { EvaluateAlerts } from '../../application/evaluate-alerts.js';
import { ReportSettings } from '../../settings.js';

/** Every tenant that is due, one after the other; any number of processes share them. */
@Injectable()
export class AlertPatrol extends Sweep {
  constructor(
    private readonly evaluateAlerts: EvaluateAlerts,
    private readonly settings: ReportSettings,
  ) {
    super(Math.min(settings.alertsEveryMs, 1_000));
  }

  protected override async turn(leaving: AbortSignal): Promise<void> {
    while (!leaving.aborted && (await this.evaluateAlerts.evaluateNext(this.settings.alertsEveryMs, leaving)));
  }
}
