import { CursorField, EnumField, PageQuery } from '#http';
import { TRANSFER_STATUSES } from '../../domain/transfer.js';
import type { Direction } from '../persistence/transfer-lists.js';

const DIRECTIONS = ['in', 'out'] as const;

class TransfersQuery extends PageQuery {
  @EnumField(DIRECTIONS, { description: '`in`: to the organisation, `out`: from it; both when absent', optional: true })
  direction?: Direction;

  @CursorField()
  cursor?: string;
}

export class OrgTransfersQuery extends TransfersQuery {
  @EnumField([...TRANSFER_STATUSES, 'completed', 'all'], {
    description: '`completed` (default): accepted or direct, the transfers that changed custody',
    optional: true,
  })
  status?: string;
}

export class OffersQuery extends TransfersQuery {}

export class CustodyHistoryQuery extends PageQuery {}
