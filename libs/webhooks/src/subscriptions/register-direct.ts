import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { DirectWebhooks } from '../contract.js';
import { ChangeSubscription } from './change-subscription.js';
import { RegisterSubscription } from './register-subscription.js';

@Injectable()
export class RegisterDirect extends DirectWebhooks {
  constructor(
    private readonly registration: RegisterSubscription,
    private readonly change: ChangeSubscription,
  ) {
    super();
  }

  async register(
    actor: Actor,
    { url, event }: { readonly url: string; readonly event: string },
    also: (tx: TenantTx, webhookId: string) => Promise<void>,
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const { subscription, secret } = await this.registration.registerDirect(actor, { url, event }, also);
    return { id: subscription.id, secret };
  }

  remove(tx: TenantTx, actor: Actor, id: string): Promise<void> {
    return this.change.removeWithin(tx, actor, id);
  }
}
