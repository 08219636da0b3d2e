import type { Actor } from '#kernel';
import type { EventFilter } from '../contract.js';
import type { EpcisEvent } from '../epcis/epcis-event.js';
import type { Naming } from '../epcis/identifiers.js';

/** The part of the feed that a request asks for. */
export interface FeedRequest {
  readonly actor: Actor;
  readonly filter: EventFilter;
  readonly naming: Naming;
  /** Custody and recalls of certain blocks alone: behind the first, up to the second. */
  readonly blocks?: readonly [after: number, upTo: number];
}

/** A place in one source: newest first, then by the source's own key. */
export interface SourcePlace {
  /** Null: among the events without a time, which come last. */
  readonly at: Date | null;
  readonly key: string;
}

/** A place in the feed: newest first by time, at one time by source, then by the source's own key. */
export interface FeedPlace extends SourcePlace {
  readonly source: number;
}

export interface SourceEntry extends SourcePlace {
  /** Made only of what is shown: each source gives a whole page, of which most may be behind its end. */
  readonly event: () => EpcisEvent;
  /** In which it happened; of custody and recalls only. */
  readonly block?: number;
}

export interface FeedEntry extends SourceEntry, FeedPlace {}

/** Keys before and after all others of a source. */
export const FIRST = '';
export const LAST = '\u{10ffff}';

/** The same place as one source sees it. */
export const placeIn = (source: number, { at, source: passed, key }: FeedPlace): SourcePlace => ({
  at,
  key: source === passed ? key : source < passed ? LAST : FIRST,
});

export function byPlace(a: FeedPlace, b: FeedPlace): number {
  const [left, right] = [a.at?.getTime() ?? -Infinity, b.at?.getTime() ?? -Infinity];
  if (left !== right) return left > right ? -1 : 1;
  return a.source - b.source || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
