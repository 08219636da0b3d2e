import {
  CursorField,
  EnumField,
  IntegerField,
  JsonObjectField,
  NumberField,
  ObjectListField,
  PageQuery,
  StringField,
  TokenIdListField,
} from '#http';
import type { GenericInput } from '../../domain/call-arguments.js';
import { TRACKED_STATUSES } from '../../domain/tracked-transaction.js';

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

export const TX_HASH = /^0x[0-9a-fA-F]{64}$/;

export class TrackBody {
  @StringField({ description: 'Hash of a transaction that was sent to the chain', pattern: TX_HASH })
  txHash: string;

  @StringField({ description: 'Your own category; `custom` when absent', optional: true, minLength: 1, maxLength: 64 })
  type?: string;
}

export class TrackedListQuery extends PageQuery {
  @EnumField(TRACKED_STATUSES, { description: 'Only those in this state', optional: true })
  status?: string;

  @StringField({ description: 'Only those of this category of yours', optional: true, minLength: 1, maxLength: 64 })
  type?: string;

  @StringField({ description: 'submittedAt from here on: ISO 8601 with an offset, or a date (UTC)', optional: true, maxLength: 40 })
  from?: string;

  @StringField({ description: 'submittedAt before this, in the same form', optional: true, maxLength: 40 })
  to?: string;

  @CursorField()
  cursor?: string;
}
