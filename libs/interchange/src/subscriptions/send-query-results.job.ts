import { PeriodicJob, forEachTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import { SendQueryResults } from './send-query-results.js';

/** Tenant by tenant. Any number of processes share the subscriptions. */
@Injectable()
export class SendQueryResultsJob extends PeriodicJob {
  readonly name = 'interchange.send-query-results';
  readonly everyMs = 1_000;

  constructor(private readonly sending: SendQueryResults) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    await forEachTenant(await this.sending.tenants(), signal, (tenant) => this.sending.send(tenant, signal));
  }
}
