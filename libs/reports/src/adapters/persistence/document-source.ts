import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertSource, type Followed, type Fresh } from '../../alerts.ports.js';
import type { Circumstances } from '../../domain/alerts/circumstances.js';
import type { DocumentFacts } from '../../domain/alerts/facts.js';
import { BATCH } from './alert-source.js';

interface Row {
  readonly event_id: string;
  readonly process_type: string | null;
  readonly type: string;
  readonly number: string;
  readonly issuer: string | null;
  readonly valid_to: string;
  readonly org_id: string | null;
  readonly lots: readonly { readonly tokenId: number; readonly tlc: string }[] | null;
}

/** Documents whose last day is over, of events whose lots are still there. */
@Injectable()
export class DocumentSource extends AlertSource<DocumentFacts> {
  override async fresh(tx: TenantTx, _: Followed, at: Circumstances): Promise<Fresh> {
    const rows = await tx.sql<{ id: string }>(
      `with due as (
         select tenant_id, event_id, type, number from reports.dated_document
         where tenant_id = $1 and not judged and valid_to < ($2::timestamptz at time zone 'UTC')::date order by valid_to, event_id limit ${BATCH})
       update reports.dated_document d set judged = true from due
       where d.tenant_id = due.tenant_id and d.event_id = due.event_id and d.type = due.type and d.number = due.number
       returning d.event_id as id`,
      [tx.tenantId, at.now],
    );
    return { ids: [...new Set(rows.map(({ id }) => id))], place: null, more: rows.length >= BATCH };
  }

  override async facts(tx: TenantTx, ids: readonly string[], at: Circumstances): Promise<readonly DocumentFacts[]> {
    const rows = await tx.sql<Row>(
      `select d.event_id, e.process_type, d.type, d.number, d.issuer, d.valid_to::text, e.org_id, l.lots
       from reports.dated_document d
       join traceability.event_v1 e on e.tenant_id = d.tenant_id and e.id = d.event_id and e.counts
       left join lateral (
         select jsonb_agg(jsonb_build_object('tokenId', l.token_id, 'tlc', l.tlc) order by l.token_id) as lots
         from (select l.token_id, l.tlc from traceability.lot_v1 l
               where l.tenant_id = $1 and l.token_id = any (e.input_token_ids || e.output_token_ids) and l.retired_at is null and not l.used_up
               order by l.token_id limit 100) l
       ) l on true
       where d.tenant_id = $1 and d.event_id = any ($2::uuid[]) and d.valid_to < ($3::timestamptz at time zone 'UTC')::date
       order by d.event_id, d.type, d.number`,
      [tx.tenantId, ids, at.now],
    );
    return rows.map((row) => ({
      eventId: row.event_id,
      processType: row.process_type,
      type: row.type,
      number: row.number,
      issuer: row.issuer,
      validTo: row.valid_to,
      liveLots: row.lots ?? [],
      orgIds: row.org_id === null ? [] : [row.org_id],
    }));
  }
}
