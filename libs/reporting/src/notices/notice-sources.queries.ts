import type { SystemTx, TenantTx } from '#persistence';
import { arrayParameter } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { FeedChange, RecallRequest } from './notice.js';

interface AlertGroup {
  readonly type: string;
  readonly group: string;
  readonly orgIds: readonly string[];
  readonly count: number;
  readonly title: string;
}

/** Days over which a notice of something old is not news. */
const NEWS_DAYS = 7;
const DOCUMENT_DAYS = 30;
const CHANGES_AT_ONCE = 1_000;
const TOPICS: readonly string[] = ['nft.recalled', 'custody.offered', 'import.finished'];
/** Alerts that are notices of another topic. */
const OTHER_TOPICS: readonly string[] = ['WEBHOOK_FAILING', 'CUSTODY_PENDING', 'DOCUMENT_EXPIRED'];

/** What notices are made from. */
@Injectable()
export class NoticeSourceQueries {
  /** Tenants whose feed has grown, whose recall requests are due, or that were not looked after for this time. */
  async dueTenants(tx: SystemTx, now: Date, idleSince: Date): Promise<readonly { readonly tenantId: string }[]> {
    return tx.sql<{ tenantId: string }>(
      `select t.tenant_id as "tenantId" from identity.tenant_v1 t
       left join reporting.notice_cursor c on c.tenant_id = t.tenant_id left join webhooks.feed_v1 f on f.tenant_id = t.tenant_id
       where t.status = 'active' and (c.tenant_id is null or c.gathered_at < $2 or f.last_position > c.position
         or exists (select from reporting.recall_request r where r.tenant_id = t.tenant_id and r.next_at <= $1))
       order by c.gathered_at nulls first limit 500`,
      [now, idleSince],
    );
  }

  /** Locks the place of the tenant; null where another process has it. */
  async cursor(tx: TenantTx): Promise<{ readonly position: number } | null> {
    await tx.sql(`insert into reporting.notice_cursor (tenant_id, position, gathered_at) values ($1, 0, 'epoch') on conflict do nothing`, [
      tx.tenantId,
    ]);
    const [row] = await tx.sql<{ position: number }>(
      'select position::float8 as position from reporting.notice_cursor where tenant_id = $1 for update skip locked',
      [tx.tenantId],
    );
    return row ?? null;
  }

  async moveCursor(tx: TenantTx, position: number, at: Date): Promise<void> {
    await tx.sql('update reporting.notice_cursor set position = $2, gathered_at = $3 where tenant_id = $1', [tx.tenantId, position, at]);
  }

  /** @returns the changes behind this place that are news, and where the next ones begin */
  async changes(tx: TenantTx, after: number, now: Date): Promise<{ readonly changes: readonly FeedChange[]; readonly next: number }> {
    const [end] = await tx.sql<{ last: number }>('select last_position::float8 as last from webhooks.feed_v1 where tenant_id = $1', [
      tx.tenantId,
    ]);
    // A restored database may have a shorter feed.
    const from = Math.min(after, end?.last ?? 0);
    const rows = await tx.sql<{ position: number; topic: string; body: string; fresh: boolean }>(
      `select position::float8 as position, topic, body, created_at > $4::timestamptz - make_interval(days => ${NEWS_DAYS}) as fresh
       from webhooks.change_v1 where tenant_id = $1 and position > $2 and topic = any($3) order by position limit ${CHANGES_AT_ONCE}`,
      [tx.tenantId, from, TOPICS, now],
    );
    const changes = rows.filter(({ fresh }) => fresh).map(({ position, topic, body }) => ({ position, topic, data: dataOf(body) }));
    return { changes, next: rows.length === CHANGES_AT_ONCE ? rows.at(-1)!.position : (end?.last ?? 0) };
  }

  /** Organisations of the tenant's wallets, by address. */
  async orgsOfWallets(tx: TenantTx): Promise<ReadonlyMap<string, string | null>> {
    const rows = await tx.sql<{ address: string; orgId: string | null }>(
      'select address, org_id as "orgId" from identity.wallet_v1 where tenant_id = $1',
      [tx.tenantId],
    );
    return new Map(rows.map(({ address, orgId }) => [address, orgId]));
  }

