import {
  BooleanField,
  EnumField,
  HintsView,
  IntegerField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PreparedTxView,
  StringField,
  StringListField,
  itemProblem,
} from '#http';
import { DomainError } from '#kernel';
import type { Verdict } from '../../application/validate-event.js';
import type { PreparedEvent } from '../../contract.js';

export class IssueView {
  @StringField({ description: 'RFC 6901 pointer into the request body', example: '/metadata/quantity/uom' })
  pointer: string;

  @StringField({ description: 'Stable code' })
  code: string;

  @StringField({ description: 'One sentence' })
  message: string;

  @EnumField(['error', 'warning'], { description: 'An error makes the event invalid' })
  severity: 'error' | 'warning';
}

/** Validation result of the specification, §2.5, with the additive `issues`. */
export class VerdictView {
  @BooleanField({ description: 'Whether the event could be prepared as it is' })
  valid: boolean;

  @StringListField({
    description: '"<pointer>: <sentence>"; pointers into the metadata are written from there',
    example: ['/quantity/uom: is required'],
  })
  errors: string[];

  @StringListField({ description: 'Advice in the same form' })
  warnings: string[];

  @ObjectListField(() => IssueView, { description: 'Errors and warnings for programs' })
  issues: IssueView[];
}

export const verdictView = ({ valid, errors, warnings, issues }: Verdict): VerdictView => ({
  valid,
  errors: [...errors],
  warnings: [...warnings],
  issues: issues.map(({ pointer, code, message, severity }) => ({ pointer, code, message, severity })),
});

/** Prepared event of the specification, §2.6 and §4.2, with additive fields of api-decisions §3. */
export class PreparedEventView {
  @StringField({ description: 'Id of the event, known before it lands', format: 'uuid' })
  eventId: string;

  @StringField({ description: 'CIDv1 (raw, sha2-256) of the stored canonical content' })
  ipfsCid: string;

  @ObjectField(() => PreparedTxView, { description: 'Unsigned transaction' })
  preparedTx: PreparedTxView;

  @StringField({ description: 'TLC of the main output, given or generated', nullable: true })
  outputTlc: string | null;

  @StringField({ description: 'sha2-256 of the stored content, as it goes on chain' })
  dataHash: string;

  @ObjectField(() => HintsView, { description: 'Advice for the sender' })
  hints: HintsView;

  @StringListField({ description: '"<pointer>: <sentence>"' })
  warnings: string[];
}

export const preparedEventView = ({
  eventId,
  ipfsCid,
  preparedTx,
  outputTlc,
  dataHash,
  hints,
  warnings,
}: PreparedEvent): PreparedEventView => ({
  eventId,
  ipfsCid,
  preparedTx,
  outputTlc,
  dataHash,
  hints,
  warnings: [...warnings],
});

export class BatchItemView {
  @IntegerField({ description: 'Place in the request, from 0' })
  index: number;

  @IntegerField({ description: 'HTTP status that a request of its own would have had' })
  status: number;

  @ObjectField(() => PreparedEventView, { description: 'What was prepared; null when it was refused', nullable: true })
  event: PreparedEventView | null;

  @JsonObjectField({ description: 'Why it was refused (RFC 9457); pointers go into the item', nullable: true })
  problem: object | null;
}

export class EventBatchView {
  @IntegerField({ description: 'How many were prepared' })
  prepared: number;

  @IntegerField({ description: 'How many were refused; nothing is stored of them' })
  refused: number;

  @ObjectListField(() => BatchItemView, { description: 'One answer an item, in the order of the request' })
  data: BatchItemView[];
}

export const batchItemView = (answer: PreparedEvent | DomainError, index: number): BatchItemView =>
  answer instanceof DomainError
    ? { index, status: answer.status, event: null, problem: itemProblem(answer) }
    : { index, status: 200, event: preparedEventView(answer), problem: null };

export function eventBatchView(answers: readonly (PreparedEvent | DomainError)[]): EventBatchView {
  const data = answers.map(batchItemView);
  const refused = data.filter(({ problem }) => problem !== null).length;
  return { prepared: data.length - refused, refused, data };
}
