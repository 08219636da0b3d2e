import { arrayParameter, type SystemTx, type TenantTx } from '#persistence';
import { reservationOfKey } from '../process-maps/event-reading.js';

/** A lot that landed, and the event that made it. */
export interface LandedCode {
  /** Text of its key. */
  readonly key: string;
  readonly eventId: string;
  readonly block: number;
  readonly at: Date;
}

/**
 * Other open events that were prepared with the key of one of the lots: the contract refuses them from now on, so they are `failed`. What
 * corrects an event mints nothing, though it names the keys of that event. Nothing that landed changes.
 */
export async function failTaken(tx: TenantTx, chainId: number, lots: readonly LandedCode[]): Promise<void> {
  if (lots.length === 0) return;
  await tx.sql(
    `with taken as (
       select distinct on (e.id) e.id, m.by, m.block, m.at
       from unnest($3::text[], $4::uuid[], $5::bigint[], $6::timestamptz[]) as m(reserved, by, block, at)
       cross join lateral (
         select c.event_id from traceability.event_reservation c
         where c.tenant_id = $1 and c.reserved = m.reserved and c.event_id <> m.by offset 0) c
       cross join lateral (
         select e.id, e.status, e.block_number, e.supersedes from traceability.event e
         where e.tenant_id = $1 and e.id = c.event_id offset 0) e
       where e.status in ('prepared', 'submitted') and e.block_number is null and e.supersedes is null
         and not exists (select from traceability.event v where v.tenant_id = $1 and v.id = m.by and v.void_block is not null)
       order by e.id, m.block)
     update traceability.event e
     set status = 'failed', before_taken = e.status, taken_by = t.by, taken_block = t.block, taken_chain = $2, freed_block = null,
       updated_at = t.at
     from taken t where e.tenant_id = $1 and e.id = t.id and e.status in ('prepared', 'submitted')`,
    [
      tx.tenantId,
      chainId,
      arrayParameter(
        'text',
        lots.map(({ key }) => reservationOfKey(key)),
      ),
      arrayParameter(
        'uuid',
        lots.map(({ eventId }) => eventId),
      ),
      lots.map(({ block }) => block),
      lots.map(({ at }) => at),
    ],
  );
}

/** A void frees the codes of its lots: what failed because of them is as open as before. */
export async function freeTaken(
  tx: TenantTx,
  voided: readonly { readonly eventId: string; readonly block: number; readonly at: Date }[],
): Promise<void> {
  if (voided.length === 0) return;
  await tx.sql(
    `update traceability.event e set status = e.before_taken, before_taken = null, freed_block = v.block, updated_at = v.at
     from unnest($2::uuid[], $3::bigint[], $4::timestamptz[]) as v(id, block, at)
     where e.tenant_id = $1 and e.taken_by = v.id and e.before_taken is not null and e.status = 'failed'`,
    [tx.tenantId, voided.map(({ eventId }) => eventId), voided.map(({ block }) => block), voided.map(({ at }) => at)],
  );
}

/** After the events: an event whose own landing is undone is open again before this. */
export async function undoTaken(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
  const after = [chainId, lastGoodBlock];
  await tx.sql(
    `update traceability.event set status = 'failed', before_taken = status, freed_block = null, updated_at = now()
     where taken_chain = $1 and freed_block > $2 and taken_block <= $2 and status in ('prepared', 'submitted') and block_number is null`,
    after,
  );
  await tx.sql(
    `update traceability.event
     set status = case when status = 'failed' then coalesce(before_taken, status) else status end, before_taken = null, taken_by = null,
       taken_block = null, taken_chain = null, freed_block = null, updated_at = now()
     where taken_chain = $1 and taken_block > $2`,
    after,
  );
}
