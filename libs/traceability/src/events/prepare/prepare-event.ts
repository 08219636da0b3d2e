import { Injectable, Optional } from '@nestjs/common';
import type { PreparedCall } from '#chain';
import { Quotas } from '#identity';
import { type Actor, mapYielding, DomainError, ROLES, invalidContent, requireRole } from '#kernel';
import { type ContractCall, type EventReference, type CallDraft, PrepareCall, type PreparedEvent } from '#prepare';
import { type AlsoSave, type EventSubmission, EventPreparation, type Examination } from '../../contract/preparation.js';
import { mainTlc, preparedRow, PreparationSettings, contractCall } from './prepared-event.js';
import { type Issue, sentenceOf, warningSentences, errorsOf } from '../../process-maps/event-reading.js';
import { type TenantTx, UnitOfWork } from '#persistence';
import { PreparedQueries } from './prepared-events.queries.js';
import { Span } from '#tracing';
import { StoreContents } from '#sealed-contents';
import { inputNotFinal, notATransfer, tlcAmbiguous, tlcTaken } from '../../errors.js';
import { ExamineEvent, type DatedExamination } from './validate-event.js';
import { type Draft, type DraftInput, MakeDrafts } from './make-drafts.js';
import { type Examined, ReserveCodes, generatedIn } from './reserve-codes.js';

/** A draft that the chain would accept. */
export interface EstimatedDraft {
  readonly draft: Draft;
  /** The part of the call that the event's row keeps. */
  readonly call: ContractCall;
  readonly prepared: PreparedCall;
}

/** Stores contents, then rows and keys: content without a row (a crash in between) is harmless, since nothing refers to it. */
@Injectable()
export class SaveDrafts {
  private readonly settings: PreparationSettings;

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PreparedQueries,
    private readonly contents: StoreContents,
    private readonly quotas: Quotas,
    @Optional() settings?: PreparationSettings,
  ) {
    this.settings = settings ?? new PreparationSettings();
  }

  /** All of them or none; the answers in the order of the drafts. @throws DomainError 429 `quota_exceeded`, EngineUnavailable */
  async save(actor: Actor, all: readonly EstimatedDraft[], alsoSave?: AlsoSave): Promise<PreparedEvent[]> {
    if (all.length === 0) return [];
    const contents = await this.contents.put(
      actor,
      all.map(({ draft }) => draft),
    );
    const stored = contents.addresses;
    const rows = await mapYielding(all, ({ draft, call, prepared }, i) =>
      preparedRow(actor, draft.event, draft.submission, draft, {
        stored: stored[i]!,
        call: { ...call, calldata: prepared.preparedTx.data },
        warnings: warningsFor(draft, prepared),
        ttlSeconds: this.settings.preparedTtlSeconds,
      }),
    );
    const bytes = all.reduce((sum, { draft }) => sum + draft.bytes.length, 0);
    const use = { events: rows.length, bytes };
    const take = this.quotas.takeAtOnce(actor, use);
    const answers = all.map(({ draft, prepared }, i) => ({
      ...prepared,
      warnings: warningsFor(draft, prepared),
      eventId: draft.eventId,
      ipfsCid: stored[i]!.cid,
      dataHash: draft.dataHash,
      outputTlc: mainTlc(draft.event),
    }));
    const saved = alsoSave ? answers.map((prepared, i) => ({ submission: all[i]!.draft.submission, prepared })) : [];
    const store = async (tx: TenantTx): Promise<void> => {
      const taken = take ? take(tx) : this.quotas.take(tx, use);
      await Promise.all([taken, this.events.insert(tx, rows), contents.writeKeys(tx), alsoSave?.(tx, saved)]);
    };
    await (take ? this.work.write(actor, store) : this.work.inTransaction(actor, store));
    return answers;
  }
}

const warningsFor = (draft: Draft, prepared: PreparedCall): string[] => [...warningSentences(draft.issues), ...prepared.warnings];

