import type { PreparedCall } from '#chain';
import type { Actor, DomainError, Hex } from '#kernel';
import type { TenantTx } from '#persistence';

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

/** Declarations that an event was wrong, for contexts that receive them in another format. */
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

/** Tells events what became of their transactions, where those are followed. */
export abstract class EventTracking {
  /** In one statement; later ones of the same event win. What has landed stays as it is: the chain decides. */
  abstract follow(tx: TenantTx, sent: readonly SentEvent[], at: Date): Promise<void>;
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
