import { SqlTrackedTransactions } from '../adapters/persistence/sql-tracked-transactions.js';
import type { TrackedTransactions } from '../ports.js';

export { RpcLookout } from '../adapters/chain/rpc-lookout.js';
export { TrackedQueries } from '../adapters/http/tracked-queries.js';
export { TrackTransaction } from '../application/track-transaction.js';
export { WatchTransactions } from '../application/watch-transactions.js';
export type { Sighting } from '../domain/tracked-transaction.js';
export type { Look } from '../ports.js';

export const sqlTrackedTransactions = (): TrackedTransactions => new SqlTrackedTransactions();
