import { type Actor, DomainError, invalidContent } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Corrections, type PreparedDeclaration } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { Arrived } from '../domain/arrivals.js';
import { ERROR_REASON, wordOf } from '../domain/cbv.js';
import { declaredEventUnknown } from '../domain/errors.js';
import { type Json, isObject, textAt } from '../domain/json.js';
import { CapturedEvents } from '../ports.js';

/** Of one document: each is a transaction of its own, since what it may take back depends on all that stands on it. */
const MAX_DECLARATIONS = 100;

/** An error declaration takes back the event with its eventID: the void of that event, prepared. */
@Injectable()
export class DeclareWrong {
  constructor(
    private readonly work: UnitOfWork,
    private readonly captured: CapturedEvents,
    private readonly corrections: Corrections,
  ) {}

  async declare(
    actor: Actor,
    arrived: readonly Arrived[],
    from: string | null,
  ): Promise<ReadonlyMap<Arrived, PreparedDeclaration | DomainError>> {
    const declarations = arrived.filter(({ isDeclaration }) => isDeclaration);
    const results = new Map<Arrived, PreparedDeclaration | DomainError>();
    if (declarations.length === 0) return results;
    const ids = declarations.flatMap(({ event, eventID }) => [...(eventID === null ? [] : [eventID]), ...correctiveOf(event)]);
    const behind = await this.work.inSnapshot(actor, (tx) => this.captured.behind(tx, [...new Set(ids)]));
    for (const [i, one] of declarations.entries()) results.set(one, await this.one(actor, one, i, behind, from));
    return results;
  }

  private async one(
    actor: Actor,
    { event, eventID, pointer }: Arrived,
    place: number,
    behind: ReadonlyMap<string, string>,
    from: string | null,
  ): Promise<PreparedDeclaration | DomainError> {
    const refused = (at: string, code: string, message: string): DomainError => invalidContent([{ pointer: pointer + at, code, message }]);
    if (place >= MAX_DECLARATIONS) return refused('', 'too_many', `A document declares at most ${MAX_DECLARATIONS} events wrong.`);
    if (eventID === null) return refused('/eventID', 'required', 'An error declaration names its event by eventID.');
    const eventId = behind.get(eventID);
    if (eventId === undefined) return declaredEventUnknown(eventID);
    const reason = wordOf(ERROR_REASON, textAt(event['errorDeclaration'], 'reason') ?? '');
    if (reason !== 'did_not_occur' && reason !== 'incorrect_data')
      return refused('/errorDeclaration/reason', 'required', 'reason must be did_not_occur or incorrect_data.');
    const correctiveEventIDs = correctiveOf(event).map((id) => behind.get(id) ?? id.replace(/^urn:uuid:/, ''));
    try {
      return await this.corrections.void(actor, { eventId, reason, correctiveEventIDs, from });
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }
}

function correctiveOf(event: Json): string[] {
  const declared = event['errorDeclaration'];
  const ids = isObject(declared) && Array.isArray(declared['correctiveEventIDs']) ? (declared['correctiveEventIDs'] as unknown[]) : [];
  return ids.filter((id) => typeof id === 'string');
}
