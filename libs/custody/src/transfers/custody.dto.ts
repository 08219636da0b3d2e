import {
  EnumField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  StringField,
  StringListField,
  TokenIdField,
  TokenIdListField,
  plainJson,
} from '#http';
import { type Prepared, PreparedCallView, preparedCallView } from '#prepare';
import { PartQuantityBody } from '../part-quantity.dto.js';
import {
  CUSTODY_ACTIONS,
  type CustodyAction,
  type CustodyInput,
  MAX_LOTS,
  SHORT_REASONS,
  type ShortReason,
} from './custody-request.rules.js';
import type { ExaminedCustody } from './prepare-custody.js';

export class HandedOverLot {
  @TokenIdField({ description: 'The lot' })
  tokenId: number | string;

  @ObjectField(() => PartQuantityBody, {
    description:
      'A part of the lot: offered, it becomes a lot of its own with the same code; accepted, the rest becomes one and goes back. All of the lot when absent',
    optional: true,
  })
  quantity?: PartQuantityBody;
}

export class CustodyPrepareBody implements CustodyInput {
  @EnumField(CUSTODY_ACTIONS, { description: 'What to do with the lots; `offer` when absent', optional: true })
  action?: CustodyAction;

  @TokenIdListField({ description: 'The lots; a container moves its contents', optional: true, minItems: 1, maxItems: MAX_LOTS })
  tokenIds?: (number | string)[];

  @TokenIdField({ description: 'One lot, instead of `tokenIds`', optional: true })
  tokenId?: number | string;

  @ObjectListField(() => HandedOverLot, {
    description: 'Lots or parts of them, instead of `tokenIds`; to reject or to cancel concerns lots whole',
    optional: true,
    minItems: 1,
    maxItems: MAX_LOTS,
  })
  lots?: HandedOverLot[];

  @EnumField(Object.keys(SHORT_REASONS), { description: 'Why less is accepted than was offered', optional: true })
  reason?: ShortReason;

  @StringField({ description: 'EIP-55 address of the receiver, for an offer', optional: true })
  to?: string;

  @StringField({ description: 'Process of kind `transfer`: records its event in the same transaction', optional: true, maxLength: 128 })
  processType?: string;

  @JsonObjectField({
    checkedByRoute: true,
    description:
      'Metadata of the event, or a note that is stored and whose hash goes on chain. Of a note, `handedOverAt` (ISO 8601 with an offset) and `location` say when and where the goods changed hands',
    optional: true,
  })
  metadata?: Record<string, unknown>;

  @StringField({ description: 'EIP-55 address that will sign; your wallet when absent', optional: true })
  from?: string;
}

export class PreparedCustodyView extends PreparedCallView {
  @JsonObjectField({ description: '`{ action, method, args, processType? }`: the prepared call' })
  metadata: object;

  @StringListField({ description: 'The transfers that are answered; an offer has none before it has landed', optional: true })
  transferIds?: string[];

  @StringField({ description: 'The event that the call records', optional: true })
  eventId?: string;

  @StringField({ description: 'CID of the stored metadata', optional: true })
  ipfsCid?: string;

  @StringField({ description: 'SHA-256 of the stored metadata, to which the call commits', optional: true })
  dataHash?: string;
}

export function preparedCustodyView({ found, calls, content, event }: Prepared<ExaminedCustody>): PreparedCustodyView {
  const { request, offerNo, warnings } = found;
  const { method, args, ...prepared } = calls[0]!;
  return {
    ...preparedCallView(prepared, warnings),
    metadata: {
      action: request.action,
      method,
      args: plainJson(args),
      ...(request.processType !== null && { processType: request.processType }),
    },
    ...(offerNo !== null && { transferIds: request.tokenIds.map((tokenId) => `${tokenId}-${offerNo}`) }),
    ...(event && { eventId: event.eventId }),
    ...(content && { ipfsCid: content.ipfsCid, dataHash: content.dataHash }),
  };
}
