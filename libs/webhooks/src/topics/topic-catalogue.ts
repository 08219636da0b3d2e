import { type Actor, defineTopic, FIELDS, newId, type TopicDescription, type TopicReaders } from '#kernel';
import { topicUnknown } from '../errors.js';

const { text, time } = FIELDS;

export const webhookTest = defineTopic('webhook.test', {
  description: 'An administrator asked for it; goes to one subscription alone.',
  fields: {
    tenantId: text,
    subscriptionId: text,
    message: text,
    nonce: text,
    requestedAt: time,
  },
  example: {
    timestamp: '2026-11-28T08:42:05.783Z',
    data: {
      tenantId: 'rice',
      subscriptionId: 'cce4640c-51b7-4566-b8d8-36641153eadd',
      message: 'A test delivery, asked for by an administrator.',
      nonce: 'ce565db4-f281-4403-b7ea-e14e8d964f0c',
      requestedAt: '2026-11-28T08:42:05.783Z',
    },
  },
});

/** The body of a test message: serialised once, here. */
export function testBody(actor: Actor, subscriptionId: string, message: string, at: Date): string {
  const requestedAt = at.toISOString();
  const data = { tenantId: actor.tenantSlug, subscriptionId, message, nonce: newId(), requestedAt };
  const { topic } = webhookTest(data, { key: data.nonce, occurredAt: at });
  return JSON.stringify({ event: topic, timestamp: requestedAt, data });
}

export interface CatalogueTopic {
  readonly topic: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the whole body. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: { readonly event: string; readonly timestamp: string; readonly data: object };
}

/** Names in `events` that match a topic: its own, its family (`custody.*`) and `*`. The SQL of the fan-out has the same rule. */
const patternsOf = (topic: string): readonly string[] => [topic, `${topic.split('.')[0]}.*`, '*'];

/** The topics that a subscription may name. */
export class TopicCatalogue {
  readonly topics: readonly CatalogueTopic[];
  /** By the name of each topic that can be in the change feed: all but the test of a subscription, which goes to that one alone. */
  private readonly readers: ReadonlyMap<string, TopicReaders>;
  private readonly known: ReadonlySet<string>;

  constructor(topics: readonly TopicDescription[]) {
    this.topics = topics.map(described);
    this.readers = new Map(
      topics.filter(({ topic }) => topic !== webhookTest.topic).map(({ topic, readers = 'members' }) => [topic, readers]),
    );
    this.known = new Set(topics.flatMap(({ topic }) => patternsOf(topic)));
  }

  /**
   * The list without repetitions.
   * @param field of the request that has it
   * @throws DomainError 422 `webhook_topic_unknown` with the pointer of the first unknown one
   */
  checked(events: readonly string[], field = 'events'): string[] {
    const unknown = events.findIndex((event) => !this.known.has(event));
    if (unknown >= 0) throw topicUnknown(events[unknown]!, `/${field}/${unknown}`);
    return [...new Set(events)];
  }

  /** The topics of the feed that some of these patterns match. */
  matching(patterns: readonly string[]): readonly string[] {
    return [...this.readers.keys()].filter((topic) => patternsOf(topic).some((pattern) => patterns.includes(pattern)));
  }

  /** Those of a topic of the feed. One that this release does not know is for administrators alone. */
  readersOf(topic: string): TopicReaders | 'administrators' {
    return this.readers.get(topic) ?? 'administrators';
  }
}

/** @param topics of the other contexts */
export const topicCatalogue = (topics: readonly TopicDescription[]): TopicCatalogue => new TopicCatalogue([...topics, webhookTest]);

const described = ({ topic, description, fields, example }: TopicDescription): CatalogueTopic => ({
  topic,
  description,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['event', 'timestamp', 'data'],
    properties: {
      event: { const: topic },
      timestamp: FIELDS.time,
      data: { type: 'object', properties: fields, required: Object.keys(fields) },
    },
  },
  example: { event: topic, timestamp: example.timestamp, data: example.data },
});
