import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import type { EventFilter } from '#traceability';
import type { KnownLot } from './domain/choose-process.js';
import type { ExportedLot, LotExporter, Party, Step } from './domain/dossier.js';
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

/** An event as it came, to be kept apart from every other. */
export interface Arrival {
  /** `ni:///sha-256;…` */
  readonly hash: string;
  readonly declaredId: string | null;
}

/** Which events were captured before, by their hash. */
export abstract class CapturedEvents {
  /**
   * Claims these for the caller, in one statement. Free is what is unknown, what another capture left behind ten minutes ago, and what
   * failed, expired or was withdrawn. @returns those that are not free, with their event where it is prepared
   */
  abstract reserve(tx: TenantTx, arrivals: readonly Arrival[], by: string, now: Date): Promise<ReadonlyMap<string, string | null>>;
  /** What became of reservations: the event, or nothing, which frees them. */
  abstract settle(tx: TenantTx, outcomes: readonly { readonly hash: string; readonly eventId: string | null }[]): Promise<void>;
  /** Our events behind these eventIDs: by our own id, or by the one that they were captured with. */
  abstract behind(tx: TenantTx, eventIDs: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What is looked up for a document's events, in one question each. */
export abstract class CaptureSurroundings {
  abstract lots(tx: TenantTx, codes: readonly string[]): Promise<ReadonlyMap<string, KnownLot>>;
  abstract sites(tx: TenantTx, glns: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
}

/** A process of a version of a map. */
export interface ProcessName {
  readonly map: string;
  readonly version: string;
  readonly processType: string;
}

/** What documents about a lot say besides its events, in one question each. */
export abstract class DossierFacts {
  /** The known ones among these. */
  abstract lots(tx: TenantTx, tokenIds: readonly number[]): Promise<readonly ExportedLot[]>;
  /** By organisation id. */
  abstract parties(tx: TenantTx, orgIds: readonly string[]): Promise<ReadonlyMap<string, Party>>;
  /** In the order asked for; null for an unknown one. */
  abstract words(
    tx: TenantTx,
    processes: readonly ProcessName[],
  ): Promise<readonly ({ readonly label: string; readonly allocation: Step['allocation'] } | null)[]>;
}

/** The formats that lots are exported in. */
export abstract class Exporters {
  abstract readonly all: readonly LotExporter[];
}
