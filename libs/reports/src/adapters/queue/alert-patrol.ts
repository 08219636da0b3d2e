import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { EvaluateAlerts } from '../../application/evaluate-alerts.js';
import { ReportSettings } from '../../settings.js';

/** So that a turn ends, however many are due: the process may be waiting for it. */
const IN_A_TURN = 20;

/** Every tenant that is due, one after the other; any number of processes share them. */
@Injectable()
export class AlertPatrol extends Sweep {
  constructor(
    private readonly evaluateAlerts: EvaluateAlerts,
    private readonly settings: ReportSettings,
  ) {
    super(Math.min(settings.alertsEveryMs, 1_000));
  }

  protected override async turn(): Promise<void> {
    for (let i = 0; i < IN_A_TURN && (await this.evaluateAlerts.evaluateNext(this.settings.alertsEveryMs)); i++);
  }
}