type Answer = PreparedEvent | DomainError;

interface EventCall extends CallDraft {
  readonly draft: Draft;
  readonly call: ContractCall;
}

/** Prepared together: the statements of one batch, and what it holds in memory, are the same however many there are. */
const BATCH = 500;
const MOST_TRIES = 20;
const isTaken = (answer: Answer): boolean => answer instanceof DomainError && answer.code === 'tlc_taken';
/** Batches that wait for the chain and the stores while the next one is examined: with fewer, one of them would wait for the other. */
const UNDERWAY = 2;

/**
 * `POST /events/prepare`, for one event or many. A refusal leaves nothing behind: rules, canonical bytes, the chain's
 * estimate, and only then the content store and one insert.
 */
@Injectable()
export class PrepareEvent extends EventPreparation {
  /** The process map says which of them may record what. */
  static readonly roles = ROLES;

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly examination: ExamineEvent,
    private readonly codes: ReserveCodes,
    private readonly drafts: MakeDrafts,
    private readonly saving: SaveDrafts,
  ) {
    super();
  }

  @Span('prepare event')
  override async prepare(actor: Actor, submission: EventSubmission): Promise<PreparedEvent> {
    const [prepared] = await this.prepareAll(actor, [submission]);
    if (prepared instanceof DomainError) throw prepared;
    return prepared!;
  }

  override async prepareAll(actor: Actor, submissions: readonly EventSubmission[]): Promise<readonly Answer[]> {
    requireRole(actor, PrepareEvent.roles);
    return this.finish(actor, submissions, await this.codes.examineAll(actor, submissions));
  }

  override async examineAll(
    actor: Actor,
    submissions: readonly EventSubmission[],
    reservations: Set<string>,
  ): Promise<readonly Examination[]> {
    requireRole(actor, PrepareEvent.roles);
    const examined = await this.codes.examineAll(actor, submissions, reservations);
    await this.codes.giveBack(actor, examined);
    return examined.map((found) => (found instanceof DomainError ? found : errorsOf(found.issues)));
  }

  /** A batch is examined while the chain and the stores are busy with those before. */
  override async *prepareMany(
    actor: Actor,
    submissions: readonly EventSubmission[],
    alsoSave?: AlsoSave,
  ): AsyncGenerator<readonly Answer[]> {
    requireRole(actor, PrepareEvent.roles);
    const reservations = new Set<string>();
    const underway: Promise<readonly Answer[]>[] = [];
    for (let from = 0; from < submissions.length; from += BATCH) {
      const batch = submissions.slice(from, from + BATCH);
      const examined = this.codes.examineAll(actor, batch, reservations);
      underway.push(
        eachRefused(
          batch,
          examined.then((found) => this.finish(actor, batch, found, alsoSave)),
        ),
      );
      await examined.catch(() => undefined);
      if (underway.length > UNDERWAY) yield await underway.shift()!;
    }
    for (const answers of underway) yield await answers;
  }

  /** A code that the service made may be that of a lot that has just landed: then the next one is tried. */
  private async finish(
    actor: Actor,
    submissions: readonly EventSubmission[],
    examined: readonly Examined[],
    alsoSave?: AlsoSave,
  ): Promise<readonly Answer[]> {
    const answers = [...(await this.attempt(actor, submissions, examined, alsoSave))];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const late = answers.flatMap((answer, i) => (isTaken(answer) && generatedIn(examined[i]!) !== null ? [i] : []));
      if (late.length === 0) break;
      const again = late.map((i) => submissions[i]!);
      const next = await this.attempt(actor, again, await this.codes.examineAll(actor, again), alsoSave);
      for (const [k, i] of late.entries()) answers[i] = next[k]!;
    }
    return answers;
  }

  private async attempt(
    actor: Actor,
    submissions: readonly EventSubmission[],
    examined: readonly Examined[],
    alsoSave?: AlsoSave,
  ): Promise<readonly Answer[]> {
    let unused = examined;
    try {
      const answers = await this.prepareExamined(actor, submissions, examined, alsoSave);
      // The code of a lot that landed meanwhile stays given away.
      unused = examined.filter((_, i) => answers[i] instanceof DomainError && !isTaken(answers[i]));
      return answers;
    } finally {
      await this.codes.giveBack(actor, unused);
    }
  }

  private async prepareExamined(
    actor: Actor,
    submissions: readonly EventSubmission[],
    examined: readonly Examined[],
    alsoSave?: AlsoSave,
  ): Promise<readonly Answer[]> {
    const contract = examined.some(isValid) ? await this.prepareCall.contractOf(actor) : '';
    const inputs = examined.map((found, i) => (found instanceof DomainError ? found : attempt(() => inputOf(submissions[i]!, found))));
    const sealed = await this.drafts.draftAll(actor, contract, inputs);
    const drafts = await mapYielding(sealed, (draft) => (draft instanceof DomainError ? draft : eventCall(contract, draft)));
    return this.prepareCall.prepareAll(drafts, (estimated) =>
      this.saving.save(
        actor,
        estimated.map(({ draft: { draft, call }, prepared }) => ({ draft, call, prepared })),
        alsoSave,
      ),
    );
  }

  @Span('prepare event attached to a call')
  override async prepareAttached(
    actor: Actor,
    submission: EventSubmission,
    call: (event: EventReference) => Promise<PreparedCall & ContractCall>,
  ): Promise<PreparedEvent> {
    const examined = await this.examination.examine(actor, submission, { attached: true });
    if (examined.event && examined.event.published.process.kind !== 'transfer') throw notATransfer(submission.processType);
    const input = inputOf(submission, examined);
    const draft = await this.drafts.draft(actor, await this.prepareCall.contractOf(actor), input);
    const prepared = await call(draft.ref);
    // Landing compares it with the logs: the ids in the order of the call, and quantities.
    const { method, args } = prepared;
    return (await this.saving.save(actor, [{ draft, call: { method, args }, prepared }]))[0]!;
  }
}

