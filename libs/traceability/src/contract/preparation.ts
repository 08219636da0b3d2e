import type { PreparedCall } from '#chain';
import type { ContractCall, EventReference, PreparedDeclaration, PreparedEvent } from '#prepare';
import type { Actor, DomainError, Hex, Problem } from '#kernel';
import type { TenantTx } from '#persistence';

/** For the rules of this context, which import no other library. */
export type { ContractCall, EventReference } from '#prepare';

export interface EventSubmission {
  readonly processType: string;
  readonly inputTokenIds: readonly bigint[];
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** EIP-55 sender, already checked against the actor; null when there is none. */
  readonly from: string | null;
  /** Of an event that may be prepared once only; otherwise a new one. */
  readonly eventId?: string;
}

/** What is wrong with an event that was examined, by pointers into its submission. */
export type Examination = readonly Problem[] | DomainError;

/**
 * Writes more in the transaction that saves prepared events: both are there after it, or nothing is. It starts all of its statements before
 * it awaits one (`UnitOfWork.write`).
 */
export type AlsoSave = (
  tx: TenantTx,
  saved: readonly { readonly submission: EventSubmission; readonly prepared: PreparedEvent }[],
) => Promise<void>;

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
   * Any number, in batches that are each saved by themselves; the answers batch by batch, in their order. What an earlier one
   * uses is reserved for it, in whichever batch. A batch that is refused as a whole is refused with each of its own.
   */
  abstract prepareMany(
    actor: Actor,
    submissions: readonly EventSubmission[],
    alsoSave?: AlsoSave,
  ): AsyncIterable<readonly (PreparedEvent | DomainError)[]>;
  /**
   * What `prepareAll` would refuse of each, without warnings; nothing is prepared.
   * @param reservations what submissions before these use; what these use is added
   */
  abstract examineAll(actor: Actor, submissions: readonly EventSubmission[], reservations: Set<string>): Promise<readonly Examination[]>;
  /**
   * An event of kind `transfer` that is attached to an offer or an acceptance: `call` gets its reference and answers with the
   * prepared custody call; nothing is saved when it throws.
   */
  abstract prepareAttached(
    actor: Actor,
    submission: EventSubmission,
    call: (event: EventReference) => Promise<PreparedCall & ContractCall>,
  ): Promise<PreparedEvent>;
}

/** Error reasons of the CBV: there are exactly these two (docs/spec/domain.md#event-record). */
export const ERROR_REASONS = ['did_not_occur', 'incorrect_data'] as const;
export type ErrorReason = (typeof ERROR_REASONS)[number];

/** An event that is declared wrong. */
export interface VoidRequest {
  readonly eventId: string;
  readonly reason: ErrorReason;
  readonly correctiveEventIDs: readonly string[];
  /** EIP-55 sender; the caller's wallet when absent. */
  readonly from?: string | null | undefined;
}

/** Declarations that an event was wrong, for contexts that receive them in another format. */
export abstract class Corrections {
  /** `POST /events/{id}/void/prepare`. @throws DomainError 403, 404 `event_not_found`, 409 where it cannot be undone, 422 */
  abstract void(actor: Actor, request: VoidRequest): Promise<PreparedDeclaration>;
}

/** New content for an event that is on chain. */
export interface SupersedeRequest {
  readonly eventId: string;
  readonly reason: ErrorReason;
  /** The whole content as it should have been. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** EIP-55 sender; the caller's wallet when absent. */
  readonly from?: string | null | undefined;
}

/** Corrections of content, for contexts that receive them in another format. */
export abstract class ContentCorrections {
  /** `POST /events/{id}/supersede/prepare`. @throws DomainError 403, 404 `event_not_found`, 409, 422 */
  abstract supersede(actor: Actor, request: SupersedeRequest): Promise<PreparedEvent>;
}

/** Status of a prepared event whose transaction is tracked; `prepared` again when the transaction was lost. */
export type SentStatus = 'submitted' | 'failed' | 'prepared';

/** A transaction that carries a prepared event. */
export interface SentRecord {
  readonly eventId: string;
  /** Data hash and sender of the transaction: with another content or sender it is not the prepared one. */
  readonly dataHash: string;
  readonly from: string;
  readonly status: SentStatus;
}

/** A relayed call that carries a prepared event. */
export interface RelayedRecord extends Omit<SentRecord, 'status'> {
  /** Id of the passkey. */
  readonly signedBy: string;
  /** The sponsor, EIP-55; null when no transaction of it is on chain. */
  readonly paidBy: string | null;
}

/** Writes what becomes of tracked transactions into their events. */
export abstract class EventTracking {
  /** In one statement; later ones of the same event win. What has landed is not changed: the chain decides. */
  abstract follow(tx: TenantTx, sent: readonly SentRecord[], at: Date): Promise<void>;
  /** Who signed and who paid. What landed without the sponsor, somebody else paid. */
  abstract relay(tx: TenantTx, relayed: readonly RelayedRecord[], at: Date): Promise<void>;
}

/** What other contexts may know of a published process: the newest version that has it. */
export interface ProcessView {
  readonly processType: string;
  readonly kind: string;
  readonly containmentMode: number;
  /** Asset type of the main output; null where the process makes none. */
  readonly outputAssetType: string | null;
}

/** What the events of a process may say. */
export interface ProcessShape {
  readonly processType: string;
  readonly label: string;
  /** JSON Schema (2020-12). */
  readonly schema: unknown;
  readonly takesLots: boolean;
  readonly makesLot: boolean;
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

/** Published processes. */
export abstract class Processes {
  /** By the bytes32 on chain, `keccak256(utf8(processType))`; null when no published map has it. */
  abstract byProcessId(tx: TenantTx, processId: Hex): Promise<ProcessView | null>;
  /** The schema of its metadata with the definitions that it refers to, and whether it takes and makes lots; null for an unknown one. */
  abstract shapeOf(tx: TenantTx, processType: string): Promise<ProcessShape | null>;
  /** Every process of the newest version of each map. */
  abstract catalogue(tx: TenantTx): Promise<readonly CataloguedProcess[]>;
}
