import { BooleanField, EnumField, StringField, TableQuery } from '#http';
import { LOT_STATUSES, type LotStatus } from '../contract/lots.js';
import { LOT_SORTS, type ListSort } from './lot-list.queries.js';
import { AsOfField, AsOfQuery } from './as-of.dto.js';

const GtinField = (): PropertyDecorator =>
  StringField({ description: 'GTIN of 8, 12, 13 or 14 digits', optional: true, pattern: /^(\d{8}|\d{12,14})$/ });
const SerialField = (): PropertyDecorator =>
  StringField({ description: 'Serial number of a single item', optional: true, minLength: 1, maxLength: 20 });

export class ByCodeQuery extends AsOfQuery {
  @GtinField()
  gtin?: string;

  @SerialField()
  serial?: string;

  @StringField({ description: 'EIP-55 address of the custodian of the part that is meant', optional: true, pattern: /^0x[0-9a-fA-F]{40}$/ })
  custodian?: string;
}

export class ListQuery extends TableQuery implements AsOfQuery {
  @EnumField(LOT_STATUSES, { description: 'What a lot is now', optional: true })
  status?: LotStatus;

  @StringField({ description: 'Key of an asset type in the process map', optional: true, maxLength: 200 })
  assetType?: string;

  @StringField({ description: 'EIP-55 address of its custodian', optional: true, pattern: /^0x[0-9a-fA-F]{40}$/ })
  custodian?: string;

  @StringField({ description: 'Organisation that is its custodian, by any of its wallets', optional: true, maxLength: 100 })
  orgId?: string;

  @StringField({
    description: 'A code, or the beginning of one, or the IRI of a lot: its GS1 Digital Link, or its name in exports',
    optional: true,
    minLength: 1,
    maxLength: 500,
  })
  tlc?: string;

  @GtinField()
  gtin?: string;

  @SerialField()
  serial?: string;

  @StringField({ description: 'Name of a process map', optional: true, maxLength: 200 })
  processMap?: string;

  @StringField({ description: 'Minted from here on: ISO 8601 with an offset, or a date (UTC)', optional: true, maxLength: 40 })
  createdFrom?: string;

  @StringField({ description: 'Minted before this', optional: true, maxLength: 40 })
  createdTo?: string;

  @StringField({ description: 'Expires, or expired, before this, and is neither used up nor retired', optional: true, maxLength: 40 })
  expiringBefore?: string;

  @BooleanField({ description: 'Recalled itself, or not', optional: true })
  recalled?: boolean;

  @EnumField(LOT_SORTS, {
    description: '`-tokenId` (default; `tlc` where `tlc` is given): newest first; `expiresAt`: those without an expiry last',
    optional: true,
  })
  sort?: ListSort;

  @AsOfField()
  asOf?: string;
}
