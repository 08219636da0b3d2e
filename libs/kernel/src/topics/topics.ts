/**
 * A topic belongs to the context that publishes it: its `topics.ts` defines it, with the schema and an example of its payload. The list of
 * all topics is composed in apps/runtime; webhooks, reference and client are made from it.
 */

declare const payload: unique symbol;
declare const message: unique symbol;

/** JSON Schema of one field, with the type of its values. */
export type TopicField<T> = Readonly<Record<string, unknown>> & { readonly [payload]: T };
export const topicField = <T>(schema: Readonly<Record<string, unknown>>): TopicField<T> => schema as TopicField<T>;

const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };

/** The fields that topics share (docs/spec/domain.md#webhook-data). */
export const FIELDS = {
  text: topicField<string>({ type: 'string' }),
  textOrNull: topicField<string | null>({ type: ['string', 'null'] }),
  integer: topicField<number>({ type: 'integer' }),
  integerOrNull: topicField<number | null>({ type: ['integer', 'null'] }),
  integers: topicField<readonly number[]>({ type: 'array', items: { type: 'integer' } }),
  texts: topicField<readonly string[]>({ type: 'array', items: { type: 'string' } }),
  boolean: topicField<boolean>({ type: 'boolean' }),
  booleanOrNull: topicField<boolean | null>({ type: ['boolean', 'null'] }),
  /** ISO 8601. */
  time: topicField<string>({ type: 'string', format: 'date-time' }),
  timeOrNull: topicField<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  address: topicField<string>(ADDRESS),
} as const;

/** What every topic about the chain carries; `occurredAt` is the block time. */
export const CHAIN_FIELDS = {
  tenantId: FIELDS.text,
  chainId: FIELDS.integer,
  contractAddress: FIELDS.address,
  txHash: FIELDS.text,
  blockNumber: FIELDS.integer,
  occurredAt: FIELDS.time,
} as const;
export type ChainFacts = PayloadOf<typeof CHAIN_FIELDS>;

export type PayloadOf<Fields> = { readonly [K in keyof Fields]: Fields[K] extends TopicField<infer T> ? T : never };

/**
 * Who of a tenant reads its messages in the change feed; an administrator of every process reads all. Every member, where nothing is said; who
 * has its process, the `processType` of the payload, in scope; who may send from its wallet, `from`; who began it, `startedBy`.
 */
export type TopicReaders = 'members' | 'process' | 'sender' | 'starter';

/** What the catalogue and the reference show of a topic. */
export interface TopicDescription {
  readonly topic: string;
  readonly readers?: TopicReaders;
  /** When it is published: one sentence. */
  readonly description: string;
  /** JSON Schema of each field of the payload. Every field is always there; others may be added. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly example: { readonly timestamp: string; readonly data: object };
}

export interface MessageFacts {
  /** A message with the same key is published only once: (topic, chain, transaction, log, token) for facts of the chain. */
  readonly key: string;
  readonly occurredAt: Date;
  /** Facts of the chain wait in the outbox until their block is final, and are deleted with it in a reorg. */
  readonly block?: { readonly chainId: number; readonly number: number };
}

/** What `tx.publish` takes; only a topic makes one. */
export interface TopicMessage extends MessageFacts {
  readonly topic: string;
  /** Becomes `data` of the webhook body, serialised once and sent byte for byte. Its `eventId`, `mintEventId` or `txHash` finds the span to continue. */
  readonly data: object;
  readonly [message]: true;
}

/** Called with a payload, it makes the message. */
export interface Topic<Payload extends object> extends TopicDescription {
  (data: Payload, facts: MessageFacts): TopicMessage;
}

/** The payload that a topic is called with. */
export type TopicPayload<T> = T extends Topic<infer Payload> ? Payload : never;

export function defineTopic<Fields extends Readonly<Record<string, TopicField<unknown>>>>(
  topic: string,
  { description, fields, example, readers = 'members' }: Definition<Fields>,
): Topic<PayloadOf<Fields>> {
  const publish = (data: PayloadOf<Fields>, facts: MessageFacts): TopicMessage => ({ ...facts, topic, data }) as unknown as TopicMessage;
  return Object.assign(publish, { topic, description, fields, readers, example: { timestamp: example.timestamp, data: example.data } });
}

interface Definition<Fields> {
  readonly description: string;
  readonly fields: Fields;
  readonly example: ExampleOf<Fields>;
  readonly readers?: TopicReaders;
}

interface ExampleOf<Fields> {
  readonly timestamp: string;
  readonly data: PayloadOf<Fields>;
}
