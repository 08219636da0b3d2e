import { Injectable } from '@nestjs/common';
import { TransactionPreparer } from '#chain';
import { type Actor, invalidContent } from '#kernel';
import { Step } from '#tracing';
import type { PreparedEvent } from '../contract.js';
import type { ErrorReason } from '../domain/correction.js';
import { errorsOf } from '../domain/issue.js';
import { DraftEvents } from './draft-events.js';
import { ExamineAmendment } from './examine-amendment.js';
import { SaveEvents } from './save-events.js';

export interface SupersedeOrder {
  readonly eventId: string;
  readonly reason: ErrorReason;
  /** The whole content as it should have been. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** EIP-55 sender, already checked against the actor; null when there is none. */
  readonly from: string | null;
}

/**
 * `POST /events/{id}/supersede/prepare`: an event of the same process with better content. What the first one did to lots stands;
 * when the second lands, the first is superseded and declared wrong.
 */
@Injectable()
export class PrepareSupersede {
  constructor(
    private readonly examination: ExamineAmendment,
    private readonly drafts: DraftEvents,
    private readonly saving: SaveEvents,
    private readonly transactions: TransactionPreparer,
  ) {}

  /** @throws DomainError as `ExamineAmendment`, 422 `invalid_content`, `tx_would_revert` */
  @Step('prepare a correction')
  async prepare(actor: Actor, { eventId, reason, metadata, from }: SupersedeOrder): Promise<PreparedEvent> {
    const { corrected, event, issues, now } = await this.examination.examine(actor, eventId, metadata, from);
    const errors = errorsOf(issues);
    if (errors.length > 0) throw invalidContent(errors.map(({ pointer, code, message }) => ({ pointer, code, message })));
    const submission = {
      processType: corrected.processType!,
      inputTokenIds: [],
      outputTlc: null,
      outputCustodian: null,
      metadata,
      from,
    };
    const correction = { supersedes: corrected.id, reason };
    const draft = this.drafts.draft(actor, corrected.contract!, { submission, event: event!, issues, now, correction });
    const call = { method: 'amendEvent', args: { eventId: corrected.chainEventId, e: draft.ref } };
    const prepared = await this.transactions.prepare({
      contract: corrected.contract!,
      from,
      method: call.method,
      args: Object.values(call.args),
    });
    return (await this.saving.save(actor, [{ draft, call, prepared }]))[0]!;
  }
}
