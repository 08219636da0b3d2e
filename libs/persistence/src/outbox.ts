import type { SystemTx } from './unit-of-work.js';

/** Relays wait on this channel; what it says is only "look again". */
export const OUTBOX_CHANNEL = 'trace_outbox';

/** Lets the topics of final blocks go out. */
export async function releaseOutbox(tx: SystemTx, chainId: number, upToBlock: number): Promise<void> {
  await tx.sql(
    `with released as (
       update persistence.outbox set released = true where chain_id = $1 and block_number <= $2 and not released returning 1
     )
     select pg_notify('${OUTBOX_CHANNEL}', '') where exists (select from released)`,
    [chainId, upToBlock],
  );
}

/** Forgets the topics of blocks that left the canonical chain; what was released has been final and stays. */
export async function discardOutbox(tx: SystemTx, chainId: number, afterBlock: number): Promise<void> {
  await tx.sql('delete from persistence.outbox where chain_id = $1 and block_number > $2 and not released', [chainId, afterBlock]);
}

/** What waits in the outbox, over all tenants; counts end at 10,000. Ages in seconds, null where there is nothing. */
export interface OutboxBacklog {
  /** Released, and not yet made into deliveries. */
  readonly waiting: number;
  readonly waitingSeconds: number | null;
  /** Their block is not final yet. */
  readonly unfinal: number;
  readonly unfinalSeconds: number | null;
}

/** Reads the two partial indexes, at most 10,000 entries of each, in a transaction of its own. */
export async function outboxBacklog(tx: SystemTx): Promise<OutboxBacklog> {
  // With old statistics the planner sorts everything that waits for the sake of its first rows, which the index gives in order.
  await tx.sql('set local enable_sort = off');
  const [backlog] = await tx.sql<OutboxBacklog>(BACKLOG, [10_000]);
  return backlog!;
}

const BACKLOG = `
  select (select count(*) from (select from persistence.outbox where released and relayed_at is null order by seq limit $1) w)::int as waiting,
         (select extract(epoch from now() - created_at) from persistence.outbox
          where released and relayed_at is null order by seq limit 1)::float8 as "waitingSeconds",
         (select count(*) from (select from persistence.outbox where not released order by chain_id, block_number limit $1) u)::int as unfinal,
         (select extract(epoch from now() - created_at) from persistence.outbox
          where not released order by chain_id, block_number limit 1)::float8 as "unfinalSeconds"`;
