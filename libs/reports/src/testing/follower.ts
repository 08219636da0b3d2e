import type { ChainHead, ChainProfile } from '#chain';
import type { TenantTx, UnitOfWork } from '#persistence';
import { SqlEventFacts } from '../adapters/persistence/sql-event-facts.js';
import { SqlKeptAnswers } from '../adapters/persistence/sql-kept-answers.js';
import { SqlTransferFacts } from '../adapters/persistence/sql-transfer-facts.js';
import { SqlStock } from '../adapters/persistence/sql-stock.js';
import { FollowEvents } from '../application/follow-events.js';
import { FollowTransfers } from '../application/follow-transfers.js';
import { FollowStock } from '../application/follow-stock.js';

/** What the worker runs over large tenants, for a tenant of any size. */
export function followerOf(unitOfWork: UnitOfWork, chain: ChainProfile, chainHead: ChainHead): FollowEvents {
  const stock = new SqlStock(chain);
  return new FollowEvents(
    unitOfWork,
    new SqlEventFacts(chain),
    new FollowStock(unitOfWork, stock),
    new FollowTransfers(unitOfWork, new SqlTransferFacts(), chainHead),
    new SqlKeptAnswers(),
    chainHead,
  );
}

/** Of events that were followed before: what they come to now. */
export const refreshEvents = (tx: TenantTx, chain: ChainProfile, ids: readonly string[], final: number): Promise<void> =>
  new SqlEventFacts(chain).refresh(tx, ids, final);
