import {
  CursorField,
  BooleanField,
  EnumField,
  PageQuery,
  StringField,
  TokenIdField,
  IntegerField,
  JsonListField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PageView,
  StringListField,
} from '#http';
import { EVENT_STATUSES, EVENT_CONTENT_STATES, FAILURE_REASONS } from './event-record.js';
import { PROCESS_KINDS } from '../process-maps/process-map.js';
import { EventActorView, EventRelayView } from './event-actor.dto.js';
import { NamedLotView } from './named-lot.dto.js';
import { ApiProperty } from '@nestjs/swagger';

const FORMAT = {
  description:
    '`json` (default); `epcis`: an EPCISDocument, also by `Accept: application/ld+json`; `csv`, `xlsx` or `ndjson`: a table, with the columns of the import template where `processType` is given',
  optional: true,
  maxLength: 20,
} as const;

/** In which format one event is answered. */
export class OneQuery {
  @StringField(FORMAT)
  format?: string;
}

/** How a list of events is answered: page by page, and in which format. */
export class FormatQuery extends PageQuery {
  @CursorField()
  cursor?: string;

  @StringField(FORMAT)
  format?: string;

  @BooleanField({ description: 'Every event in one answer, written as fast as it is read; not as `json`', optional: true })
  all?: boolean;
}

export class TreeQuery extends FormatQuery {
  @BooleanField({ description: 'Events of everything the lot was made from, and of everything that became of it', optional: true })
  tree?: boolean;
}

/** docs/spec/domain.md#event-record */
export class EventsQuery extends FormatQuery {
  @StringField({ description: 'Key in the process map', optional: true, maxLength: 200 })
  processType?: string;

  @EnumField(PROCESS_KINDS, { description: 'Kind of process', optional: true })
  kind?: string;

  @EnumField(['landed', ...EVENT_STATUSES, 'all'], { description: '`landed` (default): recorded, voided or superseded', optional: true })
  status?: string;

  @TokenIdField({ description: 'A lot that it names, as input or output', optional: true })
  tokenId?: string;

  @StringField({ description: 'The code of such a lot, or its IRI', optional: true, minLength: 1, maxLength: 500 })
  tlc?: string;

  @StringField({ description: 'Organisation that recorded it', optional: true, maxLength: 100 })
  orgId?: string;

  @StringField({ description: 'eventTime from here on: ISO 8601 with an offset, or a date (UTC)', optional: true, maxLength: 40 })
  from?: string;

  @StringField({ description: 'eventTime before this, in the same form', optional: true, maxLength: 40 })
  to?: string;
}

const QuantityField = (description: string): PropertyDecorator =>
  ApiProperty({ description, oneOf: [{ type: 'number' }, { type: 'string' }], nullable: true });

class EventInputView extends NamedLotView {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its code', nullable: true })
  tlc: string | null;

  @StringField({ description: 'Its asset type', nullable: true })
  assetType: string | null;

  @QuantityField('Number, or decimal string beyond 2^53 millionths: what the event took; null = nothing, or all of an unmeasured lot')
  quantity: number | string | null;

  @StringField({ description: 'Unit of the quantity', nullable: true })
  uom: string | null;

  @StringField({ description: 'What the event did to the lot', nullable: true })
  consumption: string | null;
}

class EventOutputView extends NamedLotView {
  @IntegerField({ description: 'The lot; null before it has landed', nullable: true })
  tokenId: number | null;

  @StringField({ description: 'Its code, or the hash of its key while the text is unknown', nullable: true })
  tlc: string | null;

  @StringField({ description: 'Its asset type', nullable: true })
  assetType: string | null;

  @EnumField(['main', 'co_product'], { description: 'Main output or co-product', nullable: true })
  role: string | null;

  @QuantityField('Number, or decimal string beyond 2^53 millionths; null = unmeasured')
  quantity: number | string | null;

  @StringField({ description: 'Unit of the quantity', nullable: true })
  uom: string | null;

  @StringField({ description: 'EIP-55 address that it was minted to', nullable: true })
  custodian: string | null;

  @StringField({ description: 'When it expires', format: 'date-time', nullable: true })
  expiresAt: string | null;
}

/** docs/spec/domain.md#event-record. Three clocks: eventTime is when it happened, recordTime when we stored it, landedAt the block's. */
export class EventView {
  @StringField({ description: 'UUID; on chain the first 16 bytes of the event id', format: 'uuid' })
  id: string;

  @StringField({ description: "The tenant's slug" })
  tenantId: string;

  @StringField({ description: 'Key in the process map; null while unknown', nullable: true })
  processType: string | null;

  @StringField({ description: 'keccak256 of the process type' })
  processId: string;

  @StringField({ description: "The process's label", nullable: true })
  processLabel: string | null;

  @StringField({ description: 'Name of the process map', nullable: true })
  processMapName: string | null;

  @StringField({ description: 'Its version', nullable: true })
  processMapVersion: string | null;

  @EnumField(PROCESS_KINDS, { description: 'Kind of process', nullable: true })
  kind: string | null;

  @IntegerField({ description: '0 none, 1 packed, 2 broken up' })
  containmentMode: number;

  @EnumField(EVENT_STATUSES, { description: 'Its status' })
  status: string;

