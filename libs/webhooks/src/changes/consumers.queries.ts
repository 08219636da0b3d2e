import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { consumerNotFound, tooManyConsumers } from '../errors.js';
import type { Place } from './change.js';

/** A named reader of the feed whose place the service stores. */
export interface Consumer {
  readonly name: string;
  /** User or API key. */
  readonly ownerId: string;
  /** Null = all that its owner may read. */
  readonly topics: readonly string[] | null;
  /** The last change that it acknowledged. */
  readonly place: Place;
  /** Changes after it, of all topics. */
  readonly behind: number;
  /** When the first of them came into the feed; null when there is none. */
  readonly behindSince: Date | null;
  readonly createdAt: Date;
  readonly usedAt: Date;
}

interface ConsumerRow extends Omit<Consumer, 'place'> {
  readonly position: number;
  readonly mark: string | null;
}

/** Of one principal in its tenant. */
export const MOST_CONSUMERS = 50;
/** A reader that only asks keeps its consumer alive; once in this time suffices. */
const USED_EVERY = `interval '1 hour'`;

const SELECT = `
  select c.name, c.owner_id as "ownerId", c.topics, c.position::float8 as position, left(m.id::text, 8) as mark, c.created_at as "createdAt",
    c.used_at as "usedAt", greatest(coalesce(f.last_position, 0) - c.position, 0)::float8 as behind, n.created_at as "behindSince"
  from webhooks.consumer c left join webhooks.feed f on f.tenant_id = c.tenant_id
  left join webhooks.message m on m.tenant_id = c.tenant_id and m.position = c.position
  left join webhooks.message n on n.tenant_id = c.tenant_id and n.position = greatest(c.position + 1, f.kept_from)`;

/** Each is of who made it: nobody else moves its place. */
@Injectable()
export class ConsumersQueries {
  /** By name. @param owner null: of all */
  async list(tx: TenantTx, owner: string | null): Promise<readonly Consumer[]> {
    const rows = await tx.sql<ConsumerRow>(
      `${SELECT} where c.tenant_id = $1 and ($2::uuid is null or c.owner_id = $2) order by c.name, c.owner_id`,
      [tx.tenantId, owner],
    );
    return rows.map(consumerOf);
  }

  /** @throws DomainError 404 `consumer_not_found` */
  async byName(tx: TenantTx, { id }: Actor, name: string): Promise<Consumer> {
    const [row] = await tx.sql<ConsumerRow>(`${SELECT} where c.tenant_id = $1 and c.owner_id = $2 and c.name = $3`, [
      tx.tenantId,
      id,
      name,
    ]);
    if (!row) throw consumerNotFound(name);
    return consumerOf(row);
  }

  /**
   * Makes it, or changes what is named. @param topics undefined: as they are @param position undefined: as it is, at first before all that is kept
   * @throws DomainError 429 `quota_exceeded`
   */
  async put(
    tx: TenantTx,
    { id }: Actor,
    name: string,
    {
      topics,
      position,
      at,
    }: { readonly topics: readonly string[] | null | undefined; readonly position: number | undefined; readonly at: Date },
  ): Promise<void> {
    await tx.sql(`select pg_advisory_xact_lock(hashtextextended('webhooks.consumer:' || $1::text || $2::text, 0))`, [tx.tenantId, id]);
    const [room] = await tx.sql<{ others: number }>(
      'select count(*)::int as others from webhooks.consumer where tenant_id = $1 and owner_id = $2 and name <> $3',
      [tx.tenantId, id, name],
    );
    if (room!.others >= MOST_CONSUMERS) throw tooManyConsumers(MOST_CONSUMERS);
    await tx.sql(
      `insert into webhooks.consumer as c (tenant_id, owner_id, name, topics, position, created_at, used_at)
       values ($1, $2, $3, $4, coalesce($5::bigint, (select kept_from - 1 from webhooks.feed where tenant_id = $1), 0), $6, $6)
       on conflict (tenant_id, owner_id, name) do update
         set topics = case when $7 then excluded.topics else c.topics end, position = coalesce($5::bigint, c.position), used_at = excluded.used_at`,
      [tx.tenantId, id, name, topics ?? null, position ?? null, at, topics !== undefined],
    );
  }

  /** Never backwards: of two acknowledgements that cross, the later place counts. @throws DomainError 404 `consumer_not_found` */
  async acknowledge(tx: TenantTx, { id }: Actor, name: string, position: number, at: Date): Promise<void> {
    const found = await tx.sql(
      `update webhooks.consumer set position = greatest(position, $4), used_at = $5 where tenant_id = $1 and owner_id = $2 and name = $3
       returning 1`,
      [tx.tenantId, id, name, position, at],
    );
    if (found.length === 0) throw consumerNotFound(name);
  }

  /** Of a consumer that is read from. */
  async touch(tx: TenantTx, { id }: Actor, name: string, at: Date): Promise<void> {
    await tx.sql(
      `update webhooks.consumer set used_at = $4 where tenant_id = $1 and owner_id = $2 and name = $3 and used_at < $4::timestamptz - ${USED_EVERY}`,
      [tx.tenantId, id, name, at],
    );
  }

  /** @throws DomainError 404 `consumer_not_found` */
  async remove(tx: TenantTx, owner: string, name: string): Promise<void> {
    const gone = await tx.sql('delete from webhooks.consumer where tenant_id = $1 and owner_id = $2 and name = $3 returning 1', [
      tx.tenantId,
      owner,
      name,
    ]);
    if (gone.length === 0) throw consumerNotFound(name);
  }
}

const consumerOf = ({ position, mark, ...row }: ConsumerRow): Consumer => ({ ...row, place: { position, mark: mark ?? '' } });

/** A consumer with the slug of its tenant. */
export interface ConsumerOfTenant extends Pick<Consumer, 'ownerId' | 'name' | 'behind' | 'usedAt'> {
  readonly tenant: string;
  /** Age of the first change that it has not acknowledged; 0 when there is none. */
  readonly behindSeconds: number;
}

/** Of all tenants, the farthest behind first. */
export const consumersOfAll = (tx: SystemTx): Promise<ConsumerOfTenant[]> =>
  tx.sql<ConsumerOfTenant>(`
    select t.slug as tenant, c.owner_id as "ownerId", c.name, c.used_at as "usedAt",
      greatest(coalesce(f.last_position, 0) - c.position, 0)::float8 as behind, coalesce(extract(epoch from now() - m.created_at), 0)::float8 as "behindSeconds"
    from webhooks.consumer c join identity.tenant_v1 t using (tenant_id) left join webhooks.feed f using (tenant_id)
    left join webhooks.message m on m.tenant_id = c.tenant_id and m.position = greatest(c.position + 1, f.kept_from)
    order by behind desc, t.slug, c.name`);
