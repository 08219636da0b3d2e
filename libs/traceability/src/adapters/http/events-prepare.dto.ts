import {
  EnumField,
  HintsView,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PreparedTxView,
  StringField,
  StringListField,
  TokenIdListField,
  tokenIds,
  BooleanField,
} from '#http';
import type { EventSubmission, PreparedEvent } from '../../contract.js';
import type { Verdict } from '../../application/validate-event.js';

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
