import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import type { LeasedDelivery, Outcome } from '../deliveries/delivery.js';
import { OutboundClient } from '../outbound/outbound.client.js';
import { deliveryHeaders, SecretVault } from '../signing/signing.js';
import type { Lease } from './leases.queries.js';

export interface Attempted {
  readonly delivery: LeasedDelivery;
  readonly outcome: Outcome;
  readonly endedAt: Date;
}

/** One signed POST of the stored bytes. Never rejects: whatever happens is an outcome that is recorded. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  async attempt(lease: Lease): Promise<Attempted> {
    const outcome = await this.send(lease).catch((): Outcome => ({
      kind: 'unanswered',
      silence: 'not_signed',
      statusCode: null,
      responseBody: null,
      error: 'The delivery could not be signed.',
    }));
    return { delivery: lease, outcome, endedAt: this.clock.now() };
  }

  private async send(lease: Lease): Promise<Outcome> {
    const body = Buffer.from(lease.body, 'utf8');
    const open = (sealed: string): string => this.vault.open(sealed, lease.subscriptionId);
    const secret = open(lease.sealedSecret);
    const previousSecret = lease.sealedPreviousSecret === null ? null : open(lease.sealedPreviousSecret);
    const headers = deliveryHeaders({ id: lease.id, event: lease.event, body, secret, previousSecret }, this.clock.now());
    return this.outbound.post({ url: lease.url, headers, body });
  }
}
