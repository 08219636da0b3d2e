import type { PreparedEvent, PreparedDeclaration } from '#prepare';
import { type Actor, DomainError, type Problem, ProblemBudget, derivedId, invalidContent, mapYielding } from '#kernel';
import type { TenantTx } from '#persistence';
import { type AlsoSave, EventPreparation, type EventSubmission } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type BodyEvents, eventsOfBody } from '../conformance/bodies.js';
import type { Json } from '../epcis/json.js';
import { captureRolledBack } from '../errors.js';
import { type DocumentEvent, DocumentReader } from './document-event.js';
import type { MappedEvent } from './event-mapping.js';
import { type EventToPrepare, MapEvents, type WholeDocument } from './map-events.js';
import { ReserveEvents } from './reserve-events.js';
import { VoidDeclaredEvents } from './void-declared-events.js';

/** Events of one document. */
export const MAX_EVENTS = 10_000;

/** What became of one event of a document. */
export interface CaptureResult {
  /** The event as the document has it. */
  readonly source: DocumentEvent;
  /** Of the event in the document. */
  readonly pointer: string;
  readonly eventHash: string | null;
  readonly eventID: string | null;
  readonly processType: string | null;
  readonly outcome: PreparedEvent | PreparedDeclaration | DomainError;
}

type Outcome = CaptureResult['outcome'];

/** What became of the events of one document. Their problems together are bounded: ten thousand events can have a million. */
class Outcomes {
  readonly budget = new ProblemBudget();
  private readonly all = new Map<DocumentEvent, Outcome>();

  get(event: DocumentEvent): Outcome | undefined {
    return this.all.get(event);
  }

  set(event: DocumentEvent, outcome: Outcome): void {
    this.all.set(event, this.budget.of(outcome));
  }
}

/** A capture that another process may continue. */
export interface CaptureProgress {
  readonly jobId: string;
  /** What it has prepared already, by the hashes of the events. */
  readonly prepared: ReadonlyMap<string, PreparedEvent>;
  /** Records more of it, in the transaction that saves the events. */
  readonly save: (tx: TenantTx, prepared: readonly (readonly [hash: string, event: PreparedEvent])[]) => Promise<void>;
}

export interface CaptureRequest {
  /** EIP-55 sender, already checked against the actor; null when there is none. */
  readonly from: string | null;
  /** With one event that is not EPCIS, none is captured. */
  readonly allOrNothing?: boolean;
  /** Where some of its events are captured. */
  readonly document?: WholeDocument;
  readonly progress?: CaptureProgress;
}

/**
 * `POST /epcis/capture`: each event of a document is mapped to a process of the tenant and prepared, or refused with its own problem.
 * Nothing is queried event by event: names, lots and hashes take one query each, preparation goes in batches.
 */
@Injectable()
export class CaptureDocument {
  constructor(
    private readonly mapEvents: MapEvents,
    private readonly reservations: ReserveEvents,
    private readonly preparation: EventPreparation,
    private readonly voidDeclaredEvents: VoidDeclaredEvents,
  ) {}

  /** @throws DomainError 422 for a document that is not EPCIS, or has no event, or too many */
  async capture(actor: Actor, document: Json, { from, allOrNothing = false, progress }: CaptureRequest): Promise<readonly CaptureResult[]> {
    const { events, contexts, pointer } = capturable(document);
    const outcomes = new Outcomes();
    const reader = new DocumentReader(contexts, outcomes.budget, pointer);
    const all = await mapYielding(events, (event, i) => reader.read(event, i));
    return this.captureEvents(actor, all, { from, allOrNothing, ...(progress && { progress }) }, outcomes);
  }

  /** Events of a document that were read, all or some of them. */
  async captureEvents(
    actor: Actor,
    all: readonly DocumentEvent[],
    { from, allOrNothing = false, document, progress }: CaptureRequest,
    outcomes = new Outcomes(),
  ): Promise<readonly CaptureResult[]> {
    const refuse = (event: DocumentEvent, refusal: DomainError): void => outcomes.set(event, refusal);
    for (const event of all) if (event.refusal) refuse(event, event.refusal);
    const isRolledBack = allOrNothing && all.some(({ refusal }) => refusal !== null);
    const valid = all.filter(({ refusal }) => refusal === null && !isRolledBack);
    if (isRolledBack) for (const event of all) if (!event.refusal) refuse(event, captureRolledBack());
    const mapped = await this.mapEvents.map(
      actor,
      valid.filter(({ isDeclaration }) => !isDeclaration),
      refuse,
      document,
    );
    const before = new Map(valid.flatMap((event) => preparedBefore(event, progress)));
    const open = mapped.filter(({ source }) => !before.has(source));
    const reserved = await this.reservations.reserve(actor, open, refuse, progress?.jobId ?? null);
    await this.prepare(actor, reserved, { from, ...(progress && { progress }) }, outcomes);
    for (const [event, outcome] of await this.voidDeclaredEvents.declare(actor, valid, from)) outcomes.set(event, outcome);
    for (const [event, outcome] of before) outcomes.set(event, outcome);
    const processTypes = new Map(mapped.map(({ source, mapped: { processType } }) => [source, processType]));
    return all.map((event) => ({
      source: event,
      pointer: event.pointer,
      eventHash: event.hash,
      eventID: event.eventID,
      processType: processTypes.get(event) ?? null,
      outcome: outcomes.get(event)!,
    }));
  }

