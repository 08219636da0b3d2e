import type { Actor, DomainError, Hex } from '#kernel';
import type { PreparedCall } from '#chain';
import type { SnapshotTx, TenantTx } from '#persistence';
import type { EventStatus } from './domain/event-status.js';
import type { EdgeKind } from './domain/edge.js';
import type { Footprint } from './domain/footprint.js';
import type { Direction, LineageEdge, LineageNode, LotNode, LotWeight } from './domain/lineage-graph.js';
import type { LotStatus } from './domain/lot-status.js';

/** The current facts about a lot that other contexts decide by. Quantities in millionths of the lot's own unit. */
export interface LotFacts {
  readonly tokenId: bigint;
  /** The code, or its hash when the text is unknown (`resolved` false). */
  readonly tlc: string;
  readonly resolved: boolean;
  readonly assetType: string | null;
  readonly processMapName: string | null;
  readonly status: LotStatus;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  readonly offerNo: bigint | null;
  readonly containerTokenId: bigint | null;
  readonly isContainer: boolean;
  readonly recalled: boolean;
  readonly holdsRecalled: boolean;
  readonly onHold: boolean;
  readonly mintEventId: string;
  readonly mintBlock: number;
  /** Null for an unmeasured lot. */
  readonly quantity: bigint | null;
  readonly remaining: bigint | null;
  readonly uom: string | null;
}

/** A place in the chain's order. */
export interface ChainMoment {
  readonly block: number;
  readonly logIndex: number;
}

/** How a lot came to be. */
export interface Mint {
  readonly tokenId: bigint;
  readonly tlc: string;
  /** Its first custodian, EIP-55. */
  readonly custodian: string;
  readonly at: Date;
  readonly block: number;
  readonly txHash: string;
  readonly eventId: string;
}

export abstract class Lots {
  abstract mintOf(tx: TenantTx, tokenId: bigint): Promise<Mint | null>;
  /** The known ones among these, any order. */
  abstract byTokenIds(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly LotFacts[]>;
  /** Everything that lay inside a container right after the log at `moment`, at any depth. */
  abstract contentsAt(
    tx: TenantTx,
    asked: readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment }[],
  ): Promise<
    readonly { readonly containerTokenId: bigint; readonly moment: ChainMoment; readonly tokenId: bigint; readonly viaTokenId: bigint }[]
  >;
}

/** Where something happened and the papers about it, as far as somebody may read them. */
export interface EventPapers {
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

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

export abstract class EventAccounts {
  /** The next ones of a list, the same few statements however many they are. @param after null = from its beginning */
  abstract page(tx: TenantTx, actor: Actor, filter: EventFilter, after: AfterEvent | null, limit: number): Promise<readonly EventAccount[]>;
}

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
  abstract add(format: EventFormat): void;
  /** Null = JSON. @throws DomainError 400 for a name that no format has */
  abstract asked(format: string | undefined, accept: string | undefined): EventFormat | null;
}

/** The event that rides on a call of the contract: `EventRef` in contracts/src/TenantLots.sol. */
export interface EventRef {
  readonly eventId: Hex;
  readonly processId: Hex;
  readonly dataHash: Hex;
}

export interface EventSubmission {
  readonly processType: string;
  readonly inputTokenIds: readonly bigint[];
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** EIP-55 sender, already checked against the actor; null when there is none. */
  readonly from: string | null;
}

export interface PreparedEvent extends PreparedCall {
  readonly eventId: string;
  readonly ipfsCid: string;
  readonly dataHash: Hex;
  readonly outputTlc: string | null;
}

