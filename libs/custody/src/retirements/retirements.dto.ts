import { EnumField, JsonObjectField, ObjectField, StringField, plainJson } from '#http';
import { type Prepared, PreparedCallView, preparedCallView } from '#prepare';
import { PartQuantityBody } from '../part-quantity.dto.js';
import { RETIRE_REASONS, type RetireReason, type RetirementInput } from './retirement.rules.js';

export class RetirementBody implements RetirementInput {
  @EnumField(Object.keys(RETIRE_REASONS), { description: 'Why it leaves; a recalled lot as disposed, destroyed, lost or sampled only' })
  reason: RetireReason;

  @ObjectField(() => PartQuantityBody, { description: 'A part of the lot; all that remains when absent', optional: true })
  quantity?: PartQuantityBody;

  @JsonObjectField({ checkedByRoute: true, description: 'A note that is stored and whose hash goes on chain', optional: true })
  metadata?: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}

export class PreparedRetirementView extends PreparedCallView {
  @JsonObjectField({ description: '`{ method, args, reason }`: the prepared call' })
  metadata: object;

  @StringField({ description: 'CID of the stored note', optional: true })
  ipfsCid?: string;
}

export function preparedRetirementView(reason: RetireReason, { calls, content }: Prepared<object>): PreparedRetirementView {
  const { method, args, ...prepared } = calls[0]!;
  return {
    ...preparedCallView(prepared),
    metadata: { method, args: plainJson(args), reason },
    ...(content && { ipfsCid: content.ipfsCid }),
  };
}
