import { BooleanField, EnumField, IntegerField, JsonObjectField, NumberField, ObjectListField, PageView, StringField } from '#http';
import type { PartyLabel } from '#identity';
import type { Actor } from '#kernel';
import { type EventPapers, LOT_STATUSES } from '../../contract.js';
import { digitalLink } from '../../domain/lot.js';
import { decimal } from '../../domain/projection-event.js';
import { publicPart, readsAll } from '../../domain/projection-visibility.js';
import type { ShownLot } from '../persistence/lot-reads.js';
import { processKey } from '../persistence/map-words.js';

/** Specification §2.10, and below it what is additive (domain-decisions §2.1). */
export class LotView {
  @StringField({ description: 'UUID derived from chain, contract and token id', format: 'uuid' })
  id: string;

  @IntegerField({ description: 'Id of the lot on chain' })
  tokenId: number;

  @StringField({ description: "The tenant's slug" })
  tenantId: string;

  @StringField({ description: 'Traceability lot code; its keccak256 hash while the text is unknown (`resolved` false)' })
  tlc: string;

  @StringField({ description: 'Key in the process map; null while unknown', nullable: true })
  assetType: string | null;

  @StringField({ description: "The asset type's name", nullable: true })
  assetTypeName: string | null;

  @StringField({ description: 'The process map that it was made by', nullable: true })
  processMapName: string | null;

  @EnumField(LOT_STATUSES, {
    description: 'The first that holds of: retired, recalled, consumed, in_transit, aggregated, on_hold, expired, active',
  })
  status: string;

  @StringField({ description: 'EIP-55 address; of a contained lot its outermost container’s custodian' })
  custodian: string;

  @StringField({ description: 'Who is behind the address, or the address shortened' })
  custodianLabel: string;

  @EnumField(['organization', 'facility', 'user', 'partner', 'contract', 'address'], { description: 'What kind of label it is' })
  custodianLabelKind: string;

  @StringField({ description: 'CID of the mint event’s stored content' })
  metadataCid: string;

  @JsonObjectField({ description: 'The mint event’s metadata, as far as the caller may read it', nullable: true })
  metadata: object | null;

  @StringField({ description: 'Transaction of the mint' })
  txHash: string;

  @IntegerField({ description: 'Block of the mint' })
  blockNumber: number;

  @StringField({ description: 'sha2-256 of the mint event’s stored content, as it stands on chain' })
  dataHash: string;

  @StringField({ description: 'When it expires', format: 'date-time', nullable: true })
  expiresAt: string | null;

  @StringField({ description: 'EIP-55 address it is offered to', nullable: true })
  pendingCustodian: string | null;

  @StringField({ description: 'The event that made it', format: 'uuid' })
  mintEventId: string;

  @IntegerField({ description: 'Landed events that name it, voided ones included' })
  eventCount: number;

  @StringField({ description: 'Block time of the mint', format: 'date-time' })
  createdAt: string;

  @NumberField({ description: 'What was made, in `uom`; a decimal string beyond 2^53 millionths; null = unmeasured', nullable: true })
  quantity: number | string | null;

  @NumberField({ description: 'What is left, or what was there when it was retired', nullable: true })
  remainingQuantity: number | string | null;

  @StringField({ description: 'UNECE Recommendation 20 or 21 code', nullable: true })
  uom: string | null;

  @StringField({ description: 'GTIN of its asset type', nullable: true })
  gtin: string | null;

  @StringField({ description: 'GS1 Digital Link; null without a GTIN', nullable: true })
  digitalLink: string | null;

  @IntegerField({ description: 'The container it is in', nullable: true })
  containerTokenId: number | null;

  @StringField({ description: 'Version of the process map', nullable: true })
  processMapVersion: string | null;

  @JsonObjectField({ description: 'Where its latest event by eventTime happened, as far as the caller may read it', nullable: true })
  location: object | null;

  @BooleanField({ description: 'Recalled itself' })
  recalled: boolean;

