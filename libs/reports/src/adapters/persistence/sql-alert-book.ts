import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertBook, type SourceName } from '../../alerts.ports.js';
import { type Finding, alertId } from '../../domain/alerts/alert.js';

/** What stands: written by whoever goes around. Rows that say the same as before are left alone. */
@Injectable()
export class SqlAlertBook extends AlertBook {
  override async settle(
    tx: TenantTx,
    source: SourceName,
    subjects: readonly string[],
    findings: readonly Finding[],
    now: Date,
  ): Promise<void> {
    const rows = new Map(findings.map((finding) => [alertId(finding), finding]));
    if (rows.size > 0)
      await tx.sql(WRITE, [tx.tenantId, source, now, JSON.stringify([...rows].map(([id, finding]) => columnsOf(id, finding)))]);
    await tx.sql(RESOLVE, [
      tx.tenantId,
      source,
      [...new Set([...subjects, ...findings.map(({ subject }) => subject.id)])],
      [...rows.keys()],
      now,
    ]);
  }

  override async standing(tx: TenantTx, source: SourceName, after: string | null, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ subject_id: string }>(
      `select distinct subject_id from reports.alert
       where tenant_id = $1 and source = $2 and resolved_at is null and subject_id > $3 order by subject_id limit $4`,
      [tx.tenantId, source, after ?? '', limit],
    );
    return rows.map(({ subject_id: id }) => id);
  }

  override async forget(tx: SystemTx, before: Date, most: number): Promise<number> {
    const [counts] = await tx.sql<{ forgotten: number }>(
      `with old as materialized (
         select tenant_id, id from reports.alert where resolved_at < $1 order by resolved_at limit $2 for update skip locked
       ), gone as (
         delete from reports.alert a using old where a.tenant_id = old.tenant_id and a.id = old.id
       )
       select count(*)::int as forgotten from old`,
      [before, most],
    );
    return counts!.forgotten;
  }
}

const columnsOf = (id: string, finding: Finding): object => ({
  id,
  type: finding.type,
  severity: finding.severity,
  subject_kind: finding.subject.kind,
  subject_id: finding.subject.id,
  token_id: finding.subject.tokenId,
  tlc: finding.subject.tlc,
  key: finding.key,
  process_type: finding.processType ?? null,
  title: finding.title,
  detail: finding.detail,
  evidence: finding.evidence,
  threshold: finding.threshold,
  group_name: finding.group,
  org_ids: finding.orgIds,
});

/** One that comes back begins anew, unacknowledged; when it was seen for the first time stays. */
const WRITE = `insert into reports.alert as a (tenant_id, source, id, type, severity, subject_kind, subject_id, token_id, tlc, key, process_type, title,
    detail, evidence, threshold, group_name, org_ids, first_seen_at, detected_at)
  select $1, $2, f.*, $3, $3 from jsonb_to_recordset($4::jsonb) as f(id text, type text, severity text, subject_kind text, subject_id text,
    token_id bigint, tlc text, key text, process_type text, title text, detail text, evidence jsonb, threshold jsonb, group_name text, org_ids text[])
  on conflict (tenant_id, id) do update set source = excluded.source, severity = excluded.severity, token_id = excluded.token_id, tlc = excluded.tlc,
    process_type = excluded.process_type, title = excluded.title, detail = excluded.detail, evidence = excluded.evidence,
    threshold = excluded.threshold, group_name = excluded.group_name, org_ids = excluded.org_ids, resolved_at = null,
    detected_at = case when a.resolved_at is null then a.detected_at else excluded.detected_at end,
    acknowledged_at = case when a.resolved_at is null then a.acknowledged_at end,
    acknowledged_by = case when a.resolved_at is null then a.acknowledged_by end,
    acknowledged_note = case when a.resolved_at is null then a.acknowledged_note end,
    muted_until = case when a.resolved_at is null then a.muted_until end
  where a.resolved_at is not null
    or (a.severity, a.tlc, a.process_type, a.title, a.detail, a.evidence, a.threshold, a.group_name, a.org_ids)
      is distinct from (excluded.severity, excluded.tlc, excluded.process_type, excluded.title, excluded.detail, excluded.evidence, excluded.threshold,
        excluded.group_name, excluded.org_ids)`;

const RESOLVE = `update reports.alert set resolved_at = $5
  where tenant_id = $1 and source = $2 and subject_id = any ($3) and resolved_at is null and id <> all ($4)`;