  /** Batches before one that fails remain; that they are captured is saved with their events. */
  private async prepare(
    actor: Actor,
    all: readonly EventToPrepare[],
    { from, progress }: CaptureRequest,
    outcomes: Outcomes,
  ): Promise<void> {
    const submissions = all.map(({ mapped, source }) => submissionOf(mapped, from, progress && jobEventId(actor, progress, source)));
    const hashes = new Map(submissions.map((submission, i) => [submission, all[i]!.source.hash!]));
    const alsoSave: AlsoSave = async (tx, saved) => {
      const prepared = saved.map((one) => [hashes.get(one.submission)!, one.prepared] as const);
      const settled = prepared.map(([hash, { eventId }]) => ({ hash, eventId }));
      await Promise.all([this.reservations.settle(tx, settled), progress?.save(tx, prepared)]);
    };
    let done = 0;
    try {
      for await (const answers of this.preparation.prepareMany(actor, submissions, alsoSave)) {
        for (const [i, answer] of answers.entries()) {
          const { source, mapped } = all[done + i]!;
          outcomes.set(source, pointed(answer, mapped));
        }
        done += answers.length;
      }
    } finally {
      const open = all.flatMap(({ source }) => (isOpen(outcomes.get(source)) ? [source.hash!] : []));
      // A job that fails in between goes on with what it has reserved.
      if (done === all.length || !progress) await this.reservations.release(actor, open);
    }
  }
}

/** Its process died behind it. */
function preparedBefore(event: DocumentEvent, progress: CaptureProgress | undefined): readonly (readonly [DocumentEvent, PreparedEvent])[] {
  const prepared = event.isDeclaration ? undefined : progress?.prepared.get(event.hash!);
  return prepared ? [[event, prepared]] : [];
}

/** Two processes that run the same job cannot both save an event. */
const jobEventId = ({ tenantId }: Actor, { jobId }: CaptureProgress, { hash }: DocumentEvent): string =>
  derivedId('event', 'capture', tenantId, jobId, hash!);

const isOpen = (outcome: Outcome | undefined): boolean => outcome === undefined || outcome instanceof DomainError;

/** @throws DomainError 422 for a body that is not EPCIS, or has no event, or too many */
export function capturable(body: Json): BodyEvents {
  const read = eventsOfBody(body);
  const faults = [...read.faults];
  if (faults.length === 0 && read.events.length === 0)
    faults.push({ pointer: read.list, code: 'empty', message: 'The document has no events.' });
  if (read.events.length > MAX_EVENTS)
    faults.push({ pointer: read.list, code: 'too_many', message: `A document has at most ${MAX_EVENTS} events.` });
  if (faults.length > 0) throw invalidContent(faults);
  return read;
}

export const submissionOf = (
  { processType, inputTokenIds, outputTlc, metadata }: MappedEvent,
  from: string | null,
  eventId?: string,
): EventSubmission => ({
  processType,
  inputTokenIds,
  outputTlc,
  outputCustodian: null,
  metadata,
  from,
  ...(eventId !== undefined && { eventId }),
});

/** A refusal with its pointers into the document instead of the submission that was made of it. */
function pointed(answer: PreparedEvent | DomainError, mapped: MappedEvent): PreparedEvent | DomainError {
  if (!(answer instanceof DomainError) || !answer.details.errors) return answer;
  const errors = pointedProblems(answer.details.errors, mapped);
  return new DomainError(answer.code, answer.status, answer.message, { ...answer.details, errors });
}

export const pointedProblems = (errors: readonly Problem[], mapped: MappedEvent): readonly Problem[] =>
  errors.map((error): Problem => {
    const pointer = mapped.pointer(error.pointer);
    // A place or a quantity is one member in EPCIS: the message says which part of it is wrong.
    const part = error.pointer.split('/').at(-1)!;
    const prefix = part === '' || pointer.endsWith(`/${part}`) ? '' : `${error.pointer.replace(/^\/metadata\//, '')} `;
    return { ...error, pointer, message: prefix + error.message };
  });
