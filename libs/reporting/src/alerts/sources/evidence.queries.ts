import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { DocumentFacts, PointerFacts } from '../rules/evidence.rules.js';
import type { EventFacts } from '../rules/event.rules.js';
import type { RuleContext } from '../rules/rule.js';
import { AlertSource, BATCH, type Candidates, type SourcePosition, withoutPlace } from './source.queries.js';

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

/** Documents past their last day, of events with lots in stock. */
@Injectable()
export class DocumentSource extends AlertSource<DocumentFacts> {
  override async candidates(tx: TenantTx, _: SourcePosition, context: RuleContext): Promise<Candidates> {
    const rows = await tx.sql<{ id: string }>(
      `with due as (
         select tenant_id, event_id, type, number from reporting.dated_document
         where tenant_id = $1 and not judged and valid_to < ($2::timestamptz at time zone 'UTC')::date order by valid_to, event_id limit ${BATCH})
       update reporting.dated_document d set judged = true from due
       where d.tenant_id = due.tenant_id and d.event_id = due.event_id and d.type = due.type and d.number = due.number
       returning d.event_id as id`,
      [tx.tenantId, context.now],
    );
    return { ids: [...new Set(rows.map(({ id }) => id))], place: null, more: rows.length >= BATCH };
  }

  override async facts(tx: TenantTx, ids: readonly string[], context: RuleContext): Promise<readonly DocumentFacts[]> {
    const rows = await tx.sql<Row>(
      `select d.event_id, e.process_type, d.type, d.number, d.issuer, d.valid_to::text, e.org_id, l.lots
       from reporting.dated_document d
       join traceability.event_v1 e on e.tenant_id = d.tenant_id and e.id = d.event_id and e.counts
       left join lateral (
         select jsonb_agg(jsonb_build_object('tokenId', l.token_id, 'tlc', l.tlc) order by l.token_id) as lots
         from (select l.token_id, l.tlc from traceability.lot_v1 l
               where l.tenant_id = $1 and l.token_id = any (e.input_token_ids || e.output_token_ids) and l.retired_at is null and not l.used_up
               order by l.token_id limit 100) l
       ) l on true
       where d.tenant_id = $1 and d.event_id = any ($2::uuid[]) and d.valid_to < ($3::timestamptz at time zone 'UTC')::date
       order by d.event_id, d.type, d.number`,
      [tx.tenantId, ids, context.now],
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

/** Stores which documents of the events expire, and deletes those that a correction removed. */
export async function saveDocumentDates(tx: TenantTx, ids: readonly string[], events: readonly EventFacts[]): Promise<void> {
  const dated = new Map<
    string,
    { readonly eventId: string; readonly type: string; readonly number: string; readonly issuer: string | null; readonly validTo: string }
  >();
  for (const event of events)
    for (const { type, number, issuer, validTo } of event.documents)
      if (typeof type === 'string' && typeof number === 'string' && isDate(validTo))
        dated.set(`${event.id}|${type}|${number}`, {
          eventId: event.id,
          type,
          number,
          issuer: typeof issuer === 'string' ? issuer : null,
          validTo,
        });
  const all = [...dated.values()];
  await tx.sql(
    `delete from reporting.dated_document d where d.tenant_id = $1 and d.event_id = any ($2::uuid[])
       and (d.event_id::text, d.type, d.number) not in (select * from unnest($3::text[], $4::text[], $5::text[]))`,
    [tx.tenantId, ids, all.map((one) => one.eventId), all.map((one) => one.type), all.map((one) => one.number)],
  );
  if (all.length === 0) return;
  await tx.sql(
    `insert into reporting.dated_document (tenant_id, event_id, type, number, issuer, valid_to)
     select $1, * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::date[])
     on conflict (tenant_id, event_id, type, number) do update
       set issuer = excluded.issuer, valid_to = excluded.valid_to, judged = false
     where (dated_document.issuer, dated_document.valid_to) is distinct from (excluded.issuer, excluded.valid_to)`,
    [
      tx.tenantId,
      all.map((one) => one.eventId),
      all.map((one) => one.type),
      all.map((one) => one.number),
      all.map((one) => one.issuer),
      all.map((one) => one.validTo),
    ],
  );
}

const isDate = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().startsWith(value);

/** Pointers with a fault at their last check. A candidate is the record with the pointer. */
@Injectable()
export class PointerSource extends AlertSource<PointerFacts> {
  override async candidates(tx: TenantTx): Promise<Candidates> {
    return withoutPlace(
      await tx.sql(
        `select distinct p.subject_id as id from reporting.pointer p
         where p.tenant_id = $1 and p.status in ('mismatch', 'unresolved')
           and (p.kind in ('cid', 'document') or (p.kind in ('nft', 'dataHash', 'tx') and p.status = 'mismatch'))
           and not exists (select from reporting.alert a where a.tenant_id = $1 and a.source = 'pointer' and a.subject_id = p.subject_id
             and a.key = p.id and a.resolved_at is null
             and a.type = case when p.kind not in ('cid', 'document') then 'CHAIN_DRIFT' when p.status = 'mismatch' then 'CID_MISMATCH' else 'CID_UNRESOLVED' end)
         limit ${BATCH}`,
        [tx.tenantId],
      ),
    );
  }

  override facts(tx: TenantTx, ids: readonly string[]): Promise<readonly PointerFacts[]> {
    return tx.sql<PointerFacts>(
      `select id as "pointerId", kind, status, value, detail, checked_at as "checkedAt", process_type as "processType", subject_kind as "subjectKind", subject_id as "subjectId",
         token_id::float8 as "tokenId", tlc, org_ids as "orgIds"
       from reporting.pointer where tenant_id = $1 and subject_kind in ('lot', 'event') and subject_id = any ($2) and status in ('mismatch', 'unresolved')
       order by id`,
      [tx.tenantId, ids],
    );
  }
}