  /** Names of organisations and people, by the address of their wallet. */
  async namesOfWallets(tx: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (addresses.length === 0) return new Map();
    const rows = await tx.sql<{ address: string; name: string }>(
      `select address, coalesce(org_name, label) as name from identity.party_v1
       where tenant_id = $1 and address = any($2::text[]) and coalesce(org_name, label) is not null`,
      [tx.tenantId, arrayParameter('text', addresses)],
    );
    return new Map(rows.map(({ address, name }) => [address, name]));
  }

  /** Starts to ask the holders of recalls, by their transactions, and of new drills that ask. */
  async openRequests(tx: TenantTx, txHashes: readonly string[], at: Date): Promise<void> {
    await tx.sql(
      `insert into reporting.recall_request (tenant_id, recall_id, is_drill, asked_at, next_at)
       select $1::uuid, r.recall_id, false, $3::timestamptz, $3::timestamptz from recall.recall_change_v1 r
       where r.tenant_id = $1 and r.change = 'recalled' and r.tx_hash = any($2::text[])
       union all
       select $1::uuid, d.id, true, $3::timestamptz, $3::timestamptz from recall.asking_drill_v1 d
       where d.tenant_id = $1 and d.started_at > $3::timestamptz - make_interval(days => ${NEWS_DAYS})
       on conflict (tenant_id, recall_id) do nothing`,
      [tx.tenantId, arrayParameter('text', txHashes), at],
    );
  }

  dueRequests(tx: TenantTx, now: Date): Promise<readonly RecallRequest[]> {
    return tx.sql<RecallRequest>(
      `select recall_id as "recallId", is_drill as "isDrill", asked_at as "askedAt", reminders from reporting.recall_request
       where tenant_id = $1 and next_at <= $2 order by next_at limit 20`,
      [tx.tenantId, now],
    );
  }

  async asked(tx: TenantTx, recallId: string, next: Date | null): Promise<void> {
    await tx.sql('update reporting.recall_request set reminders = reminders + 1, next_at = $3 where tenant_id = $1 and recall_id = $2', [
      ...[tx.tenantId, recallId, next],
    ]);
  }

  /** New alerts, by type, group and organisations. Those of one process only are for the reports. */
  alerts(tx: TenantTx, now: Date): Promise<readonly AlertGroup[]> {
    return tx.sql<AlertGroup>(
      `select a.type, a.group_name as "group", a.org_ids as "orgIds", count(*)::int as count, (array_agg(a.title order by a.rank, a.detected_at, a.id))[1] as title
       from reporting.alert a
       where a.tenant_id = $1 and a.resolved_at is null and a.acknowledged_at is null and (a.muted_until is null or a.muted_until <= $2::timestamptz)
         and a.detected_at > $2::timestamptz - interval '1 day' and a.rank <= 1 and a.type <> all($3::text[])
       group by a.type, a.group_name, a.org_ids order by 1, 2, 3 limit 200`,
      [tx.tenantId, now, OTHER_TOPICS],
    );
  }

  /** Documents of events that run out soon. */
  expiringDocuments(
    tx: TenantTx,
    now: Date,
  ): Promise<readonly { readonly type: string; readonly number: string; readonly validTo: string; readonly orgId: string | null }[]> {
    return tx.sql(
      `select distinct d.type, d.number, d.valid_to::text as "validTo", e.org_id as "orgId" from reporting.dated_document d
       join traceability.event_v1 e on e.tenant_id = d.tenant_id and e.id = d.event_id and e.counts
       where d.tenant_id = $1 and d.valid_to between ($2::timestamptz)::date and ($2::timestamptz)::date + ${DOCUMENT_DAYS} order by 3, 1, 2 limit 1000`,
      [tx.tenantId, now],
    );
  }

  pausedWebhooks(tx: TenantTx): Promise<readonly { readonly id: string; readonly host: string; readonly since: Date }[]> {
    return tx.sql(
      'select id, host, paused_since as since from webhooks.subscription_health_v1 where tenant_id = $1 and paused_since is not null',
      [tx.tenantId],
    );
  }
}

const dataOf = (body: string): FeedChange['data'] => (JSON.parse(body) as { readonly data: FeedChange['data'] }).data;
