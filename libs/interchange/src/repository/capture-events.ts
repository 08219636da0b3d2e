import { Quotas } from '#identity';
import { type Actor, Clock, DomainError, newId } from '#kernel';
import { UnitOfWork, lockForChange } from '#persistence';
import { Injectable } from '@nestjs/common';
import { CaptureDocument, type CaptureResult } from '../capture/capture-document.js';
import { indexedEvent } from '../epcis/indexed-event.js';
import { type Json, eventIdIn, textAt } from '../epcis/json.js';
import { withContexts } from '../event-feed/captured.queries.js';
import { type CaptureJob, CaptureJobQueries, type CapturedOutcome, type ErrorBehaviour } from './capture-jobs.queries.js';
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

  /** @throws DomainError 429 `quota_exceeded` */
  async keep(actor: Actor, results: readonly CaptureResult[]): Promise<void> {
    const now = this.clock.now();
    for (let from = 0; from < results.length; from += KEPT_AT_ONCE) {
      const wanted = new Map(results.slice(from, from + KEPT_AT_ONCE).map((result) => [keyOf(actor, result), result]));
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
}

/**
 * `POST /epcis/{tenant}/capture`: what fits a process of the tenant is prepared and waits for a signature. What is EPCIS and fits none,
 * or names goods that the tenant does not have, is kept as it came: queries find it, and it is not on chain.
 */
@Injectable()
export class CaptureEvents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly captureDocument: CaptureDocument,
    private readonly keep: KeepEvents,
    private readonly jobs: CaptureJobQueries,
  ) {}

  /** @throws DomainError 422 for a body that is no EPCIS document */
  async capture(
    actor: Actor,
    body: Json,
    { from, errorBehaviour }: { readonly from: string | null; readonly errorBehaviour: ErrorBehaviour },
  ): Promise<CaptureJob> {
    const createdAt = this.clock.now();
    const results = await this.captureDocument.capture(actor, body, { from, allOrNothing: errorBehaviour === 'rollback' });
    const kept = results.filter((result) => result.outcome instanceof DomainError && !isRefused(result) && !isRepeated(result));
    await this.keep.keep(actor, kept);
    const events = results.map(outcomeOf);
    const job: CaptureJob = {
      id: newId(),
      createdAt,
      finishedAt: this.clock.now(),
      errorBehaviour,
      success: events.every(({ outcome }) => outcome !== 'refused'),
      events,
    };
    await this.work.inTransaction(actor, (tx) => this.jobs.insert(tx, job, actor));
    return job;
  }
}

const isRepeated = ({ outcome }: CaptureResult): boolean => outcome instanceof DomainError && outcome.code === 'event_captured';

function outcomeOf(result: CaptureResult): CapturedOutcome {
  const { pointer, source, eventHash, outcome } = result;
  const about = {
    pointer,
    eventID: eventIdIn(source.event) ?? eventHash,
    eventHashID: eventHash,
    preparedTx: null,
    hints: null,
    problems: [],
  };
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
  const event: Json = {
    ...withContexts(source.event, contexts),
    ...(eventIdIn(source.event) === null && { eventID }),
    recordTime: now.toISOString(),
  };
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
