import { UnitOfWork } from '#persistence';
import { JobQueue, PeriodicJob, QueuedJob, type JobContext, enqueueJob, forEachTenant, queuedJobTopic } from '#queue';
import { Injectable } from '@nestjs/common';
import { RegistryQueries } from './registry.queries.js';
import { SendRegistrations } from './send-registrations.js';

interface Tenant {
  readonly tenantId: string;
}

export const sendRegistrationsTopic = queuedJobTopic<Tenant>('passports.send-registrations');

/** Sends what is due of one tenant. A slow registry holds up no other tenant. */
@Injectable()
export class SendRegistrationsJob extends QueuedJob<Tenant> {
  readonly topic = sendRegistrationsTopic;
  override readonly concurrency = 2;

  constructor(private readonly sendRegistrations: SendRegistrations) {
    super();
  }

  override run({ tenantId }: Tenant, { signal }: JobContext): Promise<void> {
    return this.sendRegistrations.send(tenantId, signal);
  }
}

/** Every five seconds: passports that have a new version, or were withdrawn, get an entry; what is due is sent by a job of the tenant. */
@Injectable()
export class RegisterPassportsJob extends PeriodicJob {
  readonly name = 'passports.register-passports';
  readonly everyMs = 5_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly registry: RegistryQueries,
    private readonly sendRegistrations: SendRegistrations,
    private readonly queue: JobQueue,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    const tenants = await this.work.readAsSystem((tx) => this.registry.registering(tx));
    await forEachTenant(tenants, signal, async ({ tenantId }) => {
      if (await this.sendRegistrations.prepare(tenantId)) await enqueueJob(this.queue, sendRegistrationsTopic, { tenantId }, tenantId);
    });
  }
}
