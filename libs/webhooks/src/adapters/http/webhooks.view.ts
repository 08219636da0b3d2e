import { BooleanField, EnumField, IntegerField, JsonObjectField, ObjectField, ObjectListField, StringField, StringListField } from '#http';
import { TOPICS, type Topic } from '#kernel';
import type { Registered } from '../../application/register-subscription.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/delivery.js';
import type { Subscription } from '../../domain/subscription.js';
import type { TopicDescription } from '../../domain/topic-catalogue.js';
import type { TopicBody } from '../../domain/topic-examples.js';
import type { AttemptRecord, DeliveryRecord } from '../../ports.js';

export class PausedView {
  @StringField({ description: 'Since when', format: 'date-time' }) since: string;
  @StringField({ description: 'Why' }) reason: string;
}

/** Specification §2.12 without the secret. */
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

export class AttemptView {
  @IntegerField({ description: 'Of all attempts, resends included' }) number: number;
  @BooleanField({ description: 'Asked for by an administrator' }) manual: boolean;
  @IntegerField({ description: 'HTTP status', nullable: true }) statusCode: number | null;
  @StringField({ description: 'Start of the answer, 8 KiB at most', nullable: true }) responseBody: string | null;
  @StringField({ description: 'What went wrong', nullable: true }) error: string | null;
  @StringField({ description: 'Started', format: 'date-time' }) startedAt: string;
  @IntegerField({ description: 'Milliseconds' }) durationMs: number;
}

/** Specification §2.13; the last attempt's answer, and additive fields. */
export class DeliveryView {
  @StringField({ description: '`X-Webhook-Id`; the same on every attempt', format: 'uuid' }) id: string;
  @StringField({ description: 'Subscription', format: 'uuid' }) subscriptionId: string;
  @StringField({ description: 'Topic' }) event: string;
  @StringField({ description: 'Receiver' }) url: string;
  @IntegerField({ description: 'HTTP status of the last attempt; null without an answer', nullable: true }) statusCode: number | null;
  @BooleanField({ description: 'Delivered' }) success: boolean;
  @IntegerField({ description: 'Automatic attempts so far; 1 and three retries' }) attempt: number;
  @StringField({ description: 'Start of the last answer, 8 KiB at most', nullable: true }) responseBody: string | null;
  @StringField({ description: 'What went wrong with the last attempt', nullable: true }) error: string | null;
  @StringField({ description: 'Created', format: 'date-time' }) createdAt: string;
  @EnumField(DELIVERY_STATUSES, { description: 'State' }) status: DeliveryStatus;
  @StringField({ description: 'Next attempt', format: 'date-time', nullable: true }) nextAttemptAt: string | null;
  @IntegerField({ description: 'Resends, counted apart' }) resends: number;
  @ObjectListField(() => AttemptView, { description: 'Every attempt' }) attempts: readonly AttemptRecord[];
}

export class TestSentView {
  @StringField({ description: 'Id of the delivery', format: 'uuid' }) deliveryId: string;
}

export class RecoveringView {
  @IntegerField({ description: 'Deliveries that are sent again' }) deliveries: number;
}

export class TopicView implements TopicDescription {
  @EnumField(TOPICS, { description: 'What `events` of a subscription names' }) topic: Topic;
  @StringField({ description: 'When it is emitted' }) description: string;
  @JsonObjectField({ description: 'JSON Schema 2020-12 of the whole body' }) schema: Readonly<Record<string, unknown>>;
  @JsonObjectField({ description: 'A body' }) example: TopicBody;
}

export function webhookView(s: Subscription): WebhookView {
  return {
    id: s.id,
    url: s.url,
    events: s.events,
    active: s.active,
    createdAt: s.createdAt.toISOString(),
    paused: s.pausedSince && { since: s.pausedSince.toISOString(), reason: s.pausedReason ?? '' },
  };
}

export const webhookWithSecretView = ({ subscription, secret }: Registered): WebhookWithSecretView =>
  Object.assign(webhookView(subscription), { secret });

export function deliveryView(d: DeliveryRecord): DeliveryView {
  return {
    id: d.id,
    subscriptionId: d.subscriptionId,
    event: d.event,
    url: d.url,
    statusCode: d.statusCode,
    success: d.status === 'delivered',
    attempt: d.attempt,
    responseBody: d.responseBody,
    error: d.error,
    createdAt: d.createdAt.toISOString(),
    status: d.status,
    nextAttemptAt: d.nextAttemptAt && d.nextAttemptAt.toISOString(),
    resends: d.resends,
    attempts: d.attempts,
  };
}
