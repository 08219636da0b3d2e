import { isUuid } from '#kernel';
import { type TenantTx, arrayParameter } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type CapturedItem, type KnownLot, KnownLots } from './captured-goods.js';
import type { DocumentContext, Reservation } from './document-event.js';

const LEFT_BEHIND = "interval '10 minutes'";
/** Locked in one order, so that two captures of the same events do not wait for each other. */
const inOrder = <T extends { readonly hash: string }>(all: readonly T[]): T[] => all.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));

const texts = (all: readonly (string | null)[]): Buffer => arrayParameter('text', all);
const hashesOf = (all: readonly { readonly hash: string }[]): Buffer => texts(all.map(({ hash }) => hash));

interface Reserver {
  /** Id of the user or API key. */
  readonly by: string;
  /** Of the capture job; null for a request that nothing continues. */
  readonly jobId: string | null;
}

/** What capture looks up for a document, and which events were captured before, by their hash. */
@Injectable()
export class CaptureQueries {
  /**
   * Landed lots that these names may mean. Under a key that a void freed, the lot that is not voided; of a lot with parts what is left of it, of
   * several parts those in one of these wallets.
   */
  async lots(tx: TenantTx, named: readonly CapturedItem[], wallets: readonly string[]): Promise<KnownLots> {
    if (named.length === 0) return new KnownLots([]);
    const codes = [...new Set(named.flatMap(({ code, serial }) => (serial === null ? [code] : [code, serial])))];
    // A lot number leads to its lots by the code; an item has a number of its own.
    const hashes = [...new Set(named.flatMap(({ key }) => (key.kind === 'item' ? [key.hash] : [])))];
    const rows = await tx.sql<Omit<KnownLot, 'tokenId'> & { readonly tokenId: string }>(
      `with named as (
         select * from traceability.lot_v1 where tenant_id = $1 and tlc = any($2::text[]) and (serial is null or serial = tlc)
         union
         select * from traceability.lot_v1 where tenant_id = $1 and tlc_hash = any($3::text[])
       ), known as (
         select l.*, coalesce(l.retire_reason = 'voided', false) as voided, l.used_up or l.retired_at is not null as spent,
           bool_or(l.split_from is not null) over (partition by l.key) as parted
         from named l
       ), ranked as (
         select l.*, rank() over (partition by l.key order by l.voided, case when l.parted then l.spent end,
           case when l.parted then case when l.spent then l.split_from is not null else l.custodian <> all($4::text[]) end end,
           case when not l.parted then l.token_id end desc) as place
         from known l
       )
       select l.token_id as "tokenId", l.tlc as code, l.key, l.gtin, l.serial, l.asset_type as "assetType"
       from ranked l where l.place = 1 order by l.key, l.token_id`,
      [tx.tenantId, arrayParameter('text', codes), arrayParameter('text', hashes), wallets],
    );
    return new KnownLots(rows.map((row) => ({ ...row, tokenId: BigInt(row.tokenId) })));
  }

  /** Sites by GLN, in the shape of a location. */
  async sites(tx: TenantTx, glns: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
    if (glns.length === 0) return new Map();
    const rows = await tx.sql<{ gln: string; name: string; location: Readonly<Record<string, unknown>> | null }>(
      `select distinct on (w.site_gln) w.site_gln as gln, w.site_name as name, w.site_location as location from identity.wallet_v1 w
       where w.tenant_id = $1 and w.site_gln = any($2::text[]) order by w.site_gln, w.site_id`,
      [tx.tenantId, glns],
    );
    return new Map(rows.map(({ gln, name, location }) => [gln, { name, ...location }]));
  }

  /** Keeps what the prefixes of a document mean, once for all of its events and for all documents that say the same. */
  async storeContext(tx: TenantTx, { hash, text }: DocumentContext, now: Date): Promise<void> {
    await tx.sql(
      `insert into interchange.captured_context as c (tenant_id, hash, contexts, used_at) values ($1, $2, $3, $4)
       on conflict (tenant_id, hash) do update set used_at = greatest(c.used_at, excluded.used_at)`,
      [tx.tenantId, hash, text, now],
    );
  }

