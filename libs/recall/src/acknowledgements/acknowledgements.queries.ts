import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import type { AcknowledgedState, Acknowledgement } from './acknowledgement.js';

/** What holders are asked about: a recall that landed, or a drill that asks. */
export interface Asking {
  readonly id: string;
  readonly drill: boolean;
  /** Lots from which it reaches others; none when all of a recall's were lifted. */
  readonly roots: readonly bigint[];
}

interface AcknowledgementRow {
  readonly id: string;
  readonly token_id: string;
  readonly holder: string;
  readonly org_id: string | null;
  readonly state: AcknowledgedState;
  readonly quantity: string | null;
  readonly uom: string | null;
  readonly acknowledged_by: string;
  readonly acknowledged_at: Date;
}

/** What holders said of lots of recalls and drills. Each row stays: the last one of a lot counts. */
@Injectable()
export class AcknowledgementQueries {
  /** Null for an unknown id, or a drill that asks nobody. */
  async asking(tx: TenantTx, id: string): Promise<Asking | null> {
    const [row] = await tx.sql<{ drill: boolean; roots: readonly string[] }>(
      `select false as drill, array(
         select l.token_id::text from recall.recalled_lot l where l.tenant_id = $1 and l.recall_id = r.id and l.lifted_block is null order by l.token_id) as roots
       from recall.recall r where r.tenant_id = $1 and r.id = $2
       union all
       select true, array[d.token_id::text] from recall.drill d where d.tenant_id = $1 and d.id = $2 and d.asks`,
      [tx.tenantId, id],
    );
    return row ? { id, drill: row.drill, roots: row.roots.map(BigInt) } : null;
  }

  /** The last of each lot. @param tokenIds null: of all lots */
  async latest(tx: TenantTx, id: string, tokenIds: readonly bigint[] | null): Promise<ReadonlyMap<bigint, Acknowledgement>> {
    const rows = await tx.sql<AcknowledgementRow>(
      `select distinct on (token_id) id, token_id, holder, org_id, state, trim_scale(quantity)::text as quantity, uom, acknowledged_by, acknowledged_at
       from recall.acknowledgement where tenant_id = $1 and recall_id = $2 and ($3::bigint[] is null or token_id = any($3::bigint[]))
       order by token_id, acknowledged_at desc, id desc`,
      [tx.tenantId, id, tokenIds?.map(String) ?? null],
    );
    return new Map(rows.map((row) => [BigInt(row.token_id), acknowledgementOf(row)]));
  }

  /** The lots among them for which their holder has given so many answers. */
  async answered(
    tx: TenantTx,
    id: string,
    of: readonly Pick<Acknowledgement, 'tokenId' | 'holder'>[],
    most: number,
  ): Promise<ReadonlySet<bigint>> {
    if (of.length === 0) return new Set();
    const rows = await tx.sql<{ token_id: string }>(
      `select a.token_id from unnest($3::bigint[], $4::text[]) as n(token_id, holder)
       join recall.acknowledgement a on a.tenant_id = $1 and a.recall_id = $2 and a.token_id = n.token_id and a.holder = n.holder
       group by a.token_id having count(*) >= $5`,
      [tx.tenantId, id, of.map(({ tokenId }) => String(tokenId)), of.map(({ holder }) => holder), most],
    );
    return new Set(rows.map((row) => BigInt(row.token_id)));
  }

  /** Acknowledgements of one recall wait for each other. */
  async lock(tx: TenantTx, id: string): Promise<void> {
    await tx.sql(`select pg_advisory_xact_lock(hashtextextended('recall.acknowledgement:' || $1::text, 0))`, [id]);
  }

  async add(tx: TenantTx, recallId: string, added: readonly Acknowledgement[]): Promise<void> {
    if (added.length === 0) return;
    const column = <T>(of: (one: Acknowledgement) => T): T[] => added.map(of);
    await tx.sql(
      `insert into recall.acknowledgement (tenant_id, recall_id, id, token_id, holder, org_id, state, quantity, uom, acknowledged_by, acknowledged_at)
       select $1, $2, a.* from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::numeric[], $9::text[], $10::text[], $11::timestamptz[]) as a`,
      [
        ...[tx.tenantId, recallId, column(({ id }) => id), column(({ tokenId }) => String(tokenId)), column(({ holder }) => holder)],
        ...[column(({ orgId }) => orgId), column(({ state }) => state), column(({ quantity }) => quantity), column(({ uom }) => uom)],
        ...[column(({ by }) => by), column(({ at }) => at)],
      ],
    );
  }
}

const acknowledgementOf = (row: AcknowledgementRow): Acknowledgement => ({
  id: row.id,
  tokenId: BigInt(row.token_id),
  holder: row.holder,
  orgId: row.org_id,
  state: row.state,
  quantity: row.quantity,
  uom: row.uom,
  by: row.acknowledged_by,
  at: row.acknowledged_at,
});
