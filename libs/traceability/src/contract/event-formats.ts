import type { Actor } from '#kernel';
import type { EventFilter } from './events.js';

/** What is asked of events in another format. */
export interface EventsInFormat {
  readonly actor: Actor;
  readonly filter: EventFilter;
  /** Events of one answer; null = every one, written as fast as it is read. */
  readonly limit: number | null;
  /** `next` of the answer before. */
  readonly cursor?: string | undefined;
  /** `https://host` that was asked, and the path and query behind it. */
  readonly origin: string;
  readonly path: string;
}

export interface FormattedEvents {
  readonly contentType: string;
  /** Goes on where this answer ends; null where nothing follows. */
  readonly next: string | null;
  readonly text: AsyncIterable<string>;
}

/** A format besides JSON that lists of events are answered in: one more is one more class, added to `EventFormats`. */
export interface EventFormat {
  /** Of the query parameter `format`. */
  readonly name: string;
  /** Of the header `Accept`. */
  readonly mediaType: string;
  write(asked: EventsInFormat): Promise<FormattedEvents>;
}

/** The formats that the contexts behind this one write. */
export abstract class EventFormats {
  /** At start, by the module of the context that writes it. */
  abstract add(format: EventFormat): void;
  /** Null = JSON. @throws DomainError 400 for a name that no format has */
  abstract asked(format: string | undefined, accept: string | undefined): EventFormat | null;
}