/** Validates, stores and saves events for other contexts' transactions. */
export abstract class EventPreparation {
  /** The whole of `POST /events/prepare`: validation, canonical bytes, content store, calldata, gas estimate, one insert. */
  abstract prepare(actor: Actor, submission: EventSubmission): Promise<PreparedEvent>;
  /**
   * Many at once, in a fixed number of statements and one exchange with the chain: one answer a submission, in their order, the
   * refusal of one is its answer. Those that are prepared are saved together.
   */
  abstract prepareAll(actor: Actor, submissions: readonly EventSubmission[]): Promise<readonly (PreparedEvent | DomainError)[]>;
  /**
   * Any number, in batches that are each saved by themselves; the answers batch by batch, in their order. None takes what an earlier one
   * reaches for, in whichever batch. A batch that is refused as a whole is refused with each of its own.
   */
  abstract prepareMany(actor: Actor, submissions: readonly EventSubmission[]): AsyncIterable<readonly (PreparedEvent | DomainError)[]>;
  /**
   * An event of kind `transfer` that rides on an offer or acceptance: `call` gets its reference and answers with the
   * prepared custody call; nothing is saved when it throws.
   */
  abstract prepareRiding(
    actor: Actor,
    submission: EventSubmission,
    call: (event: EventRef) => Promise<PreparedCall>,
  ): Promise<PreparedEvent>;
}

/** An event that is declared wrong. */
export interface VoidRequest {
  readonly eventId: string;
  readonly reason: 'did_not_occur' | 'incorrect_data';
  readonly correctiveEventIDs: readonly string[];
  readonly from: string | null;
}

export interface PreparedDeclaration extends PreparedCall {
  readonly eventId: string;
  readonly ipfsCid: string;
  readonly dataHash: Hex;
}

export abstract class Corrections {
  /** `POST /events/{id}/void/prepare`. @throws DomainError 403, 404 `event_not_found`, 409 where it cannot be taken back, 422 */
  abstract void(actor: Actor, request: VoidRequest): Promise<PreparedDeclaration>;
}

/** What became of a prepared event whose transaction is followed; `prepared` again when that was lost. */
export type SentEventStatus = 'submitted' | 'failed' | 'prepared';

/** A transaction that carries a prepared event. */
export interface SentEvent {
  readonly eventId: string;
  /** What its calldata commits to, and who signed it: of another content or sender it is not the prepared one. */
  readonly dataHash: string;
  readonly from: string;
  readonly status: SentEventStatus;
}

export abstract class EventTracking {
  /** In one statement; later ones of the same event win. What has landed stays as it is: the chain decides. */
  abstract follow(tx: TenantTx, sent: readonly SentEvent[], at: Date): Promise<void>;
}

/** What other contexts may know of a published process: the newest version that has it. */
export interface ProcessView {
  readonly processType: string;
  readonly kind: string;
  readonly containmentMode: number;
  /** Asset type of the main output; null where the process makes none. */
  readonly outputAssetType: string | null;
}

/** A published process as it is chosen by from outside. */
export interface CataloguedProcess {
  readonly processType: string;
  readonly mapName: string;
  readonly epcis: { readonly type: string; readonly action?: string; readonly bizStep: string; readonly disposition: string };
  /** Asset types of its inputs; `*` = any. */
  readonly inputAssetTypes: readonly string[];
  readonly outputAssetType: string | null;
  readonly coProducts: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** GTIN of 14 digits to asset type, over its whole map. */
  readonly gtins: ReadonlyMap<string, string>;
}

export abstract class Processes {
  /** By the bytes32 on chain, `keccak256(utf8(processType))`; null when no published map has it. */
  abstract byProcessId(tx: TenantTx, processId: Hex): Promise<ProcessView | null>;
  /** Every process of the newest version of each map. */
  abstract catalogue(tx: TenantTx): Promise<readonly CataloguedProcess[]>;
}

/** One lot of the closure of domain-decisions §3. */
export interface AffectedLot {
  readonly tokenId: bigint;
  readonly relation: 'transformed' | 'contained' | 'container';
  /** Shortest distance from the root. */
  readonly depth: number;
}

/** Bounds of every walk (api-decisions §4). */
export interface WalkBounds {
  /** Levels from the start, 1 to 200. */
  readonly maxDepth: number;
  /** Lots found in all, 1 to 20,000; the start does not count. */
  readonly maxNodes: number;
}

