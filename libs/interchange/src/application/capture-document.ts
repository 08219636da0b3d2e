import { Clock, type Actor, DomainError, type Problem, inTurns, invalidContent } from '#kernel';
import { UnitOfWork } from '#persistence';
import { EventPreparation, type EventSubmission, type PreparedDeclaration, type PreparedEvent, Processes } from '#traceability';
import { Injectable } from '@nestjs/common';
import { EVENT_LIST, documentFaults } from '../domain/conformance.js';
import { eventCaptured } from '../domain/errors.js';
import { type Json, isObject } from '../domain/json.js';
import { type MappedEvent, mapEvent, namesIn } from '../domain/map-event.js';
import { Arrivals, type Arrived } from '../domain/arrivals.js';
import { CaptureSurroundings, CapturedEvents } from '../ports.js';
import { DeclareWrong } from './declare-wrong.js';

/** Events of one document. */
export const MAX_EVENTS = 10_000;

/** What became of one event of a document. */
export interface Captured {
  readonly eventHash: string | null;
  readonly eventID: string | null;
  readonly processType: string | null;
  readonly outcome: PreparedEvent | PreparedDeclaration | DomainError;
}

type Results = Map<Arrived, Captured['outcome']>;

interface Mapped {
  readonly arrived: Arrived;
  readonly mapped: MappedEvent;
}

/**
 * `POST /epcis/capture`: each event of a document mapped to a process of the tenant and prepared, or refused in its own words. Nothing is
 * asked event by event: names, lots and hashes in one question each, preparation in batches.
 */
