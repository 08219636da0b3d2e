import { Injectable } from '@nestjs/common';
import type { SystemTx, TenantTx } from '#persistence';
import type { Place } from './change.js';

export interface FeedEnds {
  readonly last: Place;
  /** The first place that is kept. */
  readonly keptFrom: number;
  /** Of the change at the place that was named; null where there is none. */
  readonly markThere: string | null;
}

export interface FeedRow {
  readonly position: number;
  readonly id: string;
  readonly topic: string;
  /** Null for a topic that was not wanted. */
  readonly body: string | null;
}

interface EndsRow {
  readonly last: string;
  readonly kept: string;
  readonly lastMark: string | null;
  readonly mark: string | null;
}

const ENDS = `
  select f.last_position as last, f.kept_from as kept,
    (select left(id::text, 8) from webhooks.message m where m.tenant_id = $1 and m.position = f.last_position) as "lastMark",
    (select left(id::text, 8) from webhooks.message m where m.tenant_id = $1 and m.position = $2) as mark
  from webhooks.feed f where f.tenant_id = $1`;

const ROWS = `
  select position::float8 as position, id, topic, case when $3::text[] is null or topic = any($3) then body end as body
  from webhooks.message
  where tenant_id = $1 and position >= greatest($2::bigint + 1, (select kept_from from webhooks.feed where tenant_id = $1))
  order by position limit $4`;

/** The change feed of one tenant. */
@Injectable()
export class ChangesQueries {
  /** @param position whose mark is read */
  async ends(tx: TenantTx, position: number | null): Promise<FeedEnds> {
    const [row] = await tx.sql<EndsRow>(ENDS, [tx.tenantId, position]);
    if (!row) return { last: { position: 0, mark: '' }, keptFrom: 1, markThere: null };
    return { last: { position: Number(row.last), mark: row.lastMark ?? '' }, keptFrom: Number(row.kept), markThere: row.mark };
  }

  /** In their order. @param after null: from the first one that is kept @param topics null: all */
  rows(tx: TenantTx, after: number | null, topics: readonly string[] | null, limit: number): Promise<readonly FeedRow[]> {
    return tx.sql<FeedRow>(ROWS, [tx.tenantId, after ?? 0, topics, limit]);
  }
}

/** Consumers that have not acknowledged everything, over all tenants. */
export interface ConsumerBacklog {
  readonly consumers: number;
  /** Of the one that is the farthest behind. */
  readonly mostBehind: number;
  /** Age of the oldest change that a consumer has not acknowledged, in seconds; null when there is none. */
  readonly oldestSeconds: number | null;
}

/** Counts all topics: what a consumer left out is behind it, too, as soon as it acknowledges a later change. */
export async function consumerBacklog(tx: SystemTx): Promise<ConsumerBacklog> {
  const [backlog] = await tx.sql<ConsumerBacklog>(`
    select count(*)::int as consumers, coalesce(max(greatest(f.last_position - c.position, 0)), 0)::float8 as "mostBehind",
      max(extract(epoch from now() - m.created_at))::float8 as "oldestSeconds"
    from webhooks.consumer c left join webhooks.feed f using (tenant_id)
    left join webhooks.message m on m.tenant_id = c.tenant_id and m.position = greatest(c.position + 1, f.kept_from)`);
  return backlog!;
}