  @EnumField(FAILURE_REASONS, {
    description: 'Why it is `failed`: another event landed with one of its codes, or its own transaction failed',
    nullable: true,
  })
  failureReason: string | null;

  @StringField({ description: 'When it happened', format: 'date-time', nullable: true })
  eventTime: string | null;

  @StringField({ description: 'Offset at its place', nullable: true })
  eventTimeZoneOffset: string | null;

  @StringField({ description: 'When it was stored', format: 'date-time' })
  recordTime: string;

  @StringField({ description: 'Time of its block', format: 'date-time', nullable: true })
  landedAt: string | null;

  @BooleanField({ description: 'Stored later after it happened than the process map allows' })
  late: boolean;

  @ObjectField(() => EventActorView, { description: 'Who recorded it' })
  actor: EventActorView;

  @JsonListField({ items: { type: 'integer' }, description: 'Token ids of the inputs' })
  inputTokenIds: number[];

  @ObjectListField(() => EventInputView, { description: 'The inputs' })
  inputs: EventInputView[];

  @StringField({ description: 'Code of the main output', nullable: true })
  outputTlc: string | null;

  @StringField({ description: 'EIP-55 address that the main output was minted to', nullable: true })
  outputCustodian: string | null;

  @JsonListField({ items: { type: 'integer' }, description: 'Token ids of the outputs' })
  outputTokenIds: number[];

  @ObjectListField(() => EventOutputView, { description: 'The outputs, main one first' })
  outputs: EventOutputView[];

  @JsonObjectField({ description: 'Where it happened, as far as the caller may read it', nullable: true })
  location: object | null;

  @JsonObjectField({ description: 'As far as the caller may read it; null while unknown', nullable: true })
  metadata: object | null;

  @StringField({ description: 'CID of the stored content', nullable: true })
  ipfsCid: string | null;

  @StringField({ description: 'sha2-256 of the stored content', nullable: true })
  dataHash: string | null;

  @JsonListField({ items: { type: 'object' }, description: 'Documents, as far as the caller may read them' })
  documents: object[];

  @JsonObjectField({
    description: '`{ required, present, ratio, missing[] }`; null for an event that was sent to the contract directly',
    nullable: true,
  })
  kde: object | null;

  @JsonObjectField({
    description:
      'Yield and mass balance of a landed event that made goods, in kg: `{ inputKg, mainOutputKg, coProductKg, declaredLossKg, gapKg, gapRatio, yield, materialYield, expectedYield, tolerance, yieldOutside, balanceOutside, unmeasured }`; null where a quantity has no mass; only for callers who may read the whole event',
    nullable: true,
  })
  mass: object | null;

  @StringListField({ description: 'Warnings of its validation' })
  warnings: string[];

  @StringField({ description: 'Transaction', nullable: true })
  txHash: string | null;

  @IntegerField({ description: 'Block', nullable: true })
  blockNumber: number | null;

  @IntegerField({ description: 'Position in the block', nullable: true })
  logIndex: number | null;

  @IntegerField({ description: 'EIP-155 chain id' })
  chainId: number;

  @StringField({ description: 'Contract where it landed', nullable: true })
  contractAddress: string | null;

  @JsonObjectField({
    description:
      '`{ declarationTime, reason, correctiveEventIDs, actor, dataHash, senderMismatch, preparedSender }` of a voided or superseded event; `senderMismatch`: another wallet signed than the declaration was prepared for, and `preparedSender` is that one',
    nullable: true,
  })
  errorDeclaration: object | null;

  @StringField({ description: 'The event that this one corrects', nullable: true })
  supersedes: string | null;

  @StringField({ description: 'The event that corrects this one', nullable: true })
  supersededBy: string | null;

  @StringField({ description: 'When the row was created', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'When it changed last', format: 'date-time' })
  updatedAt: string;

  @BooleanField({ description: 'Another call landed than the one that was prepared: the values are those of the chain' })
  calldataMismatch: boolean;

  @BooleanField({ description: 'Another wallet signed than the one it was prepared for: the event counts for who signed' })
  senderMismatch: boolean;

  @StringField({ description: 'Of a sender mismatch: the EIP-55 address it was prepared for', nullable: true })
  preparedSender: string | null;

  @ObjectField(() => EventRelayView, { description: 'Who signed and who paid, of an event that was relayed here', nullable: true })
  relay: EventRelayView | null;

  @BooleanField({ description: 'Whether the content of its data hash is known' })
  resolved: boolean;

  @EnumField(EVENT_CONTENT_STATES, {
    description:
      'What is known of its content, for good: `open`; `erased`: values were erased; `sealed_elsewhere`: its keys are not here; `key_lost`: they cannot be read; `content_invalid`: it is not what the event may refer to; `downgraded`: it is of version 1, after the tenant sealed its first one. null while it is not known',
    nullable: true,
  })
  contentState: string | null;

  @StringListField({ description: 'Pointers (RFC 6901) into its content whose values were erased: they are null here' })
  erased: string[];

  @BooleanField({ description: 'Whether it is final on chain' })
  confirmed: boolean;
}

export class EventPageView extends PageView {
  @ObjectListField(() => EventView, { description: 'By eventTime, newest first, then id' })
  data: readonly EventView[];
}
