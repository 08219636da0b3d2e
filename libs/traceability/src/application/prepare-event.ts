import { Injectable, Optional } from '@nestjs/common';
import { ChainProfile, type PreparedCall, TransactionPreparer } from '#chain';
import { ContentStore, addressOf, canonicalBytes } from '#content-storage';
import { Tenants } from '#identity';
import { type Actor, invalidContent, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { EventPreparation, type EventRef, type EventSubmission, type PreparedEvent } from '../contract.js';
import { type ContractCall, type Preparation, contractCall, envelopeOf, eventRef, mainTlc } from '../domain/canonical-event.js';
import { inputNotFinal, notATransfer, tlcTaken } from '../domain/errors.js';
import { type Issue, errorsOf, sentenceOf, warningsOf } from '../domain/issue.js';
import { preparedRow } from '../domain/prepared-event.js';
import type { ExaminedEvent } from '../domain/validation.js';
import { EventSettings, PreparedEvents } from '../ports.js';
import { ExamineEvent, type Examined } from './examine-event.js';

interface Draft extends Preparation {
  readonly actor: Actor;
  readonly submission: EventSubmission;
  readonly event: ExaminedEvent;
  readonly issues: readonly Issue[];
}

/** The part of a call that the event's row keeps, with what the chain said to it. */
interface AskedCall {
  readonly call: { readonly method: string; readonly args: Readonly<Record<string, unknown>> };
  readonly prepared: PreparedCall;
}

/**
 * `POST /events/prepare`. The order keeps refusals free of traces: rules, canonical bytes, the chain's estimate, and only then
 * the content store and one insert. Content without a row (a crash between the two) harms nobody: the same bytes have the same
 * address, and nothing refers to them.
 */
@Injectable()
export class PrepareEvent extends EventPreparation {
  private readonly settings: EventSettings;

  constructor(
    private readonly work: UnitOfWork,
    private readonly examination: ExamineEvent,
    private readonly events: PreparedEvents,
    private readonly tenants: Tenants,
    private readonly chain: ChainProfile,
    private readonly transactions: TransactionPreparer,
    private readonly contents: ContentStore,
    @Optional() settings?: EventSettings,
  ) {
    super();
    this.settings = settings ?? new EventSettings();
  }

  override async prepare(actor: Actor, submission: EventSubmission): Promise<PreparedEvent> {
    const examined = await this.examination.examine(actor, submission);
    return this.complete(await this.draft(actor, submission, examined), async (draft, ref) => {
      const call = contractCall(draft.event, submission.metadata, ref);
      return { call, prepared: await this.ask(draft, call) };
    });
  }

  override async prepareRiding(
    actor: Actor,
    submission: EventSubmission,
    call: (event: EventRef) => Promise<PreparedCall>,
  ): Promise<PreparedEvent> {
    const examined = await this.examination.examine(actor, submission, { riding: true });
    if (examined.event && examined.event.published.process.kind !== 'transfer') throw notATransfer(submission.processType);
    return this.complete(await this.draft(actor, submission, examined), async (_, ref) => ({
      // What the log will say: the ids in the order of the call.
      call: { method: 'custody', args: { tokenIds: submission.inputTokenIds, e: ref } },
      prepared: await call(ref),
    }));
  }

  /** @throws DomainError 422 `invalid_content`, 409 `tlc_taken`, `input_not_final`, `tenant_has_no_contract` */
  private async draft(actor: Actor, submission: EventSubmission, { issues, event, now }: Examined): Promise<Draft> {
    refuse(errorsOf(issues));
    return {
      actor,
      submission,
      event: event!,
      issues,
      eventId: newId(),
      tenant: actor.tenantSlug,
      chainId: this.chain.chainId,
      contract: await this.tenants.contractOf(actor.tenantId),
      preparedBy: submission.from,
      preparedAt: now,
    };
  }

  private async complete(draft: Draft, ask: (draft: Draft, ref: EventRef) => Promise<AskedCall>): Promise<PreparedEvent> {
    const { actor, event, submission, eventId } = draft;
    const bytes = canonicalBytes(envelopeOf(event, submission, draft));
    const { dataHash } = addressOf(bytes);
    const { call, prepared } = await ask(draft, eventRef(eventId, event.published.processType, dataHash));
    const stored = await this.contents.put(bytes);
    const warnings = [...warningsOf(draft.issues).map(sentenceOf), ...prepared.warnings];
    const row = preparedRow(actor, event, submission, draft, {
      stored,
      call: { ...call, calldata: prepared.preparedTx.data },
      warnings,
      ttlSeconds: this.settings.preparedTtlSeconds,
    });
    await this.work.inTransaction(actor, (tx) => this.events.insert(tx, row));
    return { ...prepared, warnings, eventId, ipfsCid: stored.cid, dataHash, outputTlc: mainTlc(event) };
  }

  private ask({ contract, preparedBy }: Draft, call: ContractCall): Promise<PreparedCall> {
    return this.transactions.prepare({ contract, from: preparedBy, method: call.method, args: Object.values(call.args) });
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
