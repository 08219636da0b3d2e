import { IntegerField, NumberField, StringField, StringListField } from '#http';
import type { Place } from './change.js';
import type { Consumer } from './consumers.queries.js';

export class ConsumerBody {
  @StringListField({
    description: 'Topics that it reads; null: all that you may read',
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: 100,
  })
  topics?: string[] | null;

  @StringField({
    description: 'Moves its place to this cursor, back or forward; `latest`: to the end. A new consumer begins at the oldest change',
    optional: true,
    maxLength: 200,
  })
  after?: string;
}

export class AcknowledgeChangesBody {
  @StringField({ description: 'Of the last change that you have processed', maxLength: 200 })
  cursor: string;
}

export class ConsumerView {
  @StringField({ description: 'Name' }) name: string;
  @StringField({ description: 'User or API key that made it' }) ownerId: string;
  @StringListField({ description: 'Topics that it reads; null: all that its owner may read', nullable: true })
  topics: readonly string[] | null;
  @StringField({ description: 'Place of the last change that it acknowledged' }) cursor: string;
  @IntegerField({ description: 'Changes behind it, of all topics' }) behind: number;
  @NumberField({ description: 'Age of the first of them; 0 when there is none' }) behindSeconds: number;
  @StringField({ description: 'Created', format: 'date-time' }) createdAt: string;
  @StringField({ description: 'Last read from or acknowledged, to the hour', format: 'date-time' }) usedAt: string;
}

export const consumerView = (consumer: Consumer, cursor: (place: Place) => string, now: Date): ConsumerView => ({
  name: consumer.name,
  ownerId: consumer.ownerId,
  topics: consumer.topics,
  cursor: cursor(consumer.place),
  behind: consumer.behind,
  behindSeconds: consumer.behindSince === null ? 0 : Math.max(0, (now.getTime() - consumer.behindSince.getTime()) / 1_000),
  createdAt: consumer.createdAt.toISOString(),
  usedAt: consumer.usedAt.toISOString(),
});
