import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PageQuery,
  StringField,
  TokenIdField,
  tokenId,
} from '#http';
import type { PartyLabel } from '#identity';
import { fromMicro } from '#kernel';
import {
  ACKNOWLEDGED_STATES,
  type AcknowledgedState,
  type LotAnswer,
  type LotState,
  countsOf,
  heldOf,
  holdersOf,
  isShort,
} from './acknowledgement.js';

class AcknowledgedQuantity {
  @StringField({ description: 'Decimal text, at most six places', pattern: /^\d{1,10}(\.\d{1,6})?$/ })
  value: string;

  @StringField({ description: 'UNECE code of the unit', maxLength: 10 })
  uom: string;
}

class AcknowledgedLot {
  @TokenIdField({ description: 'The lot' })
  tokenId: number | string;

  @EnumField(ACKNOWLEDGED_STATES, { description: 'What was done with it' })
  state: AcknowledgedState;

  @ObjectField(() => AcknowledgedQuantity, { description: 'How much of it; the whole lot without it', optional: true })
  quantity?: AcknowledgedQuantity;
}

export class AcknowledgeRecallBody {
  @ObjectListField(() => AcknowledgedLot, { description: 'Lots that you hold', minItems: 1, maxItems: 1_000 })
  lots: readonly AcknowledgedLot[];
}

export const answersOf = ({ lots }: AcknowledgeRecallBody): readonly LotAnswer[] =>
  lots.map((lot, i) => ({ tokenId: tokenId(lot.tokenId, `/lots/${i}/tokenId`), state: lot.state, quantity: lot.quantity ?? null }));

export class AcknowledgementsQuery extends PageQuery {}

class LotAcknowledgementView {
  @IntegerField({ description: 'The lot' }) tokenId: number;
  @StringField({ description: 'Its traceability lot code' }) tlc: string;
  @StringField({ description: 'EIP-55 address of its custodian' }) custodian: string;
  @EnumField(ACKNOWLEDGED_STATES, { description: 'What its custodian did with it; null: no answer yet', nullable: true })
  state: AcknowledgedState | null;
  @JsonObjectField({ description: '`{ value, uom }`; null: the whole lot', nullable: true }) quantity: object | null;
  @JsonObjectField({ description: '`{ value, uom }`: how much there is of it; null: not measured, or no longer held', nullable: true })
  held: object | null;
  @BooleanField({ description: 'Whether the answer leaves some of it open: not found, or of less than there is' }) short: boolean;
  @StringField({ description: 'When', format: 'date-time', nullable: true }) acknowledgedAt: string | null;
  @StringField({ description: 'User or API key', nullable: true }) acknowledgedBy: string | null;
}

class HolderAcknowledgementsView {
  @StringField({ description: 'EIP-55 address' }) address: string;
  @StringField({ description: 'Label of the address' }) label: string;
  @StringField({ description: 'Kind of the label; `address`: nobody is known' }) labelKind: string;
  @IntegerField({ description: 'Lots that it holds' }) lots: number;
  @IntegerField({ description: 'Those of them that it has answered for' }) acknowledged: number;
  @IntegerField({ description: 'Those of them of which some is open: not found, or an answer of less than there is' }) short: number;
  @JsonObjectField({ description: 'How much of them there is, by unit' }) held: object;
}

export class AcknowledgementsView {
  @StringField({ description: 'The recall, or the drill', format: 'uuid' }) recallId: string;
  @BooleanField({ description: 'Whether it is a drill' }) drill: boolean;
  @IntegerField({ description: 'Lots that are to be answered for; when the recall is over, those that were answered for' }) lots: number;
  @JsonObjectField({ description: 'Lots by state: quarantined, returned, destroyed, not_found, missing' }) states: object;
  @BooleanField({ description: 'Whether the recall reaches more lots than were walked' }) truncated: boolean;
  @ObjectListField(() => HolderAcknowledgementsView, { description: 'Who holds them, most missing first' })
  holders: readonly HolderAcknowledgementsView[];
  @ObjectListField(() => LotAcknowledgementView, { description: 'A page of the lots, those without an answer first' })
  data: readonly LotAcknowledgementView[];
}

export class LotsAcknowledgedView {
  @IntegerField({ description: 'Lots that have another answer now' }) changed: number;
}

interface Shown {
  readonly recallId: string;
  readonly drill: boolean;
  readonly truncated: boolean;
  readonly states: readonly LotState[];
  readonly labels: ReadonlyMap<string, PartyLabel>;
}

export function acknowledgementsView(
  { recallId, drill, truncated, states, labels }: Shown,
  { page, limit }: PageQuery,
): AcknowledgementsView {
  return {
    recallId,
    drill,
    lots: states.length,
    states: countsOf(states),
    truncated,
    holders: holdersOf(states).map(({ held, ...holder }) => {
      const { label, kind } = labels.get(holder.address)!;
      const amounts = Object.fromEntries([...held].map(([uom, micro]) => [uom, fromMicro(micro)]));
      return { ...holder, held: amounts, label, labelKind: kind };
    }),
    data: states.slice((page - 1) * limit, page * limit).map(lotView),
  };
}

function lotView(state: LotState): LotAcknowledgementView {
  const { lot, acknowledgement: said } = state;
  const held = heldOf(lot);
  return {
    tokenId: Number(lot.tokenId),
    tlc: lot.tlc,
    custodian: lot.custodian,
    state: said?.state ?? null,
    quantity: said?.quantity == null ? null : { value: said.quantity, uom: said.uom },
    held: held === null || lot.uom === null ? null : { value: fromMicro(held), uom: lot.uom },
    short: isShort(state),
    acknowledgedAt: said?.at.toISOString() ?? null,
    acknowledgedBy: said?.by ?? null,
  };
}
