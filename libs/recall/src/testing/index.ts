export { SqlHoldBook } from '../adapters/persistence/sql-hold-book.js';
export { SqlUnreadNotices } from '../adapters/persistence/sql-unread-notices.js';
export { ResolveNotices } from '../application/resolve-notices.js';
export { TellReach } from '../application/tell-reach.js';
export { SqlDrills } from '../adapters/persistence/sql-drills.js';
export { RunDrill } from '../application/run-drill.js';
