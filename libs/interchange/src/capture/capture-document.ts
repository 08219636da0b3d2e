import type { PreparedEvent, PreparedDeclaration } from '#prepare';
import { type Actor, Clock, DomainError, type Problem, ProblemBudget, invalidContent, mapYielding } from '#kernel';
import { UnitOfWork } from '#persistence';
import { EventPreparation, type EventSubmission, Processes } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type BodyEvents, eventsOfBody } from '../conformance/bodies.js';
import type { Json } from '../epcis/json.js';
import { captureRolledBack, eventCaptured } from '../errors.js';
import { CaptureQueries } from './capture.queries.js';
import { type DocumentEvent, DocumentReader } from './document-event.js';
import { type MappedEvent, mapEvent, namesIn } from './event-mapping.js';
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

/** An event of a document with the event of the tenant's own processes that was made from it. */
export interface EventToPrepare {
  readonly source: DocumentEvent;
  readonly mapped: MappedEvent;
}

/** What a part of a document does not say itself. */
export interface WholeDocument {
  /** Which of its events makes a lot, by the text of its key. */
  readonly makers?: ReadonlyMap<string, number>;
  /** Reads the texts of XML as the process wants them: XML has no numbers, and no list of one. */
  readonly typed?: (processType: string, metadata: Metadata) => Metadata;
}

type Metadata = Readonly<Record<string, unknown>>;

export interface CaptureRequest {
  /** EIP-55 sender, already checked against the actor; null when there is none. */
  readonly from: string | null;
  /** With one event that is not EPCIS, none is captured. */
  readonly allOrNothing?: boolean;
  /** Where some of its events are captured. */
  readonly document?: WholeDocument;
}

/** Maps events of a document to processes of the tenant: names, lots and sites are looked up in one query each. */
@Injectable()
export class MapEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly processes: Processes,
    private readonly queries: CaptureQueries,
  ) {}

  /**
   * @param refuse takes what cannot be mapped
   * @param document where these are some of its events
   * @returns the others, in their order
   */
  async map(
    actor: Actor,
    events: readonly DocumentEvent[],
    refuse: (event: DocumentEvent, refusal: DomainError) => void,
    document: WholeDocument = {},
  ): Promise<readonly EventToPrepare[]> {
    const tenant = actor.tenantSlug;
    const names = await mapYielding(events, ({ event }) => namesIn(event, tenant));
    const named = names.flatMap((one) => one.uses);
    const glns = [...new Set(names.flatMap((one) => one.glns))];
    const made = document.makers ?? new Map(events.flatMap(({ index }, i) => names[i]!.makes.map((key) => [key, index])));
    const context = await this.work.inSnapshot(actor, async (tx) => ({
      tenant,
      made,
      processes: await this.processes.catalogue(tx),
      lots: await this.queries.lots(tx, named, actor.wallets),
      sites: await this.queries.sites(tx, glns),
    }));
    const results = await mapYielding(events, ({ event, pointer, index }) => mapEvent(event, pointer, context, index));
    return events.flatMap((source, i) => {
      const result = results[i]!;
      if ('processType' in result) {
        const metadata = document.typed?.(result.processType, result.metadata) ?? result.metadata;
        return [{ source, mapped: { ...result, metadata } }];
      }
      refuse(source, invalidContent(result));
      return [];
    });
  }
}

