import { ChainHead } from '#chain';
import { UnitOfWork } from '#persistence';
import { enqueueJob, forEachTenant, JobQueue, PeriodicJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { SettingsQueries } from '../settings/settings.queries.js';
import { issueBacklogTopic } from './issue-backlog.job.js';
import { IssuePassports } from './issue-passports.js';

/** Every second: lots whose event became final get their passports, one batch in each tenant that shows passports. More than that is a job of the tenant. */
@Injectable()
export class IssuePassportsJob extends PeriodicJob {
  readonly name = 'passports.issue-passports';
  readonly everyMs = 1_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly settings: SettingsQueries,
    private readonly head: ChainHead,
    private readonly issuePassports: IssuePassports,
    private readonly queue: JobQueue,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    const { tenants, final } = await this.work.readAsSystem(async (tx) => {
      const [showing, position] = await Promise.all([this.settings.showing(tx), this.head.position(tx)]);
      return { tenants: showing, final: position.final };
    });
    const behind = tenants.filter(({ issuedTo }) => issuedTo < final);
    await forEachTenant(behind, signal, async ({ tenantId }) => {
      if (await this.issuePassports.issueNext(tenantId)) await enqueueJob(this.queue, issueBacklogTopic, { tenantId }, tenantId);
    });
  }
}
