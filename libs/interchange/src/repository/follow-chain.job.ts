import { PeriodicJob, forEachTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import { RepositoryProjector } from './repository.projector.js';

/** Tenant by tenant. Any number of processes share them. */
@Injectable()
export class FollowChainJob extends PeriodicJob {
  readonly name = 'interchange.follow-chain';
  readonly everyMs = 1_000;

  constructor(private readonly projector: RepositoryProjector) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    await forEachTenant(await this.projector.tenants(), signal, (tenant) => this.projector.project(tenant, signal));
  }
}