/** @throws DomainError 422 `invalid_content`, `tlc_ambiguous`, 409 `tlc_taken`, `input_not_final` */
function inputOf(submission: EventSubmission, { issues, event, now }: DatedExamination): DraftInput {
  refuse(errorsOf(issues));
  return { submission, event: event!, issues, now };
}

const eventCall = (contract: string, draft: Draft): EventCall => ({
  draft,
  contract,
  sender: draft.submission.from,
  call: contractCall(draft.event, draft.submission.metadata, draft.ref),
});

const isValid = (found: Examined): boolean => !(found instanceof DomainError) && errorsOf(found.issues).length === 0;

/** A refusal of the whole batch is the answer of each item; any other error is thrown when the answer is read. */
function eachRefused(batch: readonly EventSubmission[], answers: Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  const answered = answers.catch((error: unknown) => {
    if (error instanceof DomainError) return batch.map(() => error);
    throw error;
  });
  answered.catch(() => undefined);
  return answered;
}

function attempt(work: () => DraftInput): DraftInput | DomainError {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** Conflicts with the state on chain have their own code when nothing else is wrong (docs/spec/api.md#events-and-transactions). */
function refuse(errors: readonly Issue[]): void {
  if (errors.length === 0) return;
  const problems = errors.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const conflict = errors.every((error) => CONFLICTS.has(error.code)) ? CONFLICTS.get(errors[0]!.code)! : null;
  throw conflict ? conflict(sentenceOf(errors[0]!), problems) : invalidContent(problems);
}

const CONFLICTS = new Map([
  ['tlc_taken', tlcTaken],
  ['tlc_ambiguous', tlcAmbiguous],
  ['input_not_final', inputNotFinal],
]);
