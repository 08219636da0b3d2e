import { Injectable } from '@nestjs/common';
import type { SystemTx, TenantTx } from '#persistence';
import { type ErasedContent, type ErasureEntry } from '#sealed-contents';
import type { Path } from '#envelope';
import type { RepeatedValues } from './erasure.rules.js';

/** An event with everything in which its row repeats its content. */
export interface ErasableRow extends RepeatedValues {
  readonly id: string;
  readonly processType: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly eventTime: Date | null;
  readonly status: string;
  readonly orgId: string | null;
  readonly cid: string | null;
  /** Of the content that was prepared, where another one landed. */
  readonly draftCid: string | null;
  readonly warnings: readonly string[];
  readonly beforeLanding: Readonly<Record<string, unknown>> | null;
  readonly erased: readonly string[];
}

const COLUMNS = `e.id, e.process_type as "processType", e.process_map_name as "processMapName", e.process_map_version as "processMapVersion",
  e.event_time as "eventTime", e.status, e.org_id as "orgId", e.ipfs_cid as cid, e.before_landing ->> 'ipfs_cid' as "draftCid", e.metadata,
  e.location, e.documents, e.warnings, e.before_landing as "beforeLanding", e.erased`;

/** Rows of events and of erasures, for who asks what is held of a person and who erases it. */
@Injectable()
export class PrivacyQueries {
  /** @param lock until the transaction ends, so that an event neither lands nor expires meanwhile */
  events(tx: TenantTx, ids: readonly string[], lock: boolean): Promise<ErasableRow[]> {
    return tx.sql<ErasableRow>(
      `select ${COLUMNS} from traceability.event e where e.tenant_id = $1 and e.id = any($2::uuid[]) order by e.id${lock ? ' for update' : ''}`,
      [tx.tenantId, ids],
    );
  }

  /** The event, what it corrects and what corrects it: they say the same, and are erased together. */
  async withCorrections(tx: TenantTx, id: string): Promise<string[]> {
    const rows = await tx.sql<{ id: string }>(
      `with recursive named(id) as (
         select $2::uuid
         union
         select e.id from named n join traceability.event e on e.tenant_id = $1
           and (e.supersedes = n.id or e.id = (select s.supersedes from traceability.event s where s.tenant_id = $1 and s.id = n.id))
       ) select id from named`,
      [tx.tenantId, id],
    );
    return rows.map((row) => row.id);
  }

  /** Ids of events whose rows have words like these, in order. @param pattern for `~*` */
  async saying(tx: TenantTx, pattern: string, after: string | null, limit: number): Promise<string[]> {
    const rows = await tx.sql<{ id: string }>(
      `select e.id from traceability.event e
       where e.tenant_id = $1 and ($3::uuid is null or e.id > $3::uuid)
         and (normalize(e.metadata::text) ~* $2 or normalize(e.before_landing::text) ~* $2)
       order by e.id limit $4`,
      [tx.tenantId, pattern, after, limit],
    );
    return rows.map((row) => row.id);
  }

  async blank(tx: TenantTx, row: ErasableRow, at: Date): Promise<void> {
    await tx.sql(
      `update traceability.event set metadata = $3, location = $4, documents = $5, warnings = $6, before_landing = $7, erased = $8,
         content_state = 'erased', updated_at = $9
       where tenant_id = $1 and id = $2`,
      [
        ...[tx.tenantId, row.id],
        ...[row.metadata, row.location, row.documents, row.warnings, row.beforeLanding, row.erased].map((value) =>
          value === null ? null : JSON.stringify(value),
        ),
        at,
      ],
    );
  }

  /** Of all tenants, in order. @param since null: from the beginning */
  async erasures(tx: SystemTx, since: Date | null = null): Promise<ErasureEntry[]> {
    const rows = await tx.sql<Omit<ErasureEntry, 'erasedAt'> & { readonly erasedAt: Date }>(
      `select tenant_id as "tenantId", id, part, erased_at as "erasedAt", erased_by as "erasedBy", erased_values as values, contents
       from keys.erasure where erased_at > coalesce($1::timestamptz, '-infinity') order by erased_at, id, part`,
      [since],
    );
    return rows.map((row) => ({ ...row, erasedAt: row.erasedAt.toISOString() }));
  }

  /** Contents that still have something that an erasure destroyed: a restored dump brought it back. */
  async restored(tx: SystemTx, contents: readonly (ErasedContent & { readonly tenantId: string })[]): Promise<ReadonlySet<string>> {
    const rows = await tx.sql<{ cid: string }>(
      `select c.cid from unnest($1::uuid[], $2::text[], $3::uuid[], $4::jsonb[]) as c(tenant_id, cid, event_id, paths)
       where exists (
         select from keys.content_key k where k.tenant_id = c.tenant_id and k.cid = c.cid and (c.event_id is null or not k.erased @> c.paths)
       ) or exists (
         select from traceability.event e where e.tenant_id = c.tenant_id and e.id = c.event_id and e.metadata is not null
           and jsonb_array_length(e.erased) < jsonb_array_length(c.paths)
       )`,
      [
        contents.map(({ tenantId }) => tenantId),
        contents.map(({ cid }) => cid),
        contents.map(({ eventId }) => eventId),
        contents.map(({ paths }) => JSON.stringify(paths)),
      ],
    );
    return new Set(rows.map(({ cid }) => cid));
  }

  /** How often disclosures of values of persons were given away, by content; those of which none was are left out. */
  async disclosed(tx: TenantTx, cids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.sql<{ cid: string; disclosed: number }>(
      'select cid, disclosed::int as disclosed from keys.content_key where tenant_id = $1 and cid = any($2::text[]) and disclosed > 0',
      [tx.tenantId, cids],
    );
    return new Map(rows.map(({ cid, disclosed }) => [cid, disclosed]));
  }
}

export const pathsOf = (contents: readonly { readonly paths: readonly Path[] }[]): number =>
  contents.reduce((sum, { paths }) => sum + paths.length, 0);
