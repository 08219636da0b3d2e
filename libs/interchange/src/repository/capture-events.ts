import { Quotas } from '#identity';
import { type Actor, Clock, DomainError } from '#kernel';
import { UnitOfWork, lockForChange } from '#persistence';
import { Injectable } from '@nestjs/common';
import { CaptureDocument, type CaptureRequest, type CaptureResult } from '../capture/capture-document.js';
import { indexedEvent } from '../epcis/indexed-event.js';
import { type Json, eventIdIn, textAt } from '../epcis/json.js';
import { withContexts } from '../event-feed/captured.queries.js';
import type { CapturedOutcome } from './capture-jobs.queries.js';
import { PendingEventQueries } from './pending-events.queries.js';
import { EpcisEventQueries, type StoredEvent } from './epcis-events.queries.js';

/** Events that are kept in one transaction. */
const KEPT_AT_ONCE = 500;

/** Refused for what it is, not for what the tenant has: it is not kept. */
const isRefused = ({ source, outcome }: CaptureResult): boolean =>
  outcome instanceof DomainError &&
  (source.refusal !== null || ![404, 409, 422].includes(outcome.status) || outcome.code === 'capture_rolled_back');

/** Keeps events as they came, with the contexts of their document. What was kept before stays as it is. */
@Injectable()
export class KeepEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly events: EpcisEventQueries,
    private readonly quotas: Quotas,
    private readonly pending: PendingEventQueries,
  ) {}

  /** @returns a refusal of those that are too much for the quota of the tenant */
  async keep(actor: Actor, results: readonly CaptureResult[]): Promise<ReadonlyMap<CaptureResult, DomainError>> {
    for (let from = 0; from < results.length; from += KEPT_AT_ONCE)
      try {
        await this.keepSome(actor, results.slice(from, from + KEPT_AT_ONCE));
      } catch (error) {
        if (!(error instanceof DomainError) || error.status >= 500) throw error;
        return new Map(results.slice(from).map((result) => [result, error]));
      }
    return new Map();
  }

  /** All or none. @throws DomainError 429 `quota_exceeded` */
  private async keepSome(actor: Actor, results: readonly CaptureResult[]): Promise<void> {
    const now = this.clock.now();
    const wanted = new Map(results.map((result) => [keyOf(actor, result), result]));
    await this.work.inTransaction(actor, async (tx) => {
      // Two captures of one event at once: the second finds it.
      await lockForChange(tx, 'interchange.epcis_event');
      const known = await this.events.known(tx, [...wanted.keys()]);
      const fresh = [...wanted].filter(([key]) => !known.has(key)).map(([key, result]) => storedOf(actor, key, result, now));
      if (fresh.length === 0) return;
      await this.quotas.take(tx, { bytes: fresh.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) });
      await this.events.replace(tx, fresh, [], now);
      const keys = fresh.map(({ key }) => key);
      await this.pending.announce(tx, keys);
    });
  }
}

/**
 * What fits a process of the tenant is prepared and waits for a signature. What is EPCIS and fits none, or names goods that the tenant
 * does not have, is kept as it came: queries find it, and it is not on chain.
 */
@Injectable()
export class CaptureEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly captureDocument: CaptureDocument,
    private readonly keep: KeepEvents,
    private readonly repository: EpcisEventQueries,
  ) {}

  /** What became of each event. @throws DomainError 422 for a body that is no EPCIS document, 429 `quota_exceeded` if nothing fits */
  async capture(actor: Actor, body: Json, request: CaptureRequest): Promise<readonly CapturedOutcome[]> {
    const results = await this.captureDocument.capture(actor, body, request);
    const unmapped = results.filter((result) => result.outcome instanceof DomainError && !isRefused(result) && !isRepeated(result));
    const own = await this.ownEvents(actor, unmapped);
    const refused = await this.keep.keep(
      actor,
      unmapped.filter((result) => !own.has(result)),
    );
    const [first] = refused.values();
    if (first && refused.size === results.length) throw first;
    return results.map((result) => {
      const eventId = own.get(result);
      if (eventId !== undefined) return { ...aboutOf(result), problems: [], outcome: 'recorded_here', eventId };
      return outcomeOf({ ...result, outcome: refused.get(result) ?? result.outcome });
    });
  }

  /** Events that this repository has from the chain, and that come back: with their id here, where they have one. */
  private async ownEvents(actor: Actor, results: readonly CaptureResult[]): Promise<ReadonlyMap<CaptureResult, string | null>> {
    const ids = [...new Set(results.flatMap(({ eventID }) => eventID ?? []))];
    const keys = await this.work.read(actor, (tx) => this.repository.recorded(tx, ids));
    const own = new Map<CaptureResult, string | null>();
    for (const result of results) {
      const found = result.eventID === null ? undefined : keys.get(result.eventID);
      // An error declaration is one of its own, unless it is declared here too.
      if (found && (found.isDeclared || !result.source.isDeclaration)) own.set(result, recordedId(found.key));
    }
    return own;
  }
}

const recordedId = (key: string): string | null => (key.startsWith('event:') ? key.slice('event:'.length) : null);

const isRepeated = ({ outcome }: CaptureResult): boolean => outcome instanceof DomainError && outcome.code === 'event_captured';

const aboutOf = ({ pointer, source, eventHash }: CaptureResult) => ({
  pointer,
  eventID: eventIdIn(source.event) ?? eventHash,
  eventHashID: eventHash,
  preparedTx: null,
  hints: null,
  problems: [],
});

function outcomeOf(result: CaptureResult): CapturedOutcome {
  const { pointer, outcome } = result;
  const about = aboutOf(result);
  if (!(outcome instanceof DomainError)) {
    const { eventId, preparedTx, hints } = outcome;
    return { ...about, outcome: 'prepared', eventId, preparedTx, hints };
  }
  const problems = outcome.details.errors ?? [{ pointer, code: outcome.code, message: outcome.message }];
  if (isRepeated(result)) return { ...about, outcome: 'captured_before', eventId: textAt(outcome.details, 'eventId') };
  if (isRefused(result)) return { ...about, problems, outcome: 'refused', eventId: null };
  const isWaiting = problems.some(({ code }) => code === 'lot_not_landed');
  return { ...about, problems, outcome: isWaiting ? 'waiting' : 'kept', eventId: null };
}

/** An error declaration has the hash of its event, and is one of its own. */
function keyOf({ orgId, id }: Actor, { source, eventHash }: CaptureResult): string {
  const declared = source.isDeclaration ? textAt(source.event['errorDeclaration'], 'declarationTime') : null;
  return [`kept:${eventHash}`, orgId ?? id, eventIdIn(source.event), declared].filter((part) => part !== null).join(' ');
}

function storedOf({ orgId }: Actor, key: string, { source, eventHash }: CaptureResult, now: Date): StoredEvent {
  const contexts = source.context === null ? [] : (JSON.parse(source.context.text) as unknown[]);
  const eventID = eventIdIn(source.event) ?? eventHash!;
  // `id` is the same as `eventID`, by which others find an event.
  const { id: _, ...given } = withContexts(source.event, contexts);
  const event: Json = { ...given, eventID, recordTime: now.toISOString() };
  return {
    key,
    audience: 'whole',
    orgId,
    processType: null,
    isScoped: true,
    block: null,
    isUnresolved: false,
    indexed: indexedEvent(event, eventID),
    text: JSON.stringify(event),
  };
}
