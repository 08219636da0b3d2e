import { BooleanField, IntegerField, ObjectField, StringField, StringListField } from '#http';
import { OWN_SECRET } from '../signing/signing.js';
import {
  shownOf,
  type Subscription,
  type SubscriptionChanges,
  type SubscriptionInput,
  type SubscriptionWithSecret,
} from './subscription.js';

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

  @StringField({
    description:
      'Signing secret of your own, so that the receiver knows it before the first request: `whsec_` and base64 of 32 to 64 random bytes. By default the service makes one',
    optional: true,
    pattern: OWN_SECRET,
  })
  secret?: string;
}

export class ChangeWebhookBody implements SubscriptionChanges {
  @StringField({ ...URL_FIELD, optional: true, nullByRoute: true })
  url?: string;

  @StringListField({ ...EVENTS_FIELD, optional: true, nullByRoute: true })
  events?: string[];

  @BooleanField({
    description: 'An inactive subscription gets nothing; what waits for it is discarded.',
    optional: true,
    nullByRoute: true,
  })
  active?: boolean;
}

export class RotateSecretBody {
  @IntegerField({ description: 'How long the old secret stays valid, in seconds.', optional: true, min: 0, max: 604_800, example: 86_400 })
  gracePeriodSeconds?: number;
}

export class PausedView {
  @StringField({ description: 'Since when', format: 'date-time' }) since: string;
  @StringField({ description: 'Why' }) reason: string;
}

/** docs/spec/service.md#webhook-subscription without the secret. */
export class WebhookView {
  @StringField({ description: 'Id', format: 'uuid' }) id: string;
  @StringField({ description: 'Receiver' }) url: string;
  @StringListField({ description: 'Topics and families of topics' }) events: readonly string[];
  @BooleanField({ description: 'Changed by PATCH only' }) active: boolean;
  @StringField({ description: 'Created', format: 'date-time' }) createdAt: string;
  @ObjectField(() => PausedView, { description: 'Set while the service holds deliveries back; lifted by resume', nullable: true })
  paused: PausedView | null;
}

export class WebhookWithSecretView extends WebhookView {
  @StringField({ description: 'Signing secret; shown once: absent where an answer is given again', example: 'whsec_…', optional: true })
  secret?: string;
}

export const webhookView = (subscription: Subscription): WebhookView => shownOf(subscription);

export const webhookWithSecretView = ({ subscription, secret }: SubscriptionWithSecret): WebhookWithSecretView =>
  Object.assign(webhookView(subscription), { secret });
