import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import type { EventFilter } from '#traceability';
import type { EpcisEvent } from './domain/export-event.js';
import type { Naming } from './domain/recorded.js';

/** A place in the journal: newest first by time, at one time by source, then by the source's own key. */
export interface JournalPlace {
  /** Null: among the events without a time, which come last. */
  readonly at: Date | null;
  readonly source: number;
  readonly key: string;
}

export interface JournalEntry extends JournalPlace {
  readonly told: EpcisEvent;
}

/** One kind of what happened to lots. A further one is one more class, added to `Journal`. */
export abstract class JournalSource {
  /** The next entries behind a place, told in EPCIS; null = from the beginning. The same few statements however many they are. */
  abstract page(
    tx: TenantTx,
    asked: { readonly actor: Actor; readonly filter: EventFilter; readonly naming: Naming },
    after: { readonly at: Date | null; readonly key: string } | null,
    limit: number,
  ): Promise<readonly Omit<JournalEntry, 'source'>[]>;
}
