import { EnumField, IntegerField, JsonObjectField, NumberField, ObjectField, ObjectListField, StringField } from '#http';

const LABEL_KINDS = ['organization', 'facility', 'user', 'partner', 'contract', 'address'];

export class CustodianView {
  @StringField({ description: 'EIP-55' })
  address: string;

  @StringField({ description: 'Who that is' })
  label: string;

  @EnumField(LABEL_KINDS, { description: 'What the label names' })
  labelKind: string;
}

class StockTotalsView {
  @IntegerField({ description: 'Live lots; containers do not count, what is in them does' })
  lots: number;

  @JsonObjectField({ description: 'What is left of them, one number a unit (UNECE Rec 20)', example: { KGM: 1401, H87: 1400 } })
  quantity: Readonly<Record<string, number>>;

  @NumberField({ description: 'Of the lots whose mass is known, kg; null where none is', nullable: true })
  massKg: number | null;

  @IntegerField({ description: 'Lots without a quantity, a unit or a mass: not in massKg' })
  unmeasuredLots: number;

  @JsonObjectField({ description: 'Lots by status', example: { active: 3 } })
  byStatus: Readonly<Record<string, number>>;

  @IntegerField({ description: 'Recalled ones' })
  recalledLots: number;

  @IntegerField({ description: 'Those past their date, whatever their status shows first' })
  expiredLots: number;

  @StringField({ description: 'The first date among them', format: 'date-time', nullable: true })
  earliestExpiry: string | null;

  @IntegerField({ description: 'Since the oldest one was made (its createdAt), s', nullable: true })
  oldestLotAgeSeconds: number | null;

  @NumberField({ description: 'Of massKg: offered to somebody else, not accepted yet, kg' })
  inTransitOutKg: number;

  @NumberField({ description: 'Not in massKg: on its way here, kg' })
  inTransitInKg: number;
}

class StockItemView extends StockTotalsView {
  @StringField({ description: 'Key of the process map; null where it is not known', nullable: true })
  assetType: string | null;

  @StringField({ description: 'Its name', nullable: true })
  assetTypeName: string | null;
}

export class StockPlaceView {
  @StringField({ description: 'GS1 Digital Link of the GLN, or another identifier; `unknown` where no event and no site says' })
  locationKey: string;

  @JsonObjectField({ description: '`{ id, gln, name, street, city, region, postalCode, country, geo }` as known', nullable: true })
  location: Readonly<Record<string, unknown>> | null;

  @ObjectListField(() => CustodianView, { description: 'Who holds lots there' })
  custodians: readonly CustodianView[];

  @ObjectListField(() => StockItemView, { description: 'By what they are' })
  items: readonly StockItemView[];

  @ObjectField(() => StockTotalsView, { description: 'Over the items' })
  totals: StockTotalsView;
}

export class InventorySummaryView extends StockTotalsView {
  @IntegerField({ description: 'Places' })
  locations: number;
}
