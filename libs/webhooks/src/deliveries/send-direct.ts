import { Injectable } from '@nestjs/common';
import { Clock, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { type DirectMessage, DirectMessages } from '../contract.js';
import { DeliveriesQueries } from './deliveries.queries.js';
import { DeliveryWakeUp } from './delivery-wake-up.client.js';

@Injectable()
export class SendDirect extends DirectMessages {
  constructor(
    private readonly deliveries: DeliveriesQueries,
    private readonly workers: DeliveryWakeUp,
    private readonly clock: Clock,
  ) {
    super();
  }

  send(tx: TenantTx, webhookId: string, message: DirectMessage): Promise<boolean> {
    return this.deliveries.addDirect(tx, webhookId, { id: newId(), ...message }, this.clock.now());
  }

  wake(): Promise<void> {
    return this.workers.wake();
  }
}
