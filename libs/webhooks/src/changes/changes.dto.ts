import { BooleanField, IntegerField, JsonObjectField, ObjectListField, StringField, StringListField } from '#http';
import { type Change, type ChangePage, type Place, cloudEventOf, placeOf } from './change.js';

/** The longest name of a consumer, and what it may consist of. */
export const CONSUMER_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
export const MOST_CHANGES = 1_000;
/** Below a minute, after which many proxies end a request. */
export const LONGEST_WAIT_SECONDS = 55;

export class ChangesQuery {
  @StringField({
    description: 'Changes behind this `cursor`; `latest`: those from now on; without it from the oldest that is kept',
    optional: true,
    maxLength: 200,
  })
  after?: string;

  @StringListField({ description: 'Topics, families (`custody.*`) or `*`; commas may separate them', optional: true, maxItems: 100 })
  topics?: string[];

  @IntegerField({
    description: 'Seconds to wait for a change when there is none',
    min: 0,
    max: LONGEST_WAIT_SECONDS,
    optional: true,
    default: 0,
  })
  wait: number = 0;

  @IntegerField({ description: 'Changes of one answer', min: 1, max: MOST_CHANGES, optional: true, default: 100 })
  limit: number = 100;

  @StringField({ description: 'One of your consumers: changes behind its place, of its topics', optional: true, pattern: CONSUMER_NAME })
  consumer?: string;
}

class ChangeView {
  @StringField({ description: 'The same for every reader and for good', format: 'uuid' }) id: string;
  @StringField({ description: 'Its place: `after` continues behind it' }) cursor: string;
  @StringField({ description: 'Topic' }) event: string;
  @StringField({ description: 'When it happened', format: 'date-time' }) timestamp: string;
  @JsonObjectField({ description: 'As in the body of a webhook: the schema is that of the topic' }) data: object;
}

export class ChangesView {
  @ObjectListField(() => ChangeView, { description: 'In order, each once' }) data: readonly ChangeView[];
  @StringField({ description: '`after` of the next request, also when `data` is empty' }) cursor: string;
  @BooleanField({ description: 'Whether there is more already: ask again without waiting' }) more: boolean;
}

/** Gives the text of a place; of the tenant of the reader. */
type Cursors = (place: Place) => string;

/** The body of a webhook with an id and a place: its bytes are not parsed. */
const changeText = (change: Change, cursor: Cursors): string =>
  `{"id":"${change.id}","cursor":"${cursor(placeOf(change))}",${change.body.slice(1)}`;

const eventText = (change: Change, tenantId: string, cursor: Cursors): string =>
  JSON.stringify(cloudEventOf(change, tenantId, cursor(placeOf(change))));

export const BATCH_TYPE = 'application/cloudevents-batch+json';
export const STREAM_TYPE = 'text/event-stream';
export const CHANGE_TYPES = ['application/json', BATCH_TYPE, STREAM_TYPE] as const;

export const changesText = ({ changes, next, more }: ChangePage, cursor: Cursors): string =>
  `{"data":[${changes.map((change) => changeText(change, cursor)).join()}],"cursor":"${cursor(next)}","more":${more}}`;

export const batchText = ({ changes }: ChangePage, tenantId: string, cursor: Cursors): string =>
  `[${changes.map((change) => eventText(change, tenantId, cursor)).join()}]`;

/** A client that lost its connection asks again after this time, with the id of the last block as `Last-Event-ID`. */
export const STREAM_START = 'retry: 1000\n\n';

/**
 * Server-sent events (WHATWG HTML, 9.2): a block for each change. One without data moves on the id of the client alone: over changes that it
 * does not read, and to keep the connection.
 * @param tenantId null: `data` is as in JSON, else a CloudEvent
 */
export function streamText({ changes, next }: ChangePage, tenantId: string | null, cursor: Cursors): string {
  const blocks = changes.map((change) => {
    const data = tenantId === null ? changeText(change, cursor) : eventText(change, tenantId, cursor);
    return `id: ${cursor(placeOf(change))}\nevent: ${change.topic}\ndata: ${data}\n\n`;
  });
  const last = changes.at(-1);
  return last?.position === next.position ? blocks.join('') : `${blocks.join('')}id: ${cursor(next)}\n\n`;
}
