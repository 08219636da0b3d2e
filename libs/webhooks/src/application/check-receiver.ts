import { Injectable } from '@nestjs/common';
import { type Actor, Clock, newId } from '#kernel';
import { checkedUrl } from '../domain/address.js';
import { deliveryHeaders } from '../domain/signature.js';
import { OutboundClient } from '../ports.js';
import { TEST_TOPIC, testBody } from './test-message.js';

/** Whether somebody answers at a URL, before it is written down (specification §6.4.5, reliability-decisions §1.7). */
@Injectable()
export class CheckReceiver {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 `webhook_url_invalid`, `webhook_url_not_allowed`, `webhook_url_unreachable` */
  async check(actor: Actor, subscriptionId: string, url: string, secret: string): Promise<void> {
    checkedUrl(url);
    const at = this.clock.now();
    const body = Buffer.from(testBody(actor, subscriptionId, 'Is somebody there?', at));
    const headers = deliveryHeaders({ id: newId(), event: TEST_TOPIC, body, secret, previousSecret: null }, at);
    await this.outbound.probe({ url, headers, body });
  }
}
