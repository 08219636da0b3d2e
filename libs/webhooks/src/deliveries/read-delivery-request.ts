import { Injectable } from '@nestjs/common';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { deliveryHeaders, SecretVault } from '../signing/signing.js';
import { DeliveriesQueries } from './deliveries.queries.js';

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes as text; null where they are kept no longer. */
  readonly body: string | null;
}

/** What a delivery sends, for the people who build its receiver. */
@Injectable()
export class ReadDeliveryRequest {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly deliveries: DeliveriesQueries,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `webhook_not_found`, `delivery_not_found` */
  async read(actor: Actor, webhookId: string, deliveryId: string): Promise<DeliveryRequest> {
    const found = await this.unitOfWork.read(actor, (tx) => this.deliveries.content(tx, webhookId, deliveryId));
    const { id, subscriptionId, url, event, body, sealedSecret, sealedPreviousSecret, previousSecretUntil } = found;
    // Of a deleted subscription nothing is signed any more.
    if (body === null || sealedSecret === null) return { url, headers: {}, body };
    const at = this.clock.now();
    const isPreviousValid = sealedPreviousSecret !== null && previousSecretUntil !== null && previousSecretUntil > at;
    const signed = {
      ...{ id, event, body: Buffer.from(body), secret: this.vault.open(sealedSecret, subscriptionId) },
      previousSecret: isPreviousValid ? this.vault.open(sealedPreviousSecret, subscriptionId) : null,
    };
    return { url, headers: deliveryHeaders(signed, at), body };
  }
}