  @BooleanField({ description: 'Made from something recalled, or packed in a recalled container' })
  recallAffected: boolean;

  @BooleanField({ description: 'A container around something that was recalled inside it' })
  holdsRecalled: boolean;

  @BooleanField({ description: 'Stopped by a recall or by quality' })
  onHold: boolean;

  @BooleanField({ description: 'Past its `expiresAt`' })
  expired: boolean;

  @BooleanField({ description: 'In a container' })
  contained: boolean;

  @BooleanField({ description: 'A container itself' })
  isContainer: boolean;

  @StringField({ description: 'sold, disposed, destroyed, lost, sampled, voided, exported, unpacked or migrated', nullable: true })
  retireReason: string | null;

  @BooleanField({ description: 'Whether the text behind its hashes is known' })
  resolved: boolean;

  @BooleanField({ description: 'Whether what is shown is final on chain' })
  confirmed: boolean;
}

export class LotPageView extends PageView {
  @ObjectListField(() => LotView, { description: 'Newest first' })
  data: readonly LotView[];
}

/** What is asked once for all lots of an answer. */
export interface LotSurroundings {
  readonly actor: Actor;
  readonly labels: ReadonlyMap<string, PartyLabel>;
  /** By `processKey`. */
  readonly publicPointers: ReadonlyMap<string, readonly string[]>;
  /** Of the events that say where lots are. */
  readonly places: ReadonlyMap<string, EventPapers>;
  readonly finalBlock: number;
}

export function lotView(lot: ShownLot, { actor, labels, publicPointers, places, finalBlock }: LotSurroundings): LotView {
  const label = labels.get(lot.custodian)!;
  const live = lot.retiredAt === null;
  return {
    id: lot.id,
    tokenId: Number(lot.tokenId),
    tenantId: actor.tenantSlug,
    tlc: lot.tlc,
    assetType: lot.assetType,
    assetTypeName: lot.assetTypeName,
    processMapName: lot.processMapName,
    status: lot.status,
    custodian: lot.custodian,
    custodianLabel: label.label,
    custodianLabelKind: label.kind,
    metadataCid: lot.metadataCid,
    metadata: shownMetadata(lot, actor, publicPointers),
    txHash: lot.mintTx,
    blockNumber: lot.mintBlock,
    dataHash: lot.dataHash,
    expiresAt: lot.expiresAt?.toISOString() ?? null,
    pendingCustodian: lot.pendingCustodian,
    mintEventId: lot.mintEventId,
    eventCount: lot.eventCount,
    createdAt: lot.mintedAt.toISOString(),
    quantity: lot.quantity === null ? null : decimal(lot.quantity),
    remainingQuantity: lot.remaining === null ? null : decimal(lot.remaining),
    uom: lot.uom,
    gtin: lot.gtin,
    digitalLink: digitalLink(lot.gtin, lot.resolved ? lot.tlc : null),
    containerTokenId: live && lot.containerTokenId !== null ? Number(lot.containerTokenId) : null,
    processMapVersion: lot.processMapVersion,
    location: (lot.locatedBy !== null && places.get(lot.locatedBy)?.location) || null,
    recalled: lot.recalledAt !== null,
    recallAffected: lot.recallAffected,
    holdsRecalled: lot.holdsRecalled,
    onHold: lot.onHold,
    expired: lot.expired,
    contained: live && lot.containerTokenId !== null,
    isContainer: lot.depth > 0,
    retireReason: lot.retireReason,
    resolved: lot.resolved,
    confirmed: lot.fromBlock <= finalBlock,
  };
}

function shownMetadata(lot: ShownLot, actor: Actor, publicPointers: LotSurroundings['publicPointers']): object | null {
  if (lot.metadata === null || readsAll(actor, lot.mintedByOrg)) return lot.metadata;
  return publicPart(lot.metadata, publicPointers.get(processKey(lot.process)) ?? []);
}
