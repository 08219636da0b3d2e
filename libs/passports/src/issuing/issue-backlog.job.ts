import { type JobContext, QueuedJob, queuedJobTopic } from '#queue';
import { Injectable } from '@nestjs/common';
import { IssuePassports } from './issue-passports.js';

export const issueBacklogTopic = queuedJobTopic<{ readonly tenantId: string }>('passports.issue-backlog');

/** Issues all that is left of one tenant, for example after it turned passports on. Those of other tenants do not wait for it. */
@Injectable()
export class IssueBacklogJob extends QueuedJob<{ readonly tenantId: string }> {
  readonly topic = issueBacklogTopic;
  /** Backlogs of several tenants share the processes. */
  override readonly concurrency = 2;

  constructor(private readonly issuePassports: IssuePassports) {
    super();
  }

  override run({ tenantId }: { readonly tenantId: string }, { signal }: JobContext): Promise<void> {
    return this.issuePassports.issueAll(tenantId, signal);
  }
}
