import { JsonListField, JsonObjectField, StringField, TokenIdListField, isPlainObject, malformedRequest, readBody, tokenIds } from '#http';
import { senderOf } from '#identity';
import { type Actor, DomainError } from '#kernel';
import type { EventSubmission } from '../../contract.js';

/** Event submission payload of the specification, §2.4, with the additive `from`. */
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

  @JsonObjectField({ description: "Canonical metadata, validated against the process map's schema" })
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

export const MAX_BATCH = 100;

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
