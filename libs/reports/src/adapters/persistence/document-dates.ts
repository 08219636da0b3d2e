import type { TenantTx } from '#persistence';
import type { EventFacts } from '../../domain/alerts/facts.js';

/** Remembers which documents of these events run out; what a correction took away is forgotten. */
export async function rememberDates(tx: TenantTx, ids: readonly string[], events: readonly EventFacts[]): Promise<void> {
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
    `delete from reports.dated_document d where d.tenant_id = $1 and d.event_id = any ($2::uuid[])
       and (d.event_id::text, d.type, d.number) not in (select * from unnest($3::text[], $4::text[], $5::text[]))`,
    [tx.tenantId, ids, all.map((one) => one.eventId), all.map((one) => one.type), all.map((one) => one.number)],
  );
  if (all.length === 0) return;
  await tx.sql(
    `insert into reports.dated_document (tenant_id, event_id, type, number, issuer, valid_to)
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
