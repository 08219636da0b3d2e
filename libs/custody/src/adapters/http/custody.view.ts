import {
  HintsView,
  IntegerField,
  JsonObjectField,
  NumberedPageView,
  ObjectField,
  ObjectListField,
  PreparedTxView,
  StringField,
  StringListField,
  plainJson,
} from '#http';
import type { PreparedCustody } from '../../application/prepare-custody.js';
import type { Transfer } from '../../domain/transfer.js';

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

/** Specification §2.9, and what is additive. */
export class TransferView {
  @StringField({ description: 'Block time of the acceptance or direct move', format: 'date-time' })
  timestamp: string;

  @StringField({ description: 'EIP-55 address' })
  from: string;

  @StringField({ description: 'EIP-55 address' })
  to: string;

  @StringField({ description: 'Transaction of the acceptance or direct move' })
  txHash: string;

  @StringField({ description: '`<tokenId>-<offerNo>`, or a UUID for a direct move' })
  transferId: string;

  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its code, or the hash of it while the text is unknown', nullable: true })
  tlc: string | null;

  @StringField({ description: '`accepted` or `direct`' })
  status: string;

  @StringField({ description: 'Block time of the offer; null for a direct move', format: 'date-time', nullable: true })
  offeredAt: string | null;

  @StringField({ description: 'Block time of the acceptance or direct move', format: 'date-time' })
  acceptedAt: string;

  @IntegerField({ description: 'The container it moved in', nullable: true })
  viaContainerTokenId: number | null;

  @StringField({ description: 'The event that rode on the acceptance, or else on the offer', nullable: true })
  eventId: string | null;

  @IntegerField({ description: 'Block of the acceptance or direct move' })
  blockNumber: number;
}

export function transferView(transfer: Transfer, tlc: string | null): TransferView {
  const end = transfer.closed!;
  return {
    timestamp: end.at.toISOString(),
    from: end.from,
    to: end.to,
    txHash: end.txHash,
    transferId: transfer.id,
    tokenId: Number(transfer.tokenId),
    tlc,
    status: transfer.status,
    offeredAt: transfer.offered?.at.toISOString() ?? null,
    acceptedAt: end.at.toISOString(),
    viaContainerTokenId: transfer.viaContainerTokenId === null ? null : Number(transfer.viaContainerTokenId),
    eventId: transfer.eventId,
    blockNumber: end.block,
  };
}

export class TransferPageView extends NumberedPageView {
  @ObjectListField(() => TransferView, { description: 'Completed transfers, newest first' })
  data: readonly TransferView[];
}
