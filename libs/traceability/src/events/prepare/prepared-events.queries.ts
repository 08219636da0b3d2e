import { Injectable } from '@nestjs/common';
import { type SystemTx, type TenantTx, arrayParameter } from '#persistence';
import type { PreparedRow } from './prepared-event.js';
import { EventTracking, type RelayedRecord, type SentRecord } from '../../contract/preparation.js';

/**
 * Each reservation is one index lookup, and each event behind it another one (`offset 0`), by the primary key alone: what is prepared by the
 * thousand outruns the database's statistics, and any index on the open events may seem as good to it. A join read more
 * pages with each batch: 50 ms a batch in a first capture of 10,000, 1.7 s in a third.
 */
const RESERVED = `
  select a.reservation from unnest($2::text[]) as a(reservation)
  where exists (
    select from (select c.event_id from traceability.event_reservation c where c.tenant_id = $1 and c.reserved = a.reservation offset 0) c
    cross join lateral (
      select e.status, e.expires_at from traceability.event e where e.tenant_id = $1 and e.id = c.event_id offset 0) e
    where e.status in ('prepared', 'submitted') and e.expires_at > $3)`;

/** Events between their preparation and their landing. */
@Injectable()
export class PreparedQueries {
  /** Which of the reservations (`reservationOfKey`, `reservationOfLot`) open prepared events hold. */
  async reserved(tx: TenantTx, reservations: readonly string[], now: Date): Promise<ReadonlySet<string>> {
    if (reservations.length === 0) return new Set();
    const rows = await tx.sql<{ reservation: string }>(RESERVED, [tx.tenantId, arrayParameter('text', reservations), now]);
    return new Set(rows.map((row) => row.reservation));
  }

  /** The events and their reservations, in one statement. */
  async insert(tx: TenantTx, events: readonly PreparedRow[]): Promise<void> {
    if (events.length === 0) return;
    const names = Object.keys(events[0]!.columns).join(', ');
    const reservations = events.flatMap((event) =>
      event.reservations.map((reservation) => ({ reservation, id: event.columns['id'] as string })),
    );
    const inserting = tx.sql(
      `with event as (
         insert into traceability.event (${names})
         select ${names} from jsonb_populate_recordset(null::traceability.event, $1::jsonb) returning tenant_id, id
       )
       insert into traceability.event_reservation (tenant_id, reserved, event_id)
       select e.tenant_id, c.reservation, e.id from unnest($2::text[], $3::uuid[]) as c(reservation, id) join event e on e.id = c.id
       on conflict do nothing`,
      [
        JSON.stringify(events.map((event) => event.columns)),
        arrayParameter(
          'text',
          reservations.map(({ reservation }) => reservation),
        ),
        arrayParameter(
          'uuid',
          reservations.map(({ id }) => id),
        ),
      ],
    );
    await Promise.all([inserting, tx.rememberSpan(events.map((event) => String(event.columns['id'])))]);
  }

  /** Whether the event was still only prepared; then it is deleted together with its reservations. */
  async withdraw(tx: TenantTx, id: string): Promise<boolean> {
    const gone = await tx.sql(
      `delete from traceability.event where tenant_id = $1 and id = $2 and status = 'prepared' and block_number is null returning id`,
      [tx.tenantId, id],
    );
    return gone.length > 0;
  }

  /** @returns how many events of any tenant expired, `limit` at most */
  async expire(tx: SystemTx, now: Date, limit: number): Promise<number> {
    const [answer] = await tx.sql<{ count: string }>(
      `with due as (
         select tenant_id, id from traceability.event where status = 'prepared' and expires_at <= $1
         order by expires_at limit $2 for update skip locked
       ), freed as (
         delete from traceability.event_reservation c using due where c.tenant_id = due.tenant_id and c.event_id = due.id
       ), expired as (
         update traceability.event e set status = 'expired', updated_at = $1 from due
         where e.tenant_id = due.tenant_id and e.id = due.id returning e.id
       )
       select count(*) from expired`,
      [now, limit],
    );
    return Number(answer!.count);
  }
}

/** Which statuses of an event a transaction may turn into which. */
const MOVES = `(values ('prepared', 'submitted'), ('failed', 'submitted'), ('expired', 'submitted'),
  ('prepared', 'failed'), ('submitted', 'failed'), ('submitted', 'prepared')) as move(before, after)`;

@Injectable()
export class TrackingQueries extends EventTracking {
  override async follow(tx: TenantTx, sent: readonly SentRecord[], at: Date): Promise<void> {
    if (sent.length === 0) return;
    await tx.sql(
      `with sent as (
         select distinct on (s.id) s.* from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) with ordinality as s(id, data_hash, sender, status, seq)
         order by s.id, s.seq desc
       )
       update traceability.event e
       set status = case when e.before_taken is null then sent.status else e.status end,
         -- It cannot land while another event has its code; a reorg may change that.
         before_taken = case when e.before_taken is not null then sent.status end, updated_at = $6
       from sent join ${MOVES} on move.after = sent.status
       where e.tenant_id = $1 and e.id = sent.id and coalesce(e.before_taken, e.status) = move.before and e.block_number is null
         and e.data_hash = sent.data_hash and (e.actor_address is null or e.actor_address = sent.sender)`,
      [
        tx.tenantId,
        sent.map(({ eventId }) => eventId),
        sent.map(({ dataHash }) => dataHash),
        sent.map(({ from }) => from),
        sent.map(({ status }) => status),
        at,
      ],
    );
  }

  override async relay(tx: TenantTx, relayed: readonly RelayedRecord[], at: Date): Promise<void> {
    if (relayed.length === 0) return;
    await tx.sql(
      `with relayed as (
         select s.id, s.data_hash, s.sender, s.paid_by,
           case when s.paid_by is not null or e.block_number is not null then s.signed_by end as signed_by
         from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) as s(id, data_hash, sender, signed_by, paid_by)
         join traceability.event e on e.tenant_id = $1 and e.id = s.id
       )
       update traceability.event e set signed_by = r.signed_by, paid_by = r.paid_by, updated_at = $7
       from relayed r
       where e.tenant_id = $1 and e.id = r.id and e.data_hash = r.data_hash and (e.actor_address is null or e.actor_address = r.sender)
         and (e.signed_by, e.paid_by) is distinct from (r.signed_by, r.paid_by)`,
      [
        ...[tx.tenantId, relayed.map(({ eventId }) => eventId), relayed.map(({ dataHash }) => dataHash), relayed.map(({ from }) => from)],
        ...[relayed.map(({ signedBy }) => signedBy), relayed.map(({ paidBy }) => paidBy), at],
      ],
    );
  }
}
