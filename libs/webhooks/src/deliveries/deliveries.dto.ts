import { BooleanField, EnumField, IntegerField, ObjectListField, StringField, JsonObjectField } from '#http';
import type { AttemptRecord, DeliveryRecord } from './deliveries.queries.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './delivery.js';

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

export class AttemptView {
  @IntegerField({ description: 'Of all attempts, resends included' }) number: number;
  @BooleanField({ description: 'Asked for by an administrator' }) manual: boolean;
  @IntegerField({ description: 'HTTP status', nullable: true }) statusCode: number | null;
  @StringField({ description: 'Start of the answer, 8 KiB at most', nullable: true }) responseBody: string | null;
  @StringField({ description: 'What went wrong', nullable: true }) error: string | null;
  @StringField({ description: 'Started', format: 'date-time' }) startedAt: string;
  @IntegerField({ description: 'Milliseconds' }) durationMs: number;
}

/** docs/spec/service.md#webhook-delivery; the last attempt's answer, and additive fields. */
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

export class DeliveryRequestView {
  @StringField({ description: 'Receiver' }) url: string;
  @JsonObjectField({
    description:
      'Headers as the next attempt would have them: time and signatures are of now. Empty once the subscription or the body is deleted',
  })
  headers: object;
  @StringField({ description: 'The exact bytes that are signed and sent; null once they are deleted', nullable: true }) body: string | null;
}

export class TestSentView {
  @StringField({ description: 'Id of the delivery', format: 'uuid' }) deliveryId: string;
}

export class RecoveringView {
  @IntegerField({ description: 'Deliveries that are sent again' }) deliveries: number;
}

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
