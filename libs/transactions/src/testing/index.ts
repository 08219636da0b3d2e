import { SqlTrackedTransactions } from '../adapters/persistence/sql-tracked-transactions.js';
import { SqlLandedEffects } from '../adapters/persistence/landed-table.js';
import { type LandedEffects, type TrackedTransactions, TrackingSettings } from '../ports.js';

export { TransactionMonitor } from '../adapters/chain/transaction-monitor.js';
export { RpcLookout } from '../adapters/chain/rpc-lookout.js';
export { TrackedQueries } from '../adapters/http/tracked-queries.js';
export { TrackTransaction } from '../application/track-transaction.js';
export { TellOutcome } from '../application/tell-outcome.js';
export { WatchSurroundings } from '../application/watch-surroundings.js';
export { WatchTransactions } from '../application/watch-transactions.js';
export { type Sighting, UNSEEN_SIGHTING } from '../domain/tracked-transaction.js';
export type { AskedHash, Look } from '../ports.js';
export { TrackingSettings };

export const sqlTrackedTransactions = (): TrackedTransactions => new SqlTrackedTransactions();
export const sqlLandedEffects = (): LandedEffects => new SqlLandedEffects();
