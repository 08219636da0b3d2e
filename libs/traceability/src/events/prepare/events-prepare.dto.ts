import {
  JsonListField,
  JsonObjectField,
  StringField,
  TokenIdListField,
  isPlainObject,
  malformedRequest,
  readBody,
  tokenIds,
  BooleanField,
  EnumField,
  IntegerField,
  ObjectListField,
  StringListField,
} from '#http';
import { type Actor, DomainError, ProblemBudget, senderOf } from '#kernel';
import { BatchItemView, type PreparedEvent, batchItemView } from '#prepare';
import type { EventSubmission } from '../../contract/preparation.js';
import type { Verdict } from './validate-event.js';

/** Event submission payload of the docs/spec/service.md#event-submission, with the additive `from`. */
export class EventBody {
  @StringField({ description: "Key of a process in the tenant's process maps", example: 'RICE_MILLING', minLength: 1 })
  processType: string;

  @TokenIdListField({ description: 'Lots that go in', optional: true, example: [3] })
  inputTokenIds?: (number | string)[];

  @StringField({
    description: "TLC of the lot to mint; absent: made from the process map's template",
    optional: true,
    nullable: true,
  })
  outputTlc?: string | null;

  @StringField({ description: 'EIP-55 address that gets the lot; absent: the sender', optional: true, nullable: true })
  outputCustodian?: string | null;

  @JsonObjectField({ checkedByRoute: true, description: "Canonical metadata, validated against the process map's schema" })
  metadata: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign: one of your own; absent: your wallet', optional: true, nullable: true })
  from?: string | null;
}

export const submissionOf = (body: EventBody, from: string | null): EventSubmission => ({
  processType: body.processType,
  inputTokenIds: tokenIds(body.inputTokenIds),
  outputTlc: body.outputTlc ?? null,
  outputCustodian: body.outputCustodian ?? null,
  metadata: body.metadata,
  from,
});

const MAX_BATCH = 100;

export class EventBatchBody {
  @JsonListField({
    description: 'Events like those of `prepare`, in the order in which they count; each is read on its own',
    minItems: 1,
    maxItems: MAX_BATCH,
    items: { $ref: '#/components/schemas/EventBody' },
  })
  events: unknown[];
}

/** One item of a batch, or what its own request would have been refused with. */
export function batchItem(actor: Actor, item: unknown): EventSubmission | DomainError {
  if (!isPlainObject(item)) return malformedRequest([{ pointer: '', code: 'wrong_type', message: 'An event must be a JSON object.' }]);
  const { dto, problems } = readBody(EventBody, item);
  if (problems.length > 0) return malformedRequest(problems);
  const body = dto as EventBody;
  try {
    return submissionOf(body, senderOf(actor, body.from));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

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

/** Validation result of the docs/spec/service.md#validation-result, with the additive `issues`. */
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

  @IntegerField({ description: 'How many issues there are beyond the 100 that are listed; absent where there are none', optional: true })
  moreIssues?: number;
}

export const verdictView = ({ valid, errors, warnings, issues, moreIssues }: Verdict): VerdictView => ({
  valid,
  errors: [...errors],
  warnings: [...warnings],
  issues: issues.map(({ pointer, code, message, severity }) => ({ pointer, code, message, severity })),
  ...(moreIssues > 0 && { moreIssues }),
});

export class EventBatchView {
  @IntegerField({ description: 'How many were prepared' })
  prepared: number;

  @IntegerField({ description: 'How many were refused; nothing is stored of them' })
  refused: number;

  @ObjectListField(() => BatchItemView, { description: 'One answer an item, in the order of the request' })
  data: BatchItemView[];
}

export function eventBatchView(answers: readonly (PreparedEvent | DomainError)[]): EventBatchView {
  const budget = new ProblemBudget();
  const data = answers.map((answer, i) => batchItemView(budget.of(answer), i));
  const refused = data.filter(({ problem }) => problem !== null).length;
  return { prepared: data.length - refused, refused, data };
}
