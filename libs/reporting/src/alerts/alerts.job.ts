import { PeriodicJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { ReportingSettings } from '../reporting.settings.js';
import { EvaluateAlerts } from './evaluate-alerts.js';
import { NarrateAlerts } from './narrate-alerts.js';

/** Every tenant that is due. Any number of processes share the tenants. */
@Injectable()
export class EvaluateAlertsJob extends PeriodicJob {
  readonly name = 'reporting.evaluate-alerts';
  readonly everyMs: number;

  constructor(
    private readonly evaluateAlerts: EvaluateAlerts,
    private readonly narrateAlerts: NarrateAlerts,
    private readonly settings: ReportingSettings,
  ) {
    super();
    this.everyMs = Math.min(settings.alertsEveryMs, 1_000);
  }

  override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const tenantId = await this.evaluateAlerts.evaluateNext(this.settings.alertsEveryMs, signal);
      if (tenantId === null) return;
      await this.narrateAlerts.narrate(tenantId);
    }
  }
}
