import { type TenantTx, countOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Drill, DrillReport } from './drill.js';

interface DrillRow {
  readonly id: string;
  readonly token_id: string;
  readonly tlc: string;
  readonly drawn: boolean;
  readonly started_at: Date;
  readonly started_by: string;
  readonly asks: boolean;
  readonly score: string;
  readonly report: DrillReport;
}

const SELECT = 'select id, token_id, tlc, drawn, started_at, started_by, asks, score, report from recall.drill';

/** Mock recalls whose reports are kept. */
@Injectable()
export class DrillQueries {
  async save(tx: TenantTx, drill: Drill): Promise<void> {
    await tx.sql(
      `insert into recall.drill (tenant_id, id, token_id, tlc, drawn, started_at, started_by, asks, score, report)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        tx.tenantId,
        ...[drill.id, drill.tokenId, drill.tlc, drill.drawn, drill.startedAt, drill.startedBy, drill.asks, drill.score],
        JSON.stringify(drill.report),
      ],
    );
  }

  async byId(tx: TenantTx, id: string): Promise<Drill | null> {
    const [row] = await tx.sql<DrillRow>(`${SELECT} where tenant_id = $1 and id = $2`, [tx.tenantId, id]);
    return row ? drillOf(row) : null;
  }

  /** Newest first. */
  async list(tx: TenantTx, offset: number, limit: number): Promise<{ readonly drills: readonly Drill[]; readonly counted: number }> {
    const page = tx.sql<DrillRow>(`${SELECT} where tenant_id = $1 order by started_at desc, id limit $2 offset $3`, [
      tx.tenantId,
      limit,
      offset,
    ]);
    const [rows, counted] = await Promise.all([page, countOf(tx, 'recall.drill where tenant_id = $1', [tx.tenantId])]);
    return { drills: rows.map(drillOf), counted };
  }

  /** A live lot that is no container; `dice` in [0, 1) selects it. Null when there is none. */
  async draw(tx: TenantTx, dice: number): Promise<bigint | null> {
    // A number between the first and the last token id, and the next live lot from there: a million lots need not be counted.
    const [row] = await tx.sql<{ token_id: string }>(
      `with range as (select min(token_id) as least, max(token_id) as most from traceability.lot_v1 where tenant_id = $1)
       (select l.token_id from range r join traceability.lot_v1 l on l.tenant_id = $1
          and l.token_id >= r.least + floor((r.most - r.least + 1) * $2::float8)::bigint
        where not l.is_container and not l.used_up and l.retired_at is null order by l.token_id limit 1)
       union all
       (select l.token_id from traceability.lot_v1 l
        where l.tenant_id = $1 and not l.is_container and not l.used_up and l.retired_at is null order by l.token_id desc limit 1)
       limit 1`,
      [tx.tenantId, dice],
    );
    return row ? BigInt(row.token_id) : null;
  }
}

const drillOf = (row: DrillRow): Drill => ({
  id: row.id,
  tokenId: BigInt(row.token_id),
  tlc: row.tlc,
  drawn: row.drawn,
  startedAt: row.started_at,
  startedBy: row.started_by,
  asks: row.asks,
  score: Number(row.score),
  report: row.report,
});