@Injectable()
export class CaptureDocument {
  constructor(
    private readonly work: UnitOfWork,
    private readonly processes: Processes,
    private readonly surroundings: CaptureSurroundings,
    private readonly captured: CapturedEvents,
    private readonly preparation: EventPreparation,
    private readonly declarations: DeclareWrong,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 for a document that is none, or has no event, or too many */
  async capture(actor: Actor, document: Json, from: string | null): Promise<readonly Captured[]> {
    const events = eventsOf(document);
    const arrivals = new Arrivals(document['@context']);
    const all = await inTurns(events, (event, i) => arrivals.take(event, i));
    const results: Results = new Map();
    for (const one of all) if (one.refusal) results.set(one, one.refusal);
    const sound = all.filter(({ refusal }) => refusal === null);
    const told = sound.filter(({ isDeclaration }) => !isDeclaration);
    const mapped = await this.map(actor, told, results);
    const reserved = await this.reserve(actor, mapped, results);
    await this.prepare(actor, reserved, from, results);
    for (const [one, outcome] of await this.declarations.declare(actor, sound, from)) results.set(one, outcome);
    const processTypes = new Map(mapped.map(({ arrived, mapped: { processType } }) => [arrived, processType]));
    return all.map((one) => ({
      eventHash: one.hash,
      eventID: one.eventID,
      processType: processTypes.get(one) ?? null,
      outcome: results.get(one)!,
    }));
  }

  private async map(actor: Actor, told: readonly Arrived[], results: Results): Promise<readonly Mapped[]> {
    const tenant = actor.tenantSlug;
    const names = await inTurns(told, ({ event }) => namesIn(event, tenant));
    const codes = [...new Set(names.flatMap((one) => one.codes))];
    const glns = [...new Set(names.flatMap((one) => one.glns))];
    const made = new Map(told.flatMap(({ index }, i) => names[i]!.makes.map((code) => [code, index])));
    const context = await this.work.inSnapshot(actor, async (tx) => ({
      tenant,
      made,
      processes: await this.processes.catalogue(tx),
      lots: await this.surroundings.lots(tx, codes),
      sites: await this.surroundings.sites(tx, glns),
    }));
    const mapped = await inTurns(told, ({ event, pointer }) => mapEvent(event, pointer, context));
    return told.flatMap((arrived, i) => {
      const one = mapped[i]!;
      if ('processType' in one) return [{ arrived, mapped: one }];
      results.set(arrived, invalidContent(one));
      return [];
    });
  }

  private async reserve(actor: Actor, all: readonly Mapped[], results: Results): Promise<readonly Mapped[]> {
    const now = this.clock.now();
    const asked = all.map(({ arrived }) => ({ hash: arrived.hash!, declaredId: arrived.eventID }));
    return this.work.inTransaction(actor, async (tx) => {
      const own = await this.captured.behind(tx, [...new Set(asked.flatMap(({ declaredId }) => declaredId ?? []))]);
      const taken = await this.captured.reserve(tx, asked, actor.id, now);
      const refused = (arrived: Arrived): DomainError | null => {
        if (taken.has(arrived.hash!)) return eventCaptured(taken.get(arrived.hash!) ?? null);
        const before = arrived.eventID === null ? undefined : own.get(arrived.eventID);
        return before === undefined ? null : eventCaptured(before);
      };
      const free = all.filter(({ arrived }) => {
        const refusal = refused(arrived);
        if (refusal) results.set(arrived, refusal);
        return refusal === null;
      });
      const isFree = new Set(free);
      const known = all.filter((one) => !isFree.has(one) && !taken.has(one.arrived.hash!));
      await this.captured.settle(
        tx,
        known.map(({ arrived }) => ({ hash: arrived.hash!, eventId: null })),
      );
      return free;
    });
  }

  /** What was prepared before a batch that fails stands, and is known as captured as soon as it stands. */
  private async prepare(actor: Actor, all: readonly Mapped[], from: string | null, results: Results): Promise<void> {
    const submissions = all.map(({ mapped }) => submissionOf(mapped, from));
    const settling: Promise<void>[] = [];
    let done = 0;
    const settle = (upTo: number): void => {
      const settled = this.settle(actor, all.slice(done, upTo), results);
      // Told of at the end; until then it is nobody's.
      settled.catch(() => undefined);
      settling.push(settled);
      done = upTo;
    };
    try {
      for await (const answers of this.preparation.prepareMany(actor, submissions)) {
        for (const [i, answer] of answers.entries()) {
          const { arrived, mapped } = all[done + i]!;
          results.set(arrived, pointed(answer, mapped));
        }
        settle(done + answers.length);
      }
    } finally {
      if (done < all.length) settle(all.length);
      await Promise.all(settling);
    }
  }

  private settle(actor: Actor, some: readonly Mapped[], results: Results): Promise<void> {
    const outcomes = some.map(({ arrived }) => ({ hash: arrived.hash!, eventId: eventIdOf(results.get(arrived)) }));
    return this.work.inTransaction(actor, (tx) => this.captured.settle(tx, outcomes));
  }
}

function eventsOf(document: Json): readonly unknown[] {
  const faults = documentFaults(document);
  const body = document['epcisBody'];
  const events = isObject(body) && Array.isArray(body['eventList']) ? (body['eventList'] as unknown[]) : [];
  if (faults.length === 0 && events.length === 0)
    faults.push({ pointer: EVENT_LIST, code: 'empty', message: 'The document has no events.' });
  if (events.length > MAX_EVENTS)
    faults.push({ pointer: EVENT_LIST, code: 'too_many', message: `A document has at most ${MAX_EVENTS} events.` });
  if (faults.length > 0) throw invalidContent(faults);
  return events;
}

const submissionOf = ({ processType, inputTokenIds, outputTlc, metadata }: MappedEvent, from: string | null): EventSubmission => ({
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
  const errors = answer.details.errors.map((error): Problem => {
    const pointer = mapped.pointer(error.pointer);
    // EPCIS tells a place or a quantity as a whole: what of it is wrong is said in words.
    const part = error.pointer.split('/').at(-1)!;
    const told = part === '' || pointer.endsWith(`/${part}`) ? '' : `${error.pointer.replace(/^\/metadata\//, '')} `;
    return { ...error, pointer, message: told + error.message };
  });
  return new DomainError(answer.code, answer.status, answer.message, { ...answer.details, errors });
}

const eventIdOf = (outcome: Captured['outcome'] | undefined): string | null =>
  outcome === undefined || outcome instanceof DomainError ? null : outcome.eventId;
