import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import type { ClaimedDelivery, Outcome } from '../domain/delivery.js';
import { deliveryHeaders } from '../domain/signature.js';
import { type Claim, OutboundClient } from '../ports.js';
import { SecretVault } from './secret-vault.js';

export interface Attempted {
  readonly delivery: ClaimedDelivery;
  readonly outcome: Outcome;
  readonly endedAt: Date;
}

/** One signed POST of the stored bytes. Never rejects: whatever happens is an outcome that gets written down. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  async attempt(claim: Claim): Promise<Attempted> {
    const outcome = await this.send(claim).catch(
      (): Outcome => ({
        kind: 'unanswered',
        silence: 'not_signed',
        statusCode: null,
        responseBody: null,
        error: 'The delivery could not be signed.',
      }),
    );
    return { delivery: claim, outcome, endedAt: this.clock.now() };
  }

  private async send(claim: Claim): Promise<Outcome> {
    const body = Buffer.from(claim.body, 'utf8');
    const open = (sealed: string): string => this.vault.open(sealed, claim.subscriptionId);
    const secret = open(claim.sealedSecret);
    const previousSecret = claim.sealedPreviousSecret === null ? null : open(claim.sealedPreviousSecret);
    const headers = deliveryHeaders({ id: claim.id, event: claim.event, body, secret, previousSecret }, this.clock.now());
    return this.outbound.post({ url: claim.url, headers, body });
  }
}
