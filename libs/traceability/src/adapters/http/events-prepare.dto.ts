import { JsonObjectField, StringField, TokenIdListField, tokenIds } from '#http';
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
