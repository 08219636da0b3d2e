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