  /**
   * Reserves these for the caller, in one statement. Free is what is unknown, what the same job has reserved, what another capture left
   * behind ten minutes ago, and what failed, expired or was withdrawn. @returns those that are not free, with their event where it is prepared
   */
  async reserve(
    tx: TenantTx,
    wanted: readonly Reservation[],
    { by, jobId }: Reserver,
    now: Date,
  ): Promise<ReadonlyMap<string, string | null>> {
    if (wanted.length === 0) return new Map();
    const all = inOrder(wanted);
    const reserved = await tx.sql<{ event_hash: string }>(
      `insert into interchange.captured_event as c (tenant_id, event_hash, declared_id, reserved_at, captured_by, event, context_hash, job_id)
       select $1, a.hash, a.declared_id, $4, $5, a.event, a.context_hash, $8
       from unnest($2::text[], $3::text[], $6::text[], $7::text[]) as a(hash, declared_id, event, context_hash)
       on conflict (tenant_id, event_hash) do update
         set declared_id = excluded.declared_id, reserved_at = excluded.reserved_at, captured_by = excluded.captured_by, event_id = null,
           event = excluded.event, context_hash = excluded.context_hash, job_id = excluded.job_id
         where case when c.event_id is null then c.job_id = excluded.job_id or c.reserved_at < excluded.reserved_at - ${LEFT_BEHIND}
           else not exists (select from traceability.event_v1 e
                            where e.tenant_id = c.tenant_id and e.id = c.event_id and e.status not in ('failed', 'expired')) end
       returning c.event_hash`,
      [
        tx.tenantId,
        hashesOf(all),
        texts(all.map(({ declaredId }) => declaredId)),
        now,
        by,
        texts(all.map(({ event }) => event)),
        texts(all.map(({ contextHash }) => contextHash)),
        jobId,
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

  /** The hashes that `reserve` would not give, with their event where it is prepared. */
  async captured(tx: TenantTx, hashes: readonly string[], now: Date): Promise<ReadonlyMap<string, string | null>> {
    const rows = await tx.sql<{ event_hash: string; event_id: string | null }>(
      `select c.event_hash, c.event_id from interchange.captured_event c where c.tenant_id = $1 and c.event_hash = any($2::text[])
       and case when c.event_id is null then c.reserved_at >= $3::timestamptz - ${LEFT_BEHIND}
         else exists (select from traceability.event_v1 e
                      where e.tenant_id = c.tenant_id and e.id = c.event_id and e.status not in ('failed', 'expired')) end`,
      [tx.tenantId, texts(hashes), now],
    );
    return new Map(rows.map((row) => [row.event_hash, row.event_id]));
  }

  /** What became of reservations: the event, or nothing, which frees them. */
  async settle(tx: TenantTx, outcomes: readonly { readonly hash: string; readonly eventId: string | null }[]): Promise<void> {
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
      await tx.sql('delete from interchange.captured_event where tenant_id = $1 and event_hash = any($2::text[]) and event_id is null', [
        tx.tenantId,
        hashesOf(free),
      ]);
  }

  /** Our events behind these eventIDs: by our own id, or by the one that they were captured with. */
  async eventsBehind(tx: TenantTx, eventIDs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (eventIDs.length === 0) return new Map();
    const own = eventIDs.flatMap((id) => {
      const uuid = id.replace(/^urn:uuid:/, '').toLowerCase();
      return isUuid(uuid) ? [{ id, uuid }] : [];
    });
    const rows = await tx.sql<{ id: string; event_id: string }>(
      `select o.id, e.id as event_id from unnest($2::text[], $3::uuid[]) as o(id, uuid)
       join traceability.event_v1 e on e.tenant_id = $1 and e.id = o.uuid
       union all
       select c.declared_id as id, c.event_id from interchange.captured_event c
       where c.tenant_id = $1 and c.declared_id = any($4::text[]) and c.event_id is not null`,
      [tx.tenantId, own.map(({ id }) => id), own.map(({ uuid }) => uuid), eventIDs],
    );
    return new Map(rows.map((row) => [row.id, row.event_id]));
  }
}
