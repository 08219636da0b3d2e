import { IntegerField, JsonObjectField, NumberField, ObjectListField, StringField, TokenIdListField, plainJson } from '#http';
import { PreparedCallView, preparedCallView } from '#prepare';
import type { GenericInput } from './call-arguments.rules.js';
import type { PreparedTransaction } from './prepare-transaction.js';

/** An item of `outputs[]` (docs/spec/api.md#events-and-transactions). Token ids are assigned when the transaction lands. */
export class OutputBody {
  @StringField({ description: 'Traceability lot code', minLength: 1, maxLength: 64 })
  tlc: string;

  @StringField({ description: 'GTIN; absent: that of the asset type', optional: true, pattern: /^(\d{8}|\d{12,14})$/ })
  gtin?: string;

  @StringField({ description: 'Serial number of a single item', optional: true, minLength: 1, maxLength: 20 })
  serial?: string;

  @StringField({ description: "Key of the asset type in the tenant's process map", minLength: 1, maxLength: 128 })
  assetType: string;

  @StringField({ description: 'EIP-55 address' })
  custodian: string;

  @NumberField({ description: 'In `uom`, at most six decimals; absent = unmeasured', optional: true, min: 0 })
  quantity?: number;

  @StringField({ description: 'UNECE Recommendation 20 code', optional: true, maxLength: 3 })
  uom?: string;

  @StringField({ description: 'When the lot expires', format: 'date-time', optional: true })
  expiresAt?: string;
}

export class TxPrepareBody implements GenericInput {
  @StringField({
    description: "State-changing method of the tenant's contract, or its signature",
    maxLength: 256,
    example: 'setDirectReceipt',
  })
  method: string;

  @StringField({
    description: 'bytes32 id of the process, `keccak256(utf8(processType))`; zero where the method has none',
    pattern: /^0x[0-9a-fA-F]{64}$/,
  })
  processId: string;

  @TokenIdListField({ description: 'The lots of the call', optional: true, maxItems: 500 })
  inputTokenIds?: (number | string)[];

  @ObjectListField(() => OutputBody, { description: 'Lots to mint, main output first', optional: true, maxItems: 200 })
  outputs?: OutputBody[];

  @IntegerField({ description: '0 none, 1 aggregate, 2 disaggregate', optional: true, min: 0, max: 2 })
  containmentMode?: number;

  @JsonObjectField({ checkedByRoute: true, description: 'Stored by content; its `args` holds the other arguments of the method by name' })
  metadata: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}

export class PreparedGenericView extends PreparedCallView {
  @JsonObjectField({ description: '`{ method, args, eventId?, ipfsCid?, dataHash?, processType? }`' })
  metadata: object;
}

export function preparedGenericView({
  method,
  args,
  processType,
  eventId,
  content,
  warnings,
  ...call
}: PreparedTransaction): PreparedGenericView {
  const known = {
    ...(eventId && { eventId }),
    ...(content && { ipfsCid: content.ipfsCid, dataHash: content.dataHash }),
    ...(processType && { processType }),
  };
  return { ...preparedCallView({ ...call, warnings }), metadata: { method, args: plainJson(args), ...known } };
}
