import { CursorField, BooleanField, EnumField, PageQuery, StringField } from '#http';
import { LOT_STATUSES, type LotStatus } from '../../contract.js';
import { LOT_SORTS, type LotSort } from '../persistence/lot-reads.js';
import { AsOfField, type LooksBack } from './as-of.js';

/** Query of one lot. */
export class LotQuery implements LooksBack {
  @AsOfField()
  asOf?: string;
}

export class LotsQuery extends PageQuery implements LooksBack {
  @EnumField(LOT_STATUSES, { description: 'What a lot is now', optional: true })
  status?: LotStatus;

  @StringField({ description: 'Key of an asset type in the process map', optional: true, maxLength: 200 })
  assetType?: string;

  @StringField({ description: 'EIP-55 address of whoever holds it', optional: true, pattern: /^0x[0-9a-fA-F]{40}$/ })
  custodian?: string;

  @StringField({ description: 'Organisation that holds it, by any of its wallets', optional: true, maxLength: 100 })
  orgId?: string;

  @StringField({ description: 'A code, or its beginning', optional: true, minLength: 1, maxLength: 200 })
  tlc?: string;

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
    description: '`-tokenId` (default, `tlc` where a code is asked for): newest first; `expiresAt`: those without an expiry last',
    optional: true,
  })
  sort?: LotSort;

  @AsOfField()
  asOf?: string;

  @CursorField()
  cursor?: string;
}
