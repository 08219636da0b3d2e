import { BooleanField, EnumField, IntegerField, StringField, StringListField } from '#http';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/delivery.js';
import type { SubscriptionChanges, SubscriptionInput } from '../../domain/subscription.js';

const URL_FIELD = {
  description: 'Where deliveries go; it must answer now. HTTPS is recommended.',
  example: 'https://example.com/hooks/trace',
};
const EVENTS_FIELD = {
  description: 'Topics, families of them (`custody.*`), or `*`.',
  example: ['event.recorded', 'custody.*'],
  minItems: 1,
  maxItems: 50,
};

export class RegisterWebhookBody implements SubscriptionInput {
  @StringField(URL_FIELD)
  url: string;

  @StringListField(EVENTS_FIELD)
  events: string[];
}

export class ChangeWebhookBody implements SubscriptionChanges {
  @StringField({ ...URL_FIELD, optional: true })
  url?: string;

  @StringListField({ ...EVENTS_FIELD, optional: true })
  events?: string[];

  @BooleanField({ description: 'An inactive subscription gets nothing; what waits for it is discarded.', optional: true })
  active?: boolean;
}

export class RotateSecretBody {
  @IntegerField({ description: 'How long the old secret signs along, in seconds.', optional: true, min: 0, max: 604_800, example: 86_400 })
  gracePeriodSeconds?: number;
}

export class RecoverBody {
  @StringField({
    description: 'Failed deliveries created from this time on are sent again: an ISO 8601 time with an offset, or a date.',
    example: '2026-11-28T00:00:00Z',
  })
  since: string;
}

export class DeliveriesQuery {
  @StringField({ description: 'One topic only', optional: true })
  event?: string;

  @EnumField(DELIVERY_STATUSES, { description: 'One state only', optional: true })
  status?: DeliveryStatus;

  @StringField({ description: 'From the `Link` header of the page before', optional: true })
  cursor?: string;
}
