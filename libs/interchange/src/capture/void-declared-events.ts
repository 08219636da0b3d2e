import type { PreparedDeclaration } from '#prepare';
import { type Actor, DomainError, invalidContent } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Corrections } from '#traceability';
import { Injectable } from '@nestjs/common';
import { ERROR_REASON, wordOf } from '../epcis/cbv.js';
import { type Json, isObject, textAt } from '../epcis/json.js';
import { declaredEventUnknown } from '../errors.js';
import { CaptureQueries } from './capture.queries.js';
import type { DocumentEvent } from './document-event.js';

/** Of one document: each is a transaction of its own, since whether it may be voided depends on all that is built on it. */
const MAX_DECLARATIONS = 100;

/** Prepares the void of each event that an error declaration names by its eventID. */
@Injectable()
export class VoidDeclaredEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly captured: CaptureQueries,
    private readonly corrections: Corrections,
  ) {}

  async declare(
    actor: Actor,
    events: readonly DocumentEvent[],
    from: string | null,
  ): Promise<ReadonlyMap<DocumentEvent, PreparedDeclaration | DomainError>> {
    const declarations = events.filter(({ isDeclaration }) => isDeclaration);
    const results = new Map<DocumentEvent, PreparedDeclaration | DomainError>();
    if (declarations.length === 0) return results;
    const ids = declarations.flatMap(({ event, eventID }) => [...(eventID === null ? [] : [eventID]), ...correctiveOf(event)]);
    const behind = await this.work.inSnapshot(actor, (tx) => this.captured.eventsBehind(tx, [...new Set(ids)]));
    for (const [i, one] of declarations.entries()) results.set(one, await this.one(actor, one, i, behind, from));
    return results;
  }

  private async one(
    actor: Actor,
    { event, eventID, pointer }: DocumentEvent,
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
