import { EnumField, PageQuery, StringField } from '#http';
import { LOT_STATUSES } from '../../contract.js';
import type { LotFilter } from '../persistence/lot-reads.js';

export class LotsQuery extends PageQuery implements LotFilter {
  @EnumField(LOT_STATUSES, { description: 'What a lot is now', optional: true })
  status?: string;

  @StringField({ description: 'Key of an asset type in the process map', optional: true, maxLength: 200 })
  assetType?: string;

  @StringField({ description: 'EIP-55 address of whoever holds it', optional: true, pattern: /^0x[0-9a-fA-F]{40}$/ })
  custodian?: string;

  @StringField({ description: 'A code, or its beginning', optional: true, minLength: 1, maxLength: 200 })
  tlc?: string;

  @StringField({ description: 'Name of a process map', optional: true, maxLength: 200 })
  processMap?: string;

  @StringField({ description: '`nextCursor` of the page before; takes the place of `page`', optional: true, maxLength: 200 })
  cursor?: string;
}
