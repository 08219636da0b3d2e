import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { KeptAnswers, type Reported } from '../../ports.js';

/** Of a tenant, the ones that were asked last. */
const KEPT = 200;
/** Whoever claims a refresh and dies keeps the others from it for this long. */
const CLAIMED_FOR = '2 minutes';

type Stored = Omit<Reported, 'generatedAt'> & { readonly generatedAt: string };

@Injectable()
export class SqlKeptAnswers extends KeptAnswers {
  override async find(tx: TenantTx, question: string): Promise<Reported | null> {
    const [row] = await tx.sql<{ reported: Stored }>('select reported from reports.kept_answer where tenant_id = $1 and question = $2', [
      tx.tenantId,
      question,
    ]);
    return row ? { ...row.reported, generatedAt: new Date(row.reported.generatedAt) } : null;
  }

  override async claim(tx: TenantTx, question: string, seen: Date, now: Date): Promise<boolean> {
    const claimed = await tx.sql(
      `update reports.kept_answer set asked_at = $3, refreshing_until = $3::timestamptz + interval '${CLAIMED_FOR}'
       where tenant_id = $1 and question = $2 and generated_at = $4 and (refreshing_until is null or refreshing_until < $3) returning question`,
      [tx.tenantId, question, now, seen],
    );
    return claimed.length > 0;
  }

  override async keep(tx: TenantTx, question: string, report: string, reported: Reported): Promise<void> {
    await tx.sql(
      `insert into reports.kept_answer (tenant_id, question, report, reported, generated_at, as_of_block, asked_at)
       values ($1, $2, $3, $4, $5, $6, $5)
       on conflict (tenant_id, question) do update set reported = excluded.reported, generated_at = excluded.generated_at, asked_at = excluded.asked_at,
         as_of_block = excluded.as_of_block, refreshing_until = null`,
      [tx.tenantId, question, report, JSON.stringify(reported), reported.generatedAt, reported.asOf.head],
    );
    await tx.sql(
      `delete from reports.kept_answer where tenant_id = $1 and asked_at < (
         select asked_at from reports.kept_answer where tenant_id = $1 order by asked_at desc offset ${KEPT} limit 1)`,
      [tx.tenantId],
    );
  }

  override largeTenants(tx: SystemTx, lots: number): Promise<readonly { readonly tenantId: string; readonly slug: string }[]> {
    return tx.sql(
      `select t.tenant_id as "tenantId", t.slug from identity.tenant_v1 t
       where (select l.token_id from traceability.lot_v1 l where l.tenant_id = t.tenant_id order by l.token_id desc limit 1) >= $1 order by t.tenant_id`,
      [lots],
    );
  }

  override async lots(tx: TenantTx): Promise<number> {
    // Token ids are given out in a row, so the greatest says how many there are. It is the end of an index, which `max` does not find
    // behind row-level security: it would read a million entries.
    const [row] = await tx.sql<{ most: string }>(
      'select token_id as most from traceability.lot_v1 where tenant_id = $1 order by token_id desc limit 1',
      [tx.tenantId],
    );
    return Number(row?.most ?? 0);
  }
}
