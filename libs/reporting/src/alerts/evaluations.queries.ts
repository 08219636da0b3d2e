import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Finding, alertId } from './rules/rule.js';
import type { SourceName } from './rules/catalogue.js';

interface SourceCursor {
  readonly place: string | null;
  /** Last subject with an open alert that was judged again. */
  readonly openAfter: string | null;
}

/** One evaluation of a tenant. */
export interface Run {
  readonly at: Date;
  readonly block: number;
  readonly tookMs: number;
  /** Nothing is left for the next run. */
  readonly complete: boolean;
  readonly nextAt: Date;
}

/** When tenants are evaluated, and how far each source was read (`reporting.alert_evaluation`, `reporting.alert_cursor`). */
@Injectable()
export class EvaluationQueries {
  /** A tenant whose evaluation is due, leased: after a crash another process takes over; null if none is due. */
  async acquire(tx: SystemTx, now: Date, leaseMs: number): Promise<string | null> {
    const adding = tx.sql(
      `insert into reporting.alert_evaluation (tenant_id, next_at) select t.tenant_id, $1 from identity.tenant_v1 t
       where not exists (select from reporting.alert_evaluation r where r.tenant_id = t.tenant_id) on conflict do nothing`,
      [now],
    );
    const acquiring = tx.sql<{ tenant_id: string }>(
      `update reporting.alert_evaluation r set next_at = $2
       from (select tenant_id from reporting.alert_evaluation where next_at <= $1 order by next_at limit 1 for update skip locked) due
       where r.tenant_id = due.tenant_id returning r.tenant_id`,
      [now, new Date(now.getTime() + leaseMs)],
    );
    const [[acquired]] = await Promise.all([acquiring, adding]);
    return acquired?.tenant_id ?? null;
  }

  /** @param digest of the rule context: with another one than before the source is read from the beginning */
  async cursor(tx: TenantTx, source: SourceName, digest: string): Promise<SourceCursor> {
    const [row] = await tx.sql<SourceCursor & { readonly rules: string | null }>(
      `select place, recheck_after as "openAfter", rules from reporting.alert_cursor where tenant_id = $1 and source = $2`,
      [tx.tenantId, source],
    );
    return row?.rules === digest ? row : { place: null, openAfter: row?.openAfter ?? null };
  }

  async saveCursor(tx: TenantTx, source: SourceName, digest: string, { place, openAfter }: SourceCursor): Promise<void> {
    await tx.sql(
      `insert into reporting.alert_cursor (tenant_id, source, place, recheck_after, rules) values ($1, $2, $3, $4, $5)
       on conflict (tenant_id, source) do update set place = excluded.place, recheck_after = excluded.recheck_after, rules = excluded.rules
       where (alert_cursor.place, alert_cursor.recheck_after, alert_cursor.rules) is distinct from (excluded.place, excluded.recheck_after, excluded.rules)`,
      [tx.tenantId, source, place, openAfter, digest],
    );
  }

  async saveRun(tx: TenantTx, { at, block, tookMs, complete, nextAt }: Run): Promise<void> {
    await tx.sql(
      `update reporting.alert_evaluation set evaluated_at = $2, evaluated_block = $3, took_ms = $4, complete = $5, next_at = $6 where tenant_id = $1`,
      [tx.tenantId, at, block, tookMs, complete, nextAt],
    );
  }

  /** Counts active lots for the health score. Counting a million takes a second, so it takes at most a twentieth of the time. */
  async countActiveLots(tx: TenantTx, now: Date): Promise<void> {
    const [due] = await tx.sql(
      `select from reporting.alert_evaluation where tenant_id = $1
         and (counted_at is null or counted_at + make_interval(secs => coalesce(counting_ms, 0) / 50.0) <= $2)`,
      [tx.tenantId, now],
    );
    if (!due) return;
    const began = performance.now();
    const [counted] = await tx.sql<{ n: string }>(
      `select count(*) as n from traceability.lot_v1 where tenant_id = $1 and status = 'active' and not is_container`,
      [tx.tenantId],
    );
    await tx.sql('update reporting.alert_evaluation set active_lots = $2, counted_at = $3, counting_ms = $4 where tenant_id = $1', [
      tx.tenantId,
      counted!.n,
      now,
      Math.round(performance.now() - began),
    ]);
  }
}

/** Alerts as the evaluation writes them (`reporting.alert`). Unchanged rows are not written. */
@Injectable()
export class AlertStore {
  /** Saves the findings about these subjects of a source, and resolves their alerts without a finding. */
  async save(tx: TenantTx, source: SourceName, subjects: readonly string[], findings: readonly Finding[], now: Date): Promise<void> {
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

  /** Subjects with open alerts, by id. */
  async openSubjects(tx: TenantTx, source: SourceName, after: string | null, limit: number): Promise<readonly string[]> {
    const rows = await tx.sql<{ subject_id: string }>(
      `select distinct subject_id from reporting.alert
       where tenant_id = $1 and source = $2 and resolved_at is null and subject_id > $3 order by subject_id limit $4`,
      [tx.tenantId, source, after ?? '', limit],
    );
    return rows.map(({ subject_id: id }) => id);
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

/** A resolved alert that returns is detected again and not acknowledged; its first detection stays. */
const WRITE = `insert into reporting.alert as a (tenant_id, source, id, type, severity, subject_kind, subject_id, token_id, tlc, key, process_type, title,
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

const RESOLVE = `update reporting.alert set resolved_at = $5
  where tenant_id = $1 and source = $2 and subject_id = any ($3) and resolved_at is null and id <> all ($4)`;
