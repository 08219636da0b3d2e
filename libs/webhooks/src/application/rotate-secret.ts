import { Injectable } from '@nestjs/common';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '#identity';
import { Subscriptions } from '../ports.js';
import type { Registered } from './register-subscription.js';
import { SecretVault } from './secret-vault.js';

@Injectable()
export class RotateSecret {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: Subscriptions,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `webhook_not_found` */
  rotate(actor: Actor, id: string, gracePeriodSeconds: number): Promise<Registered> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const subscription = await this.subscriptions.forChange(tx, id);
      const secret = this.vault.newSecret();
      // Under the id as it is stored: the caller may have written it in capitals, and what is sealed for one text opens for no other.
      subscription.rotate(this.vault.seal(secret, subscription.id), gracePeriodSeconds * 1000, this.clock.now());
      await this.subscriptions.save(tx, subscription);
      const entry = { action: 'webhook.secret_rotated', subject: subscription.id, details: { gracePeriodSeconds } } as const;
      await this.audit.record(tx, actor.tenantId, actor, entry);
      return { subscription, secret };
    });
  }
}
