import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import type { FactWalk } from '../../facts.ports.js';

interface Row {
  readonly place: string | null;
  readonly head: string | null;
  readonly final: string | null;
}

/** How far the facts of tenants were followed, in a table of `place` and positions. */
export class FactWalks {
  constructor(private readonly table: 'reports.fact_walk' | 'reports.transfer_walk') {}

  async take(tx: TenantTx): Promise<FactWalk | null> {
    await tx.sql(`insert into ${this.table} (tenant_id) values ($1) on conflict do nothing`, [tx.tenantId]);
    const [row] = await tx.sql<Row>(
      `select place, seen_head as head, seen_final as final from ${this.table} where tenant_id = $1 for update skip locked`,
      [tx.tenantId],
    );
    return row ? { place: row.place, seen: row.head === null ? null : { head: Number(row.head), final: Number(row.final) } } : null;
  }

  async walked(tx: TenantTx, { place, seen }: FactWalk, asOf: ChainPosition | null): Promise<void> {
    await tx.sql(
      `update ${this.table} set place = $2, seen_head = $3, seen_final = $4, as_of_head = coalesce($5, as_of_head),
         as_of_final = coalesce($6, as_of_final) where tenant_id = $1`,
      [tx.tenantId, place, seen?.head ?? null, seen?.final ?? null, asOf?.head ?? null, asOf?.final ?? null],
    );
  }
}
