import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ReportResult } from './report.js';

/** Answers kept of a tenant: those asked for last. */
const MAX_ANSWERS = 200;

type Stored = Omit<ReportResult, 'generatedAt'> & { readonly generatedAt: string };

export interface LargeTenant {
  readonly tenantId: string;
  readonly slug: string;
}

/** Answers of reports of large tenants, by question (`reporting.report_cache`). */
@Injectable()
export class ReportCache {
  async find(tx: TenantTx, question: string): Promise<ReportResult | null> {
    const [row] = await tx.sql<{ reported: Stored }>('select reported from reporting.report_cache where tenant_id = $1 and question = $2', [
      tx.tenantId,
      question,
    ]);
    return row ? { ...row.reported, generatedAt: new Date(row.reported.generatedAt), isLive: false } : null;
  }

  /** Replaces the answer before, and deletes what was not asked for lately. */
  async save(tx: TenantTx, question: string, report: string, result: ReportResult): Promise<void> {
    const saving = tx.sql(
      `insert into reporting.report_cache (tenant_id, question, report, reported, generated_at, as_of_block, requested_at)
       values ($1, $2, $3, $4, $5, $6, $5)
       on conflict (tenant_id, question) do update set reported = excluded.reported, generated_at = excluded.generated_at, requested_at = excluded.requested_at,
         as_of_block = excluded.as_of_block`,
      [tx.tenantId, question, report, JSON.stringify(result), result.generatedAt, result.asOf.head],
    );
    const deleting = tx.sql(
      `delete from reporting.report_cache where tenant_id = $1 and requested_at < (
         select requested_at from reporting.report_cache where tenant_id = $1 order by requested_at desc offset ${MAX_ANSWERS} limit 1)`,
      [tx.tenantId],
    );
    await Promise.all([saving, deleting]);
  }

  largeTenants(tx: SystemTx, lots: number): Promise<readonly LargeTenant[]> {
    return tx.sql(
      `select t.tenant_id as "tenantId", t.slug from identity.tenant_v1 t
       where (select l.token_id from traceability.lot_v1 l where l.tenant_id = t.tenant_id order by l.token_id desc limit 1) >= $1 order by t.tenant_id`,
      [lots],
    );
  }

  /** Number of lots that the tenant ever had; may be too high, never too low. */
  async lotCount(tx: TenantTx): Promise<number> {
    // Token ids are consecutive, so the greatest is the count. `order by … limit 1` reads the end of an index; `max` under row-level
    // security would read every entry.
    const [row] = await tx.sql<{ most: string }>(
      'select token_id as most from traceability.lot_v1 where tenant_id = $1 order by token_id desc limit 1',
      [tx.tenantId],
    );
    return Number(row?.most ?? 0);
  }
}
