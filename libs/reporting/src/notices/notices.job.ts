import { PeriodicJob, forEachTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import { ReportingSettings } from '../reporting.settings.js';
import { GatherNotices } from './gather-notices.js';
import { SendNoticeMails } from './send-notice-mails.js';

/** Finds notices. Any number of processes may run it: one at a time has a tenant. */
@Injectable()
export class GatherNoticesJob extends PeriodicJob {
  readonly name = 'reporting.gather-notices';
  readonly everyMs: number;

  constructor(
    private readonly gatherNotices: GatherNotices,
    settings: ReportingSettings,
  ) {
    super();
    this.everyMs = settings.notices.everyMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    await forEachTenant(await this.gatherNotices.due(), signal, ({ tenantId }) => this.gatherNotices.gather(tenantId));
  }
}

@Injectable()
export class SendNoticeMailsJob extends PeriodicJob {
  readonly name = 'reporting.send-notice-mails';
  readonly everyMs: number;

  constructor(
    private readonly sendMails: SendNoticeMails,
    settings: ReportingSettings,
  ) {
    super();
    this.everyMs = settings.notices.everyMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    await this.sendMails.send(signal);
  }
}