/** Up to which block the chain counts, that block included; null = all that is known. */
export type AsOf = number | null;

/** Whether and where a walk was cut at its bounds. */
export interface WalkEnd {
  readonly truncated: boolean;
  readonly truncatedBy: 'maxDepth' | 'maxNodes' | null;
  /** Lots among those found, or the start, that lead to more. */
  readonly frontier: readonly bigint[];
}

export interface Affected extends WalkEnd {
  /** By depth, then token id; without the root. */
  readonly lots: readonly AffectedLot[];
}

/** What one of several recalled lots affects; containers that merely hold something affected left out. */
export interface Reaching {
  /** Nearest first, then by token id; without the lot itself. */
  readonly lots: readonly bigint[];
  readonly truncated: boolean;
}

export interface GraphRequest {
  readonly root: bigint;
  readonly direction: Direction;
  readonly kinds: readonly EdgeKind[];
  readonly bounds: WalkBounds;
  readonly asOf: AsOf;
  /** So many of the lots were shown before; the walk is the same, with so many more. */
  readonly skip: number;
  /** What expiry is held against; now, where it is left out. */
  readonly time?: Date | null;
}

export interface LineageGraph extends Omit<WalkEnd, 'truncatedBy'> {
  /** `maxEdges`: more edges lead into the lots found than an answer holds. */
  readonly truncatedBy: WalkEnd['truncatedBy'] | 'maxEdges';
  /** By depth, then token id; the root first, unless it was shown before. */
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly LineageEdge[];
  /** What there is to tell of the lots found, those that were shown before among them. */
  readonly lots: ReadonlyMap<bigint, LotNode>;
}

/** Walks of the lineage. Cut at the bounds, and honest about it: what is there is all there is, in order, within them. */
export abstract class Lineage {
  /** Forward closure of a lot over transformation and containment (domain-decisions §3). */
  abstract affectedBy(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf?: AsOf): Promise<Affected>;
  /** What each of these affects now, within `each`: one walk over all of them together, itself within the widest bounds. */
  abstract reachOfEach(tx: TenantTx, roots: readonly bigint[], each: WalkBounds): Promise<ReadonlyMap<bigint, Reaching>>;
  /** Ancestors or descendants with the edges between them (domain-decisions §2.6). */
  abstract graph(tx: TenantTx, request: GraphRequest): Promise<LineageGraph>;
}

export interface LotFootprint extends Footprint {
  readonly tokenId: bigint;
  readonly tlc: string;
  /** Part of its mass that is of known origin under its process map (ISO 22095), 0 to 1; null where that is unknown. */
  readonly claimShare: number | null;
  /** Lots in the tree: the ones asked about and what they were made from. */
  readonly nodeCount: number;
}

/** Carbon, water, energy and waste of a lot's tree (domain-decisions §4). */
export abstract class Footprints {
  /**
   * @param tokenId a lot; of a container, what was packed into it
   * @param asOf the block up to which the chain counts; null = all of it
   * @throws DomainError 404 `lot_not_found`, 422 `footprint_incomplete` where the tree exceeds the bounds: a part would be a wrong sum
   */
  abstract of(tx: TenantTx, tokenId: bigint, bounds: WalkBounds, asOf: AsOf): Promise<LotFootprint>;
}

export type { EdgeKind } from './domain/edge.js';
export type { Direction, LineageEdge, LineageNode, LotNode, LotWeight } from './domain/lineage-graph.js';
export { LOT_STATUSES, type LotStatus } from './domain/lot-status.js';

