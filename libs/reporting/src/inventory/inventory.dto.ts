import { EnumField, IntegerField, JsonObjectField, NumberField, ObjectField, ObjectListField, StringField } from '#http';

const LABEL_KINDS = ['organization', 'facility', 'user', 'partner', 'contract', 'address'];

export class CustodianView {
  @StringField({ description: 'EIP-55 address' })
  address: string;

  @StringField({ description: 'Name of the custodian' })
  label: string;

  @EnumField(LABEL_KINDS, { description: 'Kind of the label' })
  labelKind: string;
}

class StockTotalsView {
  @IntegerField({ description: 'Lots in stock, without containers, with the contents of containers' })
  lots: number;

  @JsonObjectField({ description: 'Remaining quantity by unit (UNECE Rec 20)', example: { KGM: 1401, H87: 1400 } })
  quantity: Readonly<Record<string, number>>;

  @NumberField({ description: 'Mass of the lots with a known mass, kg; null if there are none', nullable: true })
  massKg: number | null;

  @IntegerField({ description: 'Lots without a quantity, a unit or a mass; not in massKg' })
  unmeasuredLots: number;

  @JsonObjectField({ description: 'Lots by status', example: { active: 3 } })
  byStatus: Readonly<Record<string, number>>;

  @JsonObjectField({ description: 'Mass by status, kg, of the lots with a known mass', example: { active: 1401 } })
  massByStatus: Readonly<Record<string, number>>;

  @IntegerField({ description: 'Recalled lots' })
  recalledLots: number;

  @IntegerField({ description: 'Lots past their date, whatever their status' })
  expiredLots: number;

  @StringField({ description: 'Earliest date of the lots', format: 'date-time', nullable: true })
  earliestExpiry: string | null;

  @IntegerField({ description: 'Age of the oldest lot (by createdAt), s', nullable: true })
  oldestLotAgeSeconds: number | null;

  @NumberField({ description: 'Part of massKg that is offered to somebody else and not accepted yet, kg' })
  inTransitOutKg: number;

  @NumberField({ description: 'On its way to this place, not in massKg, kg' })
  inTransitInKg: number;
}

class StockItemView extends StockTotalsView {
  @StringField({ description: 'Key of the process map; null if unknown', nullable: true })
  assetType: string | null;

  @StringField({ description: 'Name of the asset type', nullable: true })
  assetTypeName: string | null;
}

export class StockPlaceView {
  @StringField({ description: 'GS1 Digital Link of the GLN, or another identifier; `unknown` if no event and no site states one' })
  locationKey: string;

  @JsonObjectField({ description: '`{ id, gln, name, street, city, region, postalCode, country, geo }` as known', nullable: true })
  location: Readonly<Record<string, unknown>> | null;

  @ObjectListField(() => CustodianView, { description: 'Custodians of lots at this place' })
  custodians: readonly CustodianView[];

  @ObjectListField(() => StockItemView, { description: 'By asset type' })
  items: readonly StockItemView[];

  @ObjectField(() => StockTotalsView, { description: 'Over all items' })
  totals: StockTotalsView;
}

export class InventorySummaryView extends StockTotalsView {
  @IntegerField({ description: 'Number of places' })
  locations: number;
}
