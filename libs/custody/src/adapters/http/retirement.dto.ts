import {
  EnumField,
  HintsView,
  JsonObjectField,
  NumberField,
  ObjectField,
  PreparedTxView,
  StringField,
  StringListField,
  plainJson,
} from '#http';
import type { PreparedRetirement } from '../../application/prepare-retirement.js';
import { RETIRE_REASONS, type RetireReason, type RetirementInput } from '../../domain/retirement.js';

export class RetiredQuantity {
  @NumberField({ description: 'How much, at most six decimals' })
  value: number;

  @StringField({ description: 'UNECE code of a unit that converts to the lot’s own', minLength: 2, maxLength: 3 })
  uom: string;
}

export class RetirementBody implements RetirementInput {
  @EnumField(Object.keys(RETIRE_REASONS), { description: 'Why it leaves; a recalled lot as disposed, destroyed, lost or sampled only' })
  reason: RetireReason;

  @ObjectField(() => RetiredQuantity, { description: 'A part of the lot; all that remains when absent', optional: true })
  quantity?: RetiredQuantity;

  @JsonObjectField({ description: 'A note that is stored and whose hash goes on chain', optional: true })
  metadata?: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}

export class PreparedRetirementView {
  @ObjectField(() => PreparedTxView, { description: 'The unsigned transaction' })
  preparedTx: PreparedTxView;

  @JsonObjectField({ description: '`{ method, args, reason }`: the call that was prepared' })
  metadata: object;

  @ObjectField(() => HintsView, { description: 'Advice for the sender' })
  hints: HintsView;

  @StringField({ description: 'Where the stored note lies', optional: true })
  ipfsCid?: string;

  @StringListField({ description: 'What to look at before signing' })
  warnings: string[];
}

export const preparedRetirementView = (
  reason: RetireReason,
  { preparedTx, hints, warnings, args, ipfsCid }: PreparedRetirement,
): PreparedRetirementView => ({
  preparedTx,
  metadata: { method: 'retire', args: plainJson(args), reason },
  hints,
  ...(ipfsCid !== null && { ipfsCid }),
  warnings: [...warnings],
});
