import {
  EnumField,
  IntegerField,
  JsonListField,
  JsonObjectField,
  NumberField,
  NumberedPageView,
  ObjectListField,
  PageQuery,
  PageView,
  StringField,
  TableQuery,
} from '#http';
import { type PartyLabel, nameless } from '#identity';
import type { Actor } from '#kernel';
import { type PlaceAndDocuments, readsAll } from '#traceability';
import type { CustodyRecord } from './custody-record.js';
import { SHORT_REASONS } from '../transfers/custody-request.rules.js';
import { TRANSFER_STATUSES } from '../transfers/transfer.js';
import type { Direction, TransferContext } from './transfer-lists.queries.js';

const DIRECTIONS = ['in', 'out'] as const;

class TransfersQuery extends TableQuery {
  @EnumField(DIRECTIONS, { description: '`in`: to the organisation, `out`: from it; both when absent', optional: true })
  direction?: Direction;
}

export class OrgTransfersQuery extends TransfersQuery {
  @EnumField([...TRANSFER_STATUSES, 'completed', 'all'], {
    description: '`completed` (default): accepted or direct, the transfers that changed custody',
    optional: true,
  })
  status?: string;
}

export class OffersQuery extends TransfersQuery {}

export class CustodyHistoryQuery extends PageQuery {}

/** docs/spec/service.md#custody-transfer with additional fields. */
export class TransferView {
  @StringField({
    description: 'Block time of the acceptance or direct move; otherwise of the end of the offer, or of the offer',
    format: 'date-time',
  })
  timestamp: string;

  @StringField({ description: 'EIP-55 address' })
  from: string;

  @StringField({ description: 'EIP-55 address' })
  to: string;

  @StringField({ description: 'Transaction at `timestamp`' })
  txHash: string;

  @StringField({ description: '`<tokenId>-<offerNo>`, or a UUID for a direct move' })
  transferId: string;

  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its traceability lot code, or the hash of it while the text is unknown', nullable: true })
  tlc: string | null;

  @StringField({ description: 'Label of `from`' })
  fromLabel: string;

  @StringField({ description: 'Label of `to`' })
  toLabel: string;

  @StringField({ description: 'Key of its product in the process map; null while unknown', nullable: true })
  assetType: string | null;

  @StringField({ description: 'Name of its product', nullable: true })
  assetTypeName: string | null;

  @NumberField({ description: 'What is left of the lot now, in `uom`; null = unmeasured', nullable: true })
  remainingQuantity: number | string | null;

  @StringField({ description: 'UNECE code of the unit', nullable: true })
  uom: string | null;

  @StringField({ description: 'When the lot expires', format: 'date-time', nullable: true })
  expiresAt: string | null;

  @EnumField(TRANSFER_STATUSES, { description: 'State of the transfer' })
  status: string;

  @StringField({ description: 'Block time of the offer; null for a direct move', format: 'date-time', nullable: true })
  offeredAt: string | null;

  @StringField({ description: 'Block time of the acceptance or direct move', format: 'date-time', nullable: true })
  acceptedAt: string | null;

  @StringField({
    description: 'When the goods changed hands, as the note of the acceptance says, otherwise that of the offer',
    format: 'date-time',
    nullable: true,
  })
  handedOverAt: string | null;

  @StringField({ description: 'Of `handedOverAt`, as it was written: `±hh:mm`; null for UTC', nullable: true })
  handedOverTimeZoneOffset: string | null;

  @JsonObjectField({
    description: 'Where they did, as the note says; for its two companies and who reads all of the tenant',
    nullable: true,
  })
  location: object | null;

  @IntegerField({ description: 'The container it moved in', nullable: true })
  viaContainerTokenId: number | null;

  @StringField({ description: 'The event recorded with the acceptance, otherwise with the offer', nullable: true })
  eventId: string | null;

  @EnumField(Object.keys(SHORT_REASONS), {
    description: 'Of a part of an offered lot that the receiver did not take: why; the part is a lot of its own, and the transfer rejected',
    nullable: true,
  })
  reason: string | null;

  @IntegerField({ description: 'Block at `timestamp`' })
  blockNumber: number;
}

const handedOver = ({ handOver }: CustodyRecord): Pick<TransferView, 'handedOverAt' | 'handedOverTimeZoneOffset'> => ({
  handedOverAt: handOver?.at?.toISOString() ?? null,
  handedOverTimeZoneOffset: handOver?.timeZoneOffset ?? null,
});

/** What a note says of a place is for the companies that it is between, like the place of an event. */
function placeFor(actor: Actor, { from, to, handOver }: CustodyRecord): object | null {
  const isOwn = actor.wallets.includes(from) || actor.wallets.includes(to);
  return isOwn || readsAll(actor, null) ? (handOver?.location ?? null) : null;
}

/** Beyond this many digits a number is not exact: then it is text. */
const EXACT_DIGITS = 15;
const amount = (text: string): number | string => (text.replace('.', '').length > EXACT_DIGITS ? text : Number(text));

const lotOf = ({ tlc, assetType, assetTypeName, remaining, uom, expiresAt }: TransferContext) => ({
  ...{ tlc, assetType, assetTypeName, uom },
  remainingQuantity: remaining === null ? null : amount(remaining),
  expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
});

