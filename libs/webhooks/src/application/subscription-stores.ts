import { Injectable } from '@nestjs/common';
import { Deliveries, Subscriptions } from '../ports.js';

/** The two tables of an admin's change. */
@Injectable()
export class SubscriptionStores {
  constructor(
    readonly subscriptions: Subscriptions,
    readonly deliveries: Deliveries,
  ) {}
}