/** A lot as a recall looks at it. Masses in kilograms; null where a quantity has none. */
export interface LotTrace extends LotWeight {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly status: LotStatus;
  readonly retireReason: string | null;
  readonly recalled: boolean;
  /** Nothing of it is left, whatever its status shows first; an unmeasured lot has no `remaining` to tell. */
  readonly usedUp: boolean;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  /** Everybody else who ever held it. */
  readonly pastCustodians: readonly string[];
  readonly isContainer: boolean;
  /** Millionths of `uom`; null for an unmeasured lot. What was there when it was retired, for a retired one. */
  readonly remaining: bigint | null;
  /** What the public counts by, of the asset type. */
  readonly recallUnit: { readonly label: string; readonly massKg: number } | null;
  /** ISO 3166-1, of the event that made it. */
  readonly country: string | null;
  readonly producedKg: number | null;
  /** What went into other lots. */
  readonly usedKg: number;
  /** Losses that the events using it declared, by its part of their input. */
  readonly lossKg: number;
  /** What the events using it do not account for, by its part of their input. */
  readonly gapKg: number;
  /** Retired in part; a lot that is retired wholly has its rest in `remaining`. */
  readonly partRetiredKg: number;
}

export abstract class KeyData {
  /** Key data elements of the landed events that name any of these lots. @param most events with something missing that are listed */
  abstract ofLots(
    tx: TenantTx,
    tokenIds: readonly bigint[],
    most: number,
  ): Promise<{
    readonly events: number;
    readonly complete: number;
    readonly missing: readonly { readonly eventId: string; readonly processType: string | null; readonly missing: readonly string[] }[];
  }>;
}

export abstract class Traces {
  /** The known ones among these, by token id, as they were. */
  abstract of(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly LotTrace[]>;
}

/** Lots that somebody is shown with what a recall asks of them, all from one reading. */
export abstract class LotShapes {
  abstract of(tx: SnapshotTx, actor: Actor, lots: Descent, asOf: AsOf): Promise<Shapes>;
}

export interface Descent {
  readonly root: bigint;
  readonly descendants: readonly bigint[];
  /** Containers around them: they are shown, and no way from the root goes through them. */
  readonly containers: readonly bigint[];
  /** Descendants that are not shown; ways from the root go through them. */
  readonly before: readonly bigint[];
}

export interface Shapes {
  /** The known ones of those that are shown and the root, in any order. */
  readonly lots: readonly LotTrace[];
  /** Part of the root's mass that went into each descendant and the root; null or nothing = unknown. */
  readonly shares: ReadonlyMap<bigint, number | null>;
  /**
   * One of the lots in the shape of the specification, §2.10, without its place, which takes a look at its events: JSON members,
   * `"id":…,"tokenId":…`, without the braces. Ten thousand lots are not made into objects to be taken apart again.
   */
  shape(tokenId: bigint): string;
}

/** Off-chain stops, as lots show them. Why they stand is known to whoever places them. */
export abstract class Holds {
  abstract place(tx: TenantTx, lots: readonly { readonly tokenId: bigint; readonly reason: string; readonly at: Date }[]): Promise<void>;
  abstract release(tx: TenantTx, tokenIds: readonly bigint[]): Promise<void>;
}

/** Who is affected by recalls now: the sets that landing keeps (api-decisions §4). */
export abstract class AffectedSets {
  /** Lots that became affected by these roots in or after a block, with the block and its time. */
  abstract since(
    tx: TenantTx,
    roots: readonly bigint[],
    block: number,
  ): Promise<readonly { readonly root: bigint; readonly tokenId: bigint; readonly block: number; readonly at: Date }[]>;
  /** How many lots the roots of each set affect now together, no root by itself. By the set's key; a set that affects none is not there. */
  abstract sizes(tx: TenantTx, sets: ReadonlyMap<string, readonly bigint[]>): Promise<ReadonlyMap<string, number>>;
}

export interface CallNote {
  readonly contract: string;
  /** EIP-55 sender; null when there is none. */
  readonly from: string | null;
  /** What the call does, in the words of its caller. */
  readonly call: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Metadata of calls that record no event: stored by content, so that its hash can go on chain with the call. */
export abstract class CallNotes {
  /** @throws DomainError 422 `invalid_content`, EngineUnavailable('content_storage') */
  abstract store(actor: Actor, note: CallNote): Promise<{ readonly ipfsCid: string; readonly dataHash: Hex }>;
}
