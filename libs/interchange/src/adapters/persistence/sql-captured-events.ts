import { isUuid } from '#kernel';
import { type TenantTx, arrayParameter } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Arrival, CapturedEvents } from '../../ports.js';

const LEFT_BEHIND = "interval '10 minutes'";
/** Locked in one order, so that two captures of the same events do not wait for each other. */
const inOrder = <T extends { readonly hash: string }>(all: readonly T[]): T[] => all.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));

const hashesOf = (all: readonly { readonly hash: string }[]): Buffer =>
  arrayParameter(
    'text',
    all.map(({ hash }) => hash),
  );

@Injectable()
export class SqlCapturedEvents extends CapturedEvents {
  override async reserve(tx: TenantTx, arrivals: readonly Arrival[], by: string, now: Date): Promise<ReadonlyMap<string, string | null>> {
    if (arrivals.length === 0) return new Map();
    const all = inOrder(arrivals);
    const reserved = await tx.sql<{ event_hash: string }>(
      `insert into interchange.captured_event as c (tenant_id, event_hash, declared_id, reserved_at, captured_by)
       select $1, a.hash, a.declared_id, $4, $5 from unnest($2::text[], $3::text[]) as a(hash, declared_id)
       on conflict (tenant_id, event_hash) do update
         set declared_id = excluded.declared_id, reserved_at = excluded.reserved_at, captured_by = excluded.captured_by, event_id = null
         where case when c.event_id is null then c.reserved_at < excluded.reserved_at - ${LEFT_BEHIND}
           else not exists (select from traceability.event_v1 e
                            where e.tenant_id = c.tenant_id and e.id = c.event_id and e.status not in ('failed', 'expired')) end
       returning c.event_hash`,
      [
        tx.tenantId,
        hashesOf(all),
        arrayParameter(
          'text',
          all.map(({ declaredId }) => declaredId),
        ),
        now,
        by,
      ],
    );
    const own = new Set(reserved.map((row) => row.event_hash));
    const others = all.filter(({ hash }) => !own.has(hash)).map(({ hash }) => hash);
    if (others.length === 0) return new Map();
    const rows = await tx.sql<{ event_hash: string; event_id: string | null }>(
      'select event_hash, event_id from interchange.captured_event where tenant_id = $1 and event_hash = any($2::text[])',
      [tx.tenantId, others],
    );
    const known = new Map(rows.map((row) => [row.event_hash, row.event_id]));
    return new Map(others.map((hash) => [hash, known.get(hash) ?? null]));
  }

  override async settle(tx: TenantTx, outcomes: readonly { readonly hash: string; readonly eventId: string | null }[]): Promise<void> {
    if (outcomes.length === 0) return;
    const all = inOrder(outcomes);
    const done = all.filter(({ eventId }) => eventId !== null);
    const free = all.filter(({ eventId }) => eventId === null);
    if (done.length > 0)
      await tx.sql(
        `update interchange.captured_event c set event_id = o.event_id from unnest($2::text[], $3::uuid[]) as o(hash, event_id)
         where c.tenant_id = $1 and c.event_hash = o.hash`,
        [
          tx.tenantId,
          hashesOf(done),
          arrayParameter(
            'uuid',
            done.map(({ eventId }) => eventId),
          ),
        ],
      );
    if (free.length > 0)
      await tx.sql('delete from interchange.captured_event where tenant_id = $1 and event_hash = any($2::text[])', [
        tx.tenantId,
        hashesOf(free),
      ]);
  }

  override async behind(tx: TenantTx, eventIDs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (eventIDs.length === 0) return new Map();
    const own = eventIDs.flatMap((id) => {
      const uuid = id.replace(/^urn:uuid:/, '').toLowerCase();
      return isUuid(uuid) ? [{ id, uuid }] : [];
    });
    const rows = await tx.sql<{ id: string; event_id: string }>(
      `select o.id, e.id as event_id from unnest($2::text[], $3::uuid[]) as o(id, uuid)
       join traceability.event_v1 e on e.tenant_id = $1 and e.id = o.uuid
       union all
       select c.declared_id, c.event_id from interchange.captured_event c
       where c.tenant_id = $1 and c.declared_id = any($4::text[]) and c.event_id is not null`,
      [tx.tenantId, own.map(({ id }) => id), own.map(({ uuid }) => uuid), eventIDs],
    );
    return new Map(rows.map((row) => [row.id, row.event_id]));
  }
}
