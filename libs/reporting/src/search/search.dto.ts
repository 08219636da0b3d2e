import { BooleanField, EnumField, IntegerField, NumberField, ObjectListField, StringField, StringListField, TokenIdListField } from '#http';

export class SearchQuery {
  @StringField({
    description:
      'A lot code or its beginning, a GS1 Digital Link, a GS1 element string, an SSCC, a GTIN, or a part of the name of a product or company, or of the number of a document',
    minLength: 1,
    maxLength: 400,
    pattern: /\S/,
  })
  q: string;

  @IntegerField({ description: 'At most so many of each kind', min: 1, max: 50, optional: true, default: 20 })
  limit: number = 20;
}

export class FoundLot {
  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its traceability lot code' })
  tlc: string;

  @StringField({ description: 'Key of its product in the process map', nullable: true })
  assetType: string | null;

  @StringField({ description: 'Name of its product', nullable: true })
  assetTypeName: string | null;

  @StringField({ description: 'GTIN, 14 digits', nullable: true })
  gtin: string | null;

  @StringField({ description: 'Its status' })
  status: string;

  @StringField({ description: 'EIP-55 address of its custodian' })
  custodian: string;

  @StringField({ description: 'Label of the custodian; null: nobody is known', nullable: true })
  custodianLabel: string | null;

  @NumberField({ description: 'What is left, in `uom`; null = unmeasured', nullable: true })
  remainingQuantity: number | null;

  @StringField({ description: 'UNECE code of the unit', nullable: true })
  uom: string | null;

  @BooleanField({ description: 'Recalled itself' })
  recalled: boolean;

  @BooleanField({ description: 'Affected by a recall' })
  recallAffected: boolean;

  @EnumField(['key', 'code', 'product', 'holder'], {
    description:
      '`key`: it is the lot that is named; `code`: its code begins so; `product` and `holder`: the newest of a product or company that was found',
  })
  foundBy: string;
}

export class FoundProduct {
  @StringField({ description: 'Key in the process map' })
  assetType: string;

  @StringField({ description: 'Name', nullable: true })
  name: string | null;

  @StringField({ description: 'GTIN', nullable: true })
  gtin: string | null;
}

export class FoundCompany {
  @StringField({ description: 'Organisation id' })
  id: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringField({ description: 'GLN', nullable: true })
  gln: string | null;

  @StringListField({ description: 'EIP-55 addresses of its wallets' })
  wallets: readonly string[];
}

export class FoundDocument {
  @StringField({ description: 'Type', nullable: true })
  type: string | null;

  @StringField({ description: 'Number', nullable: true })
  number: string | null;

  @StringField({ description: 'Who issued it', nullable: true })
  issuer: string | null;

  @StringField({ description: 'The newest event that has it', format: 'uuid' })
  eventId: string;

  @TokenIdListField({ description: 'Lots of that event' })
  tokenIds: readonly number[];
}

export class SearchView {
  @EnumField(['digital_link', 'element_string', 'sscc', 'gtin', 'text'], { description: 'What the text was read as' })
  readAs: string;

  @ObjectListField(() => FoundLot, { description: 'Lots: the one that is named first' })
  lots: readonly FoundLot[];

  @ObjectListField(() => FoundProduct, { description: 'Products' })
  products: readonly FoundProduct[];

  @ObjectListField(() => FoundCompany, { description: 'Companies' })
  companies: readonly FoundCompany[];

  @ObjectListField(() => FoundDocument, { description: 'Documents of events that the caller may read' })
  documents: readonly FoundDocument[];
}
