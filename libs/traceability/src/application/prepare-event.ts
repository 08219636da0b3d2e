import { Injectable } from '@nestjs/common';
import { type PreparedCall, TransactionPreparer } from '#chain';
import { type Actor, DomainError, inTurns, invalidContent } from '#kernel';
import { Step } from '#tracing';
import { EventPreparation, type EventRef, type EventSubmission, type PreparedEvent } from '../contract.js';
import { contractCall } from '../domain/canonical-event.js';
import { inputNotFinal, notATransfer, tlcTaken } from '../domain/errors.js';
import { type Issue, errorsOf, sentenceOf } from '../domain/issue.js';
import { type Draft, DraftEvents } from './draft-events.js';
import { ExamineEvent, type Examined } from './examine-event.js';
import { SaveEvents } from './save-events.js';

type Answer = PreparedEvent | DomainError;

/** Prepared together: the statements of one batch, and what it holds in memory, are the same however many there are. */
const BATCH = 500;
/** Batches that wait for the chain and the stores while the next one is examined: with fewer, one or the other stands still. */
const UNDERWAY = 2;

/**
 * `POST /events/prepare`, for one event or many. The order keeps refusals free of traces: rules, canonical bytes, the chain's
 * estimate, and only then the content store and one insert.
 */
@Injectable()
export class PrepareEvent extends EventPreparation {
  constructor(
    private readonly examination: ExamineEvent,
    private readonly drafts: DraftEvents,
    private readonly saving: SaveEvents,
    private readonly transactions: TransactionPreparer,
  ) {
    super();
  }

  @Step('prepare event')
  override async prepare(actor: Actor, submission: EventSubmission): Promise<PreparedEvent> {
    const [prepared] = await this.prepareAll(actor, [submission]);
    if (prepared instanceof DomainError) throw prepared;
    return prepared!;
  }

  override async prepareAll(actor: Actor, submissions: readonly EventSubmission[]): Promise<readonly Answer[]> {
    return this.finish(actor, submissions, await this.examination.examineAll(actor, submissions));
  }

  /** A batch is examined while the chain and the stores are busy with those before. */
  override async *prepareMany(actor: Actor, submissions: readonly EventSubmission[]): AsyncGenerator<readonly Answer[]> {
    const claims = new Set<string>();
    const underway: Promise<readonly Answer[]>[] = [];
    for (let from = 0; from < submissions.length; from += BATCH) {
      const batch = submissions.slice(from, from + BATCH);
      const examined = this.examination.examineAll(actor, batch, { claims });
      underway.push(
        eachRefused(
          batch,
          examined.then((found) => this.finish(actor, batch, found)),
        ),
      );
      await examined.catch(() => undefined);
      if (underway.length > UNDERWAY) yield await underway.shift()!;
    }
    for (const answers of underway) yield await answers;
  }

  private async finish(
    actor: Actor,
    submissions: readonly EventSubmission[],
    examined: readonly (Examined | DomainError)[],
  ): Promise<readonly Answer[]> {
    const contract = examined.some(isSound) ? await this.drafts.contractOf(actor) : '';
    const drafts = await inTurns(examined, (found, i) =>
      found instanceof DomainError ? found : attempt(() => this.draft(actor, contract, submissions[i]!, found)),
    );
    const asked = drafts.flatMap((draft) => (draft instanceof DomainError ? [] : [draft]));
    const calls = asked.map((draft) => contractCall(draft.event, draft.submission.metadata, draft.ref));
    const answers = await this.transactions.prepareAll(
      calls.map(({ method, args }, i) => ({ contract, from: asked[i]!.preparedBy, method, args: Object.values(args) })),
    );
    const ready = asked.flatMap((draft, i) => {
      const prepared = answers[i]!;
      return prepared instanceof DomainError ? [] : [{ draft, call: calls[i]!, prepared }];
    });
    const saved = await this.saving.save(actor, ready);
    const outcome = new Map<Draft, Answer>(asked.map((draft, i) => [draft, answers[i] as DomainError]));
    for (const [i, { draft }] of ready.entries()) outcome.set(draft, saved[i]!);
    return drafts.map((draft) => (draft instanceof DomainError ? draft : outcome.get(draft)!));
  }

  @Step('prepare event that rides on a call')
  override async prepareRiding(
    actor: Actor,
    submission: EventSubmission,
    call: (event: EventRef) => Promise<PreparedCall>,
  ): Promise<PreparedEvent> {
    const examined = await this.examination.examine(actor, submission, { riding: true });
    if (examined.event && examined.event.published.process.kind !== 'transfer') throw notATransfer(submission.processType);
    refuse(errorsOf(examined.issues));
    const draft = this.draft(actor, await this.drafts.contractOf(actor), submission, examined);
    const prepared = await call(draft.ref);
    // What the log will say: the ids in the order of the call.
    const asked = { method: 'custody', args: { tokenIds: submission.inputTokenIds, e: draft.ref } };
    return (await this.saving.save(actor, [{ draft, call: asked, prepared }]))[0]!;
  }

  /** @throws DomainError 422 `invalid_content`, 409 `tlc_taken`, `input_not_final` */
  private draft(actor: Actor, contract: string, submission: EventSubmission, { issues, event, now }: Examined): Draft {
    refuse(errorsOf(issues));
    return this.drafts.draft(actor, contract, { submission, event: event!, issues, now });
  }
}

const isSound = (found: Examined | DomainError): boolean => !(found instanceof DomainError) && errorsOf(found.issues).length === 0;

/** A refusal of the whole is the answer of each; whoever reads it later sees any other error too. */
function eachRefused(batch: readonly EventSubmission[], answers: Promise<readonly Answer[]>): Promise<readonly Answer[]> {
  const told = answers.catch((error: unknown) => {
    if (error instanceof DomainError) return batch.map(() => error);
    throw error;
  });
  told.catch(() => undefined);
  return told;
}

function attempt(work: () => Draft): Draft | DomainError {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** Conflicts with what stands on chain are 409 when nothing else is wrong (api-decisions §3). */
function refuse(errors: readonly Issue[]): void {
  if (errors.length === 0) return;
  const problems = errors.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const conflict = errors.every((error) => CONFLICTS.has(error.code)) ? CONFLICTS.get(errors[0]!.code)! : null;
  throw conflict ? conflict(sentenceOf(errors[0]!), problems) : invalidContent(problems);
}

const CONFLICTS = new Map([
  ['tlc_taken', tlcTaken],
  ['input_not_final', inputNotFinal],
]);
