import { BooleanField, EnumField, IntegerField, JsonObjectField, NumberField, ObjectListField, PageView, StringField } from '#http';
import { nameless } from '#identity';
import { type Actor, digitalLinkOf, mapYielding } from '#kernel';
import { LOT_STATUSES } from '../contract/lots.js';
import { decimal } from './lot.js';
import { publicPart, readablePart, readsAll } from '../process-maps/visibility.js';
import type { LotPlace, ResponseFacts } from './lot-list.queries.js';
import { processKey, publicPointersOf } from '../process-maps/process-maps.queries.js';
import type { ChainPosition } from '#chain';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';

/** docs/spec/service.md#lot, and below it the additive fields (docs/spec/domain.md#lot-status). */
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

  @StringField({ description: 'Name of the party with this address, or the address shortened' })
  custodianLabel: string;

  @EnumField(['organization', 'facility', 'user', 'partner', 'contract', 'address'], { description: 'What kind of label it is' })
  custodianLabelKind: string;

  @StringField({ description: 'CID of the mint event’s stored content' })
  metadataCid: string;

  @JsonObjectField({ description: 'The mint event’s metadata, as far as the caller may read it', nullable: true })
  metadata: object | null;

  @StringField({ description: 'Transaction of the mint; of a part, of the split' })
  txHash: string;

  @IntegerField({ description: 'Block of the mint' })
  blockNumber: number;

  @StringField({ description: 'sha2-256 of the mint event’s stored content, as recorded on chain' })
  dataHash: string;

  @StringField({ description: 'When it expires', format: 'date-time', nullable: true })
  expiresAt: string | null;

  @StringField({ description: 'EIP-55 address it is offered to', nullable: true })
  pendingCustodian: string | null;

  @StringField({ description: 'The event that made it, or the lot that it is a part of', format: 'uuid' })
  mintEventId: string;

  @IntegerField({ description: 'Landed events that name it, voided ones included' })
  eventCount: number;

  @StringField({ description: 'Block time of the mint; of a part, of the lot that it was split from', format: 'date-time' })
  createdAt: string;

  @NumberField({
    description: 'What was made, or split off, in `uom`; a decimal string beyond 2^53 millionths; null = unmeasured',
    nullable: true,
  })
  quantity: number | string | null;

  @NumberField({ description: 'What is left, or what was there when it was retired', nullable: true })
  remainingQuantity: number | string | null;

  @StringField({ description: 'UNECE Recommendation 20 or 21 code', nullable: true })
  uom: string | null;

  @StringField({ description: 'GTIN, 14 digits: the one that its event states, else that of its asset type', nullable: true })
  gtin: string | null;

  @StringField({ description: 'Serial number of a single item', nullable: true })
  serial: string | null;

  @StringField({ description: 'Its identity: a GS1 Digital Link (GTIN and lot, GTIN and serial, SSCC), or a code of your own' })
  key: string;

  @StringField({ description: 'GS1 Digital Link; null for a code of your own', nullable: true })
  digitalLink: string | null;

  @IntegerField({ description: 'Of a part: the lot that it was split from; both have one code', nullable: true })
  splitFrom: number | null;

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

  @BooleanField({ description: 'Stopped by a recall or by quality control' })
  onHold: boolean;

  @BooleanField({ description: 'Past its `expiresAt`' })
  expired: boolean;

  @BooleanField({ description: 'In a container' })
  contained: boolean;

  @BooleanField({ description: 'A container itself' })
  isContainer: boolean;

  @StringField({ description: 'sold, disposed, destroyed, lost, sampled, voided, exported, unpacked or migrated', nullable: true })
  retireReason: string | null;

  @BooleanField({ description: 'Whether the texts of its hashes are known' })
  resolved: boolean;

  @BooleanField({ description: 'Whether what is shown is final on chain' })
  confirmed: boolean;
}

export class LotPageView extends PageView {
  @ObjectListField(() => LotView, { description: 'Newest first' })
  data: readonly LotView[];
}

/** What all lots of an answer have in common. */
export interface ResponseContext {
  readonly actor: Actor;
  /** By `processKey`. */
  readonly publicPointers: ReadonlyMap<string, readonly string[]>;
  readonly finalBlock: number;
}

/** The response of a lot: every answer that shows lots is made from it. One literal: objects that are put together cost ten times as much. */
export const lotView = (lot: ResponseFacts, { actor, publicPointers, finalBlock }: ResponseContext): LotView => ({
  id: lot.id,
  tokenId: Number(lot.tokenId),
  tenantId: actor.tenantSlug,
  tlc: lot.tlc,
  assetType: lot.assetType,
  assetTypeName: lot.assetTypeName,
  processMapName: lot.processMapName,
  status: lot.status,
  custodian: lot.custodian,
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
  splitFrom: lot.splitFrom === null ? null : Number(lot.splitFrom),
  containerTokenId: isContained(lot) ? Number(lot.containerTokenId) : null,
  processMapVersion: lot.processMapVersion,
  location: lot.place && shownPlace(lot.place, actor, publicPointers),
  recalled: lot.recalledAt !== null,
  recallAffected: lot.recallAffected,
  holdsRecalled: lot.holdsRecalled,
  onHold: lot.onHold,
  expired: lot.expired,
  contained: isContained(lot),
  isContainer: lot.depth > 0,
  retireReason: lot.retireReason,
  resolved: lot.resolved,
  confirmed: lot.fromBlock <= finalBlock,
  ...namesOf(lot),
});

type NamesView = Pick<LotView, 'custodianLabel' | 'custodianLabelKind' | 'serial' | 'key' | 'digitalLink'>;

/** Of its holder and of itself. */
function namesOf({ party, custodian, serial, key }: ResponseFacts): NamesView {
  const { label, kind } = party ?? nameless(custodian);
  return { custodianLabel: label, custodianLabelKind: kind, serial, key, digitalLink: digitalLinkOf(key) };
}

function shownPlace(place: LotPlace, actor: Actor, publicPointers: ResponseContext['publicPointers']): object | null {
  const event = { orgId: place.orgId, location: place.location, metadata: { location: place.stated }, documents: [] };
  return readablePart(actor, event, publicPointers.get(processKey(place.process)) ?? []).location;
}

/** A lot that was retired inside its container keeps the container, but is not shown in it. */
const isContained = (lot: ResponseFacts): boolean => lot.retiredAt === null && lot.containerTokenId !== null;

function shownMetadata(lot: ResponseFacts, actor: Actor, publicPointers: ResponseContext['publicPointers']): object | null {
  if (lot.metadata === null || readsAll(actor, lot.mintedByOrg)) return lot.metadata;
  return publicPart(lot.metadata, publicPointers.get(processKey(lot.process)) ?? []);
}

/** Makes the responses of lots for one reader, when their transaction has ended. */
@Injectable()
export class LotResponses {
  constructor(private readonly work: UnitOfWork) {}

  async of(actor: Actor, lots: readonly ResponseFacts[], { final }: Pick<ChainPosition, 'final'>): Promise<LotView[]> {
    const processes = lots.flatMap(({ process, place }) => (place ? [process, place.process] : [process]));
    const context = { actor, publicPointers: await publicPointersOf(this.work, actor, processes), finalBlock: final };
    return mapYielding(lots, (lot) => lotView(lot, context));
  }
}
