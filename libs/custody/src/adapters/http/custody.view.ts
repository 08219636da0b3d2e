import { HintsView, JsonObjectField, ObjectField, PreparedTxView, StringField, StringListField, plainJson } from '#http';
import type { PreparedCustody } from '../../application/prepare-custody.js';

export class PreparedCustodyView {
  @ObjectField(() => PreparedTxView, { description: 'The unsigned transaction' })
  preparedTx: PreparedTxView;

  @JsonObjectField({ description: '`{ action, method, args, processType? }`: the call that was prepared' })
  metadata: object;

  @ObjectField(() => HintsView, { description: 'Advice for the sender' })
  hints: HintsView;

  @StringListField({ description: 'The transfers that are answered; an offer has none before it has landed', optional: true })
  transferIds?: string[];

  @StringField({ description: 'The event that rides on the call', optional: true })
  eventId?: string;

  @StringField({ description: 'Where the stored metadata lies', optional: true })
  ipfsCid?: string;

  @StringListField({ description: 'What to look at before signing' })
  warnings: string[];
}

export function preparedCustodyView(prepared: PreparedCustody): PreparedCustodyView {
  const { order, call, offerNo, eventId, ipfsCid } = prepared;
  return {
    preparedTx: prepared.preparedTx,
    metadata: {
      action: order.action,
      method: call.method,
      args: plainJson(call.args),
      ...(order.processType !== null && { processType: order.processType }),
    },
    hints: prepared.hints,
    ...(offerNo !== null && { transferIds: order.tokenIds.map((tokenId) => `${tokenId}-${offerNo}`) }),
    ...(eventId !== null && { eventId }),
    ...(ipfsCid !== null && { ipfsCid }),
    warnings: [...prepared.warnings],
  };
}
