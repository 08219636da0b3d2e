import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { DEFAULT_RULES, type TenantRules } from '../../process-maps/event-reading.js';

/** What a tenant has set for its events; the defaults where it has set nothing. */
@Injectable()
export class TenantRulesQueries {
  async of(tx: TenantTx): Promise<TenantRules> {
    const [row] = await tx.sql<TenantRules>(
      `select block_expired as "blockExpired", block_recall_affected as "blockRecallAffected", contents
       from traceability.tenant_rules where tenant_id = $1`,
      [tx.tenantId],
    );
    return row ?? DEFAULT_RULES;
  }

  async set(tx: TenantTx, rules: TenantRules, by: { readonly id: string; readonly at: Date }): Promise<void> {
    await tx.sql(
      `insert into traceability.tenant_rules (tenant_id, block_expired, block_recall_affected, contents, changed_by, changed_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (tenant_id) do update set block_expired = excluded.block_expired,
         block_recall_affected = excluded.block_recall_affected, contents = excluded.contents, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
      [tx.tenantId, rules.blockExpired, rules.blockRecallAffected, rules.contents, by.id, by.at],
    );
  }
}
