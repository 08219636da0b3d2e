import { Injectable } from '@nestjs/common';
import { senderOf } from '#identity';
import { type Actor, isChecksumAddress } from '#kernel';
import { Step } from '#tracing';
import { readSubmission } from '../domain/event-submission.js';
import { type Issue, errorsOf, fault, sentenceOf, warningsOf } from '../domain/issue.js';
import { ExamineEvent } from './examine-event.js';

export interface Verdict {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly issues: readonly Issue[];
}

/** `POST /events/validate`: all that stands against an event or is worth knowing about it; prepares and stores nothing. */
@Injectable()
export class ValidateEvent {
  constructor(private readonly examination: ExamineEvent) {}

  /** @throws DomainError 403 outside the process scope, or for a sender that is not the actor's */
  @Step('validate event')
  async validate(actor: Actor, body: { readonly [key: string]: unknown }): Promise<Verdict> {
    const { submission, faults } = readSubmission(body);
    const badSender = submission.from !== null && !isChecksumAddress(submission.from);
    const unreadable = badSender ? [...faults, fault('/from', 'bad_address', 'must be an address with its EIP-55 checksum')] : faults;
    const from = senderOf(actor, badSender ? null : submission.from);
    const { issues } = await this.examination.examine(actor, { ...submission, from }, { unreadable });
    const errors = errorsOf(issues);
    return { valid: errors.length === 0, errors: errors.map(sentenceOf), warnings: warningsOf(issues).map(sentenceOf), issues };
  }
}
