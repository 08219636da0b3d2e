import { EnumField, JsonObjectField, StringField, TokenIdField, TokenIdListField } from '#http';
import { CUSTODY_ACTIONS, type CustodyAction, type CustodyInput, MAX_LOTS } from '../../domain/custody-order.js';

export class CustodyPrepareBody implements CustodyInput {
  @EnumField(CUSTODY_ACTIONS, { description: 'What to do with the lots; `offer` when absent', optional: true })
  action?: CustodyAction;

  @TokenIdListField({ description: 'The lots; a container moves its contents', optional: true, minItems: 1, maxItems: MAX_LOTS })
  tokenIds?: (number | string)[];

  @TokenIdField({ description: 'One lot, in the place of `tokenIds`', optional: true })
  tokenId?: number | string;

  @StringField({ description: 'EIP-55 address of the receiver, for an offer', optional: true })
  to?: string;

  @StringField({ description: 'Process of kind `transfer`: records its event in the same transaction', optional: true, maxLength: 128 })
  processType?: string;

  @JsonObjectField({ description: 'Metadata of the event, or a note that is stored and whose hash goes on chain', optional: true })
  metadata?: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}