export const transferView = (record: CustodyRecord, context: TransferContext, actor: Actor): TransferView => ({
  timestamp: record.timestamp.toISOString(),
  from: record.from,
  to: record.to,
  txHash: record.lastTxHash,
  transferId: record.transferId!,
  tokenId: Number(record.tokenId),
  ...lotOf(context),
  fromLabel: context.fromLabel ?? nameless(record.from).label,
  toLabel: context.toLabel ?? nameless(record.to).label,
  status: record.status,
  offeredAt: record.offeredAt?.toISOString() ?? null,
  acceptedAt: record.acceptedAt?.toISOString() ?? null,
  ...handedOver(record),
  location: placeFor(actor, record),
  viaContainerTokenId: record.viaContainerTokenId === null ? null : Number(record.viaContainerTokenId),
  eventId: record.eventId,
  reason: record.reason,
  blockNumber: record.blockNumber,
});

export class TransferPageView extends PageView {
  @ObjectListField(() => TransferView, { description: 'Transfers, newest first' })
  data: readonly TransferView[];
}

/** docs/spec/domain.md#custody. */
export class CustodyRecordView {
  @StringField({ description: '`<tokenId>-<offerNo>`, or a UUID for a direct move; null for the mint', nullable: true })
  transferId: string | null;

  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its traceability lot code, or the hash of it while the text is unknown' })
  tlc: string;

  @EnumField(['mint', ...TRANSFER_STATUSES], { description: '`mint` is the first entry of the history' })
  status: string;

  @StringField({ description: 'EIP-55 address; the zero address for the mint' })
  from: string;

  @StringField({ description: 'EIP-55 address' })
  to: string;

  @StringField({ description: 'Label of `from`; null for the mint', nullable: true })
  fromLabel: string | null;

  @StringField({ description: 'Label of `to`' })
  toLabel: string;

  @StringField({ description: 'Block time of the offer', format: 'date-time', nullable: true })
  offeredAt: string | null;

  @StringField({ description: 'Block time of the acceptance, direct move or mint', format: 'date-time', nullable: true })
  acceptedAt: string | null;

  @StringField({ description: 'Block time of the rejection or cancellation', format: 'date-time', nullable: true })
  closedAt: string | null;

  @StringField({ description: 'Block time of the acceptance; otherwise of the end of the offer, or of the offer', format: 'date-time' })
  timestamp: string;

  @StringField({
    description: 'When the goods changed hands, as the note of the acceptance says, otherwise that of the offer',
    format: 'date-time',
    nullable: true,
  })
  handedOverAt: string | null;

  @StringField({ description: 'Of `handedOverAt`, as it was written: `±hh:mm`; null for UTC', nullable: true })
  handedOverTimeZoneOffset: string | null;

  @IntegerField({ description: 'From the offer to its end; null while it is open', nullable: true })
  durationSeconds: number | null;

  @IntegerField({ description: 'The container it moved in', nullable: true })
  viaContainerTokenId: number | null;

  @JsonObjectField({
    description: 'Where the goods changed hands, as the note says, otherwise where the attached event happened; if the caller may read it',
    nullable: true,
  })
  location: object | null;

  @JsonListField({ items: { type: 'object' }, description: 'Documents of the attached event, if the caller may read them' })
  documents: readonly object[];

  @StringField({
    description: 'The event recorded with the acceptance, otherwise with the offer; for the mint, the event that created the lot',
    nullable: true,
  })
  eventId: string | null;

  @StringField({ description: 'Transaction of the offer, direct move or mint' })
  txHash: string;

  @StringField({ description: 'Transaction of the acceptance', nullable: true })
  acceptTxHash: string | null;

  @EnumField(Object.keys(SHORT_REASONS), {
    description: 'Of a part of an offered lot that the receiver did not take: why; the part is a lot of its own, and the transfer rejected',
    nullable: true,
  })
  reason: string | null;

  @IntegerField({ description: 'Block at `timestamp`' })
  blockNumber: number;
}

export function custodyRecordView(
  record: CustodyRecord,
  known: {
    readonly tlc: string;
    readonly actor: Actor;
    readonly labels: ReadonlyMap<string, PartyLabel>;
    readonly papers: ReadonlyMap<string, PlaceAndDocuments>;
  },
): CustodyRecordView {
  const papers = record.eventId === null ? undefined : known.papers.get(record.eventId);
  return {
    transferId: record.transferId,
    tokenId: Number(record.tokenId),
    tlc: known.tlc,
    status: record.status,
    from: record.from,
    to: record.to,
    fromLabel: record.status === 'mint' ? null : known.labels.get(record.from)!.label,
    toLabel: known.labels.get(record.to)!.label,
    offeredAt: record.offeredAt?.toISOString() ?? null,
    acceptedAt: record.acceptedAt?.toISOString() ?? null,
    closedAt: record.closedAt?.toISOString() ?? null,
    timestamp: record.timestamp.toISOString(),
    ...handedOver(record),
    durationSeconds: record.durationSeconds,
    viaContainerTokenId: record.viaContainerTokenId === null ? null : Number(record.viaContainerTokenId),
    location: placeFor(known.actor, record) ?? papers?.location ?? null,
    documents: papers?.documents ?? [],
    eventId: record.eventId,
    reason: record.reason,
    txHash: record.txHash,
    acceptTxHash: record.acceptTxHash,
    blockNumber: record.blockNumber,
  };
}

export class CustodyHistoryView extends NumberedPageView {
  @ObjectListField(() => CustodyRecordView, { description: 'Oldest first, starting with the mint' })
  data: readonly CustodyRecordView[];
}