/** Reserves events by their hash, so that the same event is prepared once, and records what became of them. */
@Injectable()
export class ReserveEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly queries: CaptureQueries,
    private readonly clock: Clock,
  ) {}

  /** @param refuse takes what was captured before @returns the others, in their order */
  async reserve(
    actor: Actor,
    events: readonly EventToPrepare[],
    refuse: (event: DocumentEvent, refusal: DomainError) => void,
  ): Promise<readonly EventToPrepare[]> {
    const now = this.clock.now();
    const wanted = events.map(({ source }) => ({
      hash: source.hash!,
      declaredId: source.eventID,
      event: JSON.stringify(source.event),
      contextHash: source.context?.hash ?? null,
    }));
    const context = events[0]?.source.context ?? null;
    return this.work.inTransaction(actor, async (tx) => {
      const known = await this.queries.eventsBehind(tx, [...new Set(wanted.flatMap(({ declaredId }) => declaredId ?? []))]);
      if (context) await this.queries.storeContext(tx, context, now);
      const taken = await this.queries.reserve(tx, wanted, actor.id, now);
      const free: EventToPrepare[] = [];
      const released: { readonly hash: string; readonly eventId: null }[] = [];
      for (const event of events) {
        const hash = event.source.hash!;
        const earlier = event.source.eventID === null ? undefined : known.get(event.source.eventID);
        if (taken.has(hash)) refuse(event.source, eventCaptured(taken.get(hash) ?? null));
        else if (earlier === undefined) free.push(event);
        else {
          refuse(event.source, eventCaptured(earlier));
          released.push({ hash, eventId: null });
        }
      }
      await this.queries.settle(tx, released);
      return free;
    });
  }

  settle(actor: Actor, outcomes: readonly { readonly hash: string; readonly eventId: string | null }[]): Promise<void> {
    return this.work.inTransaction(actor, (tx) => this.queries.settle(tx, outcomes));
  }
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
  async capture(actor: Actor, document: Json, { from, allOrNothing = false }: CaptureRequest): Promise<readonly CaptureResult[]> {
    const { events, contexts, pointer } = capturable(document);
    const outcomes = new Outcomes();
    const reader = new DocumentReader(contexts, outcomes.budget, pointer);
    const all = await mapYielding(events, (event, i) => reader.read(event, i));
    return this.captureEvents(actor, all, { from, allOrNothing }, outcomes);
  }

  /** Events of a document that were read, all or some of them. */
  async captureEvents(
    actor: Actor,
    all: readonly DocumentEvent[],
    { from, allOrNothing = false, document }: CaptureRequest,
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
    const reserved = await this.reservations.reserve(actor, mapped, refuse);
    await this.prepare(actor, reserved, from, outcomes);
    for (const [event, outcome] of await this.voidDeclaredEvents.declare(actor, valid, from)) outcomes.set(event, outcome);
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

  /** Batches before one that fails remain, and are recorded as captured as soon as they are stored. */
  private async prepare(actor: Actor, all: readonly EventToPrepare[], from: string | null, outcomes: Outcomes): Promise<void> {
    const submissions = all.map(({ mapped }) => submissionOf(mapped, from));
    const settling: Promise<void>[] = [];
    let done = 0;
    const settle = (upTo: number): void => {
      const settled = all.slice(done, upTo).map(({ source }) => ({ hash: source.hash!, eventId: eventIdOf(outcomes.get(source)) }));
      const settlement = this.reservations.settle(actor, settled);
      // A failure is reported at the end; until then nobody waits for it.
      settlement.catch(() => undefined);
      settling.push(settlement);
      done = upTo;
    };
    try {
      for await (const answers of this.preparation.prepareMany(actor, submissions)) {
        for (const [i, answer] of answers.entries()) {
          const { source, mapped } = all[done + i]!;
          outcomes.set(source, pointed(answer, mapped));
        }
        settle(done + answers.length);
      }
    } finally {
      if (done < all.length) settle(all.length);
      await Promise.all(settling);
    }
  }
}

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

export const submissionOf = ({ processType, inputTokenIds, outputTlc, metadata }: MappedEvent, from: string | null): EventSubmission => ({
  processType,
  inputTokenIds,
  outputTlc,
  outputCustodian: null,
  metadata,
  from,
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

const eventIdOf = (outcome: CaptureResult['outcome'] | undefined): string | null =>
  outcome === undefined || outcome instanceof DomainError ? null : outcome.eventId;
