import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import type { EventStatus } from '../domain/event-status.js';

/** Where something happened and the papers about it, as far as somebody may read them. */
export interface EventPapers {
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

/** Of whole pages of events at once: a statement, however many they are. */
export abstract class Papers {
  /** Of the known ones among these events. */
  abstract ofEvents(tx: TenantTx, actor: Actor, eventIds: readonly string[]): Promise<ReadonlyMap<string, EventPapers>>;
}

/** `landed` is what stands on chain: recorded, voided or superseded. */
export type EventStatusFilter = 'landed' | 'all' | EventStatus;

/** Which events a list is of. */
export interface EventFilter {
  readonly status: EventStatusFilter;
  /** This one alone. */
  readonly id?: string;
  readonly processType?: string;
  readonly kind?: string;
  /** That name any of these lots. */
  readonly tokenIds?: readonly bigint[];
  readonly tlc?: string;
  readonly orgId?: string;
  /** On eventTime; `from` included, `to` excluded. */
  readonly from?: Date;
  readonly to?: Date;
  /** LIKE patterns of process types that the caller reaches; null = all, and events of unknown processes. */
  readonly scope: readonly string[] | null;
}

/** Behind an event in a list: newest eventTime first, then id; those without a time come last. */
export interface AfterEvent {
  readonly eventTime: Date | null;
  readonly id: string;
}

/** A line of an event: a lot it takes or makes. */
export interface EventShapeLine {
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly assetType: string | null;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** An event in the shape of domain-decisions §2.5, as somebody may read it. */
export interface EventShape {
  readonly id: string;
  readonly processType: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly kind: string | null;
  readonly containmentMode: number;
  readonly status: string;
  readonly eventTime: string | null;
  readonly eventTimeZoneOffset: string | null;
  readonly recordTime: string;
  readonly landedAt: string | null;
  readonly actor: { readonly address: string | null; readonly did: string | null; readonly orgId: string | null };
  readonly inputs: readonly EventShapeLine[];
  readonly outputs: readonly EventShapeLine[];
  readonly location: object | null;
  readonly metadata: object | null;
  readonly documents: readonly object[];
  readonly ipfsCid: string | null;
  readonly dataHash: string | null;
  readonly txHash: string | null;
  readonly errorDeclaration: object | null;
  readonly supersedes: string | null;
}

/** A lot right after an event. */
export interface LotAtEvent {
  readonly tokenId: number;
  readonly tlc: string;
  readonly gtin: string | null;
  readonly isContainer: boolean;
  readonly assetType: string | null;
  /** Decimal text in its own unit; null for an unmeasured lot. */
  readonly remaining: string | null;
  readonly uom: string | null;
}

/** An event with all that it takes to tell it elsewhere. */
export interface EventAccount {
  /** A correction of content stands with the lots of what it corrects. */
  readonly event: EventShape;
  /** Of its process, as its version of the map has it. */
  readonly process: {
    readonly bizStep: string | null;
    readonly disposition: string | null;
    readonly fields: Readonly<Record<string, string>>;
  } | null;
  readonly lots: readonly LotAtEvent[];
  /** What lay directly in the container that it broke up. */
  readonly contents: readonly LotAtEvent[];
}

/** Events for formats besides JSON. */
export abstract class EventAccounts {
  /** The next ones of a list, the same few statements however many they are. @param after null = from its beginning */
  abstract page(tx: TenantTx, actor: Actor, filter: EventFilter, after: AfterEvent | null, limit: number): Promise<readonly EventAccount[]>;
}
