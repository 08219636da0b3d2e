import { IntegerField, JsonObjectField, NumberField, ObjectListField, StringField, TokenIdListField } from '#http';
import type { GenericInput } from '../../domain/call-arguments.js';

/** An item of `outputs[]` (api-decisions §3). A token id is assigned when the transaction lands: it is no field of this. */
export class OutputBody {
  @StringField({ description: 'Traceability lot code', minLength: 1, maxLength: 64 })
  tlc: string;

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

  @JsonObjectField({ description: 'Stored by content; `args` in it holds the further arguments of the method by name' })
  metadata: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}

export class TrackBody {
  @StringField({ description: 'Hash of a transaction that was sent to the chain', pattern: /^0x[0-9a-fA-F]{64}$/ })
  txHash: string;

  @StringField({ description: 'Your own category; `custom` when absent', optional: true, minLength: 1, maxLength: 64 })
  type?: string;
}
