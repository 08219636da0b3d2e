import type { ContentClass } from '#envelope';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import type { EventRecord, EventStatus } from '../events/event-record.js';

/** Where an event took place and its documents, as far as the actor may read them. */
export type PlaceAndDocuments = Pick<EventRecord, 'location' | 'documents'>;

/** Locations and documents of whole pages of events, in one statement. */
export abstract class EventDocuments {
  /** Of the known ones among these events. */
  abstract ofEvents(tx: TenantTx, actor: Actor, eventIds: readonly string[]): Promise<ReadonlyMap<string, PlaceAndDocuments>>;
}

/** The metadata of events for readers outside of the tenant. */
export abstract class EventMetadata {
  /**
   * As corrected, and only values of the given classes; null in an array is an element of another class. Null where the event, its content or
   * its process is not known, or it has no such value.
   */
  abstract ofClasses(tx: TenantTx, eventId: string, classes: ReadonlySet<ContentClass>): Promise<Readonly<Record<string, unknown>> | null>;
}

/** Which events a list is of. */
export interface EventFilter {
  /** `landed` is what is on chain: recorded, voided or superseded. */
  readonly status: 'landed' | 'all' | EventStatus;
  /** This one alone. */
  readonly id?: string;
  /** These alone. */
  readonly ids?: readonly string[];
  readonly processType?: string;
  readonly kind?: string;
  /** Events that name at least one of the lots. */
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
export interface ListPosition {
  readonly eventTime: Date | null;
  readonly id: string;
}

/** A line of an event: a lot it takes or makes. */
export interface RecordLine {
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly assetType: string | null;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** An event in the shape of docs/spec/domain.md#event-record, as far as the actor may read it. */
export interface RecordShape extends Pick<EventRecord, AsStored> {
  readonly eventTime: string | null;
  readonly recordTime: string;
  readonly landedAt: string | null;
  readonly actor: { readonly address: string | null; readonly did: string | null; readonly orgId: string | null };
  readonly inputs: readonly RecordLine[];
  readonly outputs: readonly RecordLine[];
  readonly location: object | null;
  readonly metadata: object | null;
  readonly documents: readonly object[];
  readonly errorDeclaration: object | null;
}

type AsStored =
  | ('id' | 'processType' | 'processMapName' | 'processMapVersion' | 'kind' | 'containmentMode' | 'status')
  | ('eventTimeZoneOffset' | 'ipfsCid' | 'dataHash' | 'txHash' | 'supersedes' | 'senderMismatch');

/** A lot right after an event. */
export interface StateAfter {
  readonly tokenId: number;
  readonly tlc: string;
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly isContainer: boolean;
  readonly assetType: string | null;
  /** Decimal text in its own unit; null for an unmeasured lot. */
  readonly remaining: string | null;
  readonly uom: string | null;
}

/** Lots as they were right after events: what every report and export about an event says of its lots, whatever became of them since. */
export abstract class LotsAfterEvents {
  /** By event, then by token id. Of an event that has not landed: lots as they were made. @param named lots with the event that they are asked about for */
  abstract of(
    tx: TenantTx,
    named: readonly { readonly eventId: string; readonly tokenId: number }[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<number, StateAfter>>>;
}

/** An event with everything that another format needs. */
export interface EventAccount {
  /** A correction of content has the lots of the event that it corrects. */
  readonly event: RecordShape;
  /** Organisation of who did it: not of who corrected it. */
  readonly deedOrgId: string | null;
  /** Of its process, as its version of the map has it. */
  readonly process: {
    readonly bizStep: string | null;
    readonly disposition: string | null;
    readonly action: string | null;
    readonly fields: Readonly<Record<string, string>>;
  } | null;
  readonly lots: readonly StateAfter[];
  /** The direct contents of the container that it broke up. */
  readonly contents: readonly StateAfter[];
}

/** Events for formats other than JSON. */
export abstract class EventAccounts {
  /** The next ones of a list, the same few statements however many they are. @param after null = from its beginning */
  abstract page(
    tx: TenantTx,
    actor: Actor,
    filter: EventFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly EventAccount[]>;
}

/** A request for events in another format. */
export interface FormatRequest {
  readonly actor: Actor;
  readonly filter: EventFilter;
  /** Events of one answer; null = every one, written as fast as it is read. */
  readonly limit: number | null;
  /** `next` of the answer before. */
  readonly cursor?: string | undefined;
  /** `https://host` of the request, and its path and query. */
  readonly origin: string;
  readonly path: string;
}

export interface FormattedList {
  readonly contentType: string;
  /** Continues where this answer ends; null at the end. */
  readonly next: string | null;
  readonly text: AsyncIterable<string | Uint8Array>;
  /** Of a file that a browser saves. */
  readonly fileName?: string;
}

/** A format for lists of events other than JSON: to add one, write a class and add it to `ListFormats`. */
export interface ListFormat {
  /** Of the query parameter `format`. */
  readonly name: string;
  /** Of the header `Accept`. */
  readonly mediaType: string;
  write(request: FormatRequest): Promise<FormattedList>;
}

/** The formats that downstream contexts write. */
export abstract class ListFormats {
  /** At start, by the module of the context that writes it. */
  abstract add(format: ListFormat): void;
  /** Null = JSON. @throws DomainError 400 for a name that no format has */
  abstract requested(format: string | undefined, accept: string | undefined): ListFormat | null;
}
