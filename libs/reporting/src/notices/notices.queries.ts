import { type Page, type PageRequest, newId } from '#kernel';
import { type TenantTx, arrayParameter, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Matter, Notice, NoticeChoice, NoticeTopic } from './notice.js';

/** Notices of people, and where they want them. */
@Injectable()
export class NoticeQueries {
  list(tx: TenantTx, userId: string, unread: boolean, request: PageRequest): Promise<Page<Notice>> {
    return pageOf<Notice>(tx, request, {
      columns: 'id, topic, title, link, created_at as "createdAt", read_at as "readAt"',
      from: 'reporting.notice where tenant_id = $1 and user_id = $2 and in_portal and ($3 = false or read_at is null)',
      order: 'created_at desc, id',
      parameters: [tx.tenantId, userId, unread],
    });
  }

  async countUnread(tx: TenantTx, userId: string): Promise<number> {
    const [row] = await tx.sql<{ count: number }>(
      'select count(*)::int as count from reporting.notice where tenant_id = $1 and user_id = $2 and in_portal and read_at is null',
      [tx.tenantId, userId],
    );
    return row!.count;
  }

  /** @param ids null: all */
  async markRead(tx: TenantTx, userId: string, ids: readonly string[] | null, at: Date): Promise<void> {
    await tx.sql(
      `update reporting.notice set read_at = $4 where tenant_id = $1 and user_id = $2 and read_at is null
         and ($3::uuid[] is null or id = any($3::uuid[]))`,
      [tx.tenantId, userId, ids && arrayParameter('uuid', ids), at],
    );
  }

  /** What was accepted, rejected or withdrawn waits for nobody, so its notices are read, and no mail says it later. */
  async endOffers(tx: TenantTx, at: Date): Promise<void> {
    await tx.sql(
      `update reporting.notice n set read_at = $2 where n.tenant_id = $1 and n.topic = 'transfer' and n.read_at is null
         and not exists (select from custody.transfer_v1 t where t.tenant_id = $1 and t.status = 'pending'
           and n.key = 'transfer:' || t.offered_tx || ':' || t.to_address)`,
      [tx.tenantId, at],
    );
  }

  /** The choices that the person has made. */
  choices(tx: TenantTx, userId: string): Promise<readonly NoticeChoice[]> {
    return tx.sql<NoticeChoice>(
      'select topic, in_portal as "inPortal", by_mail as "byMail" from reporting.notice_choice where tenant_id = $1 and user_id = $2',
      [tx.tenantId, userId],
    );
  }

  async choose(tx: TenantTx, userId: string, { topic, inPortal, byMail }: NoticeChoice): Promise<void> {
    await tx.sql(
      `insert into reporting.notice_choice (tenant_id, user_id, topic, in_portal, by_mail) values ($1, $2, $3, $4, $5)
       on conflict (tenant_id, user_id, topic) do update set in_portal = excluded.in_portal, by_mail = excluded.by_mail`,
      [tx.tenantId, userId, topic, inPortal, byMail],
    );
  }

  async stopMails(tx: TenantTx, userId: string, topics: readonly NoticeTopic[]): Promise<void> {
    await tx.sql(
      `insert into reporting.notice_choice (tenant_id, user_id, topic, in_portal, by_mail) select $1::uuid, $2::uuid, t, true, false from unnest($3::text[]) as t
       on conflict (tenant_id, user_id, topic) do update set by_mail = false`,
      [tx.tenantId, userId, topics],
    );
  }

  /** A notice for each person, where they want it; none for who has one of the matter. @returns how many are new */
  async store(tx: TenantTx, matters: readonly Matter[], at: Date): Promise<number> {
    const all = matters.flatMap(({ to, ...matter }) => to.map((userId) => ({ ...matter, userId, id: newId() })));
    if (all.length === 0) return 0;
    const texts = (of: (one: (typeof all)[number]) => string | null): Buffer => arrayParameter('text', all.map(of));
    const rows = await tx.sql(
      `insert into reporting.notice (tenant_id, id, user_id, topic, key, title, link, in_portal, by_mail, created_at)
       select $1::uuid, n.id, n.user_id, n.topic, n.key, n.title, n.link, coalesce(c.in_portal, true), coalesce(c.by_mail, true), $8::timestamptz
       from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[]) as n(id, user_id, topic, key, title, link)
       left join reporting.notice_choice c on c.tenant_id = $1 and c.user_id = n.user_id and c.topic = n.topic
       where coalesce(c.in_portal, true) or coalesce(c.by_mail, true)
       on conflict (tenant_id, user_id, key) do nothing returning id`,
      [
        ...[
          tx.tenantId,
          arrayParameter(
            'uuid',
            all.map(({ id }) => id),
          ),
          arrayParameter(
            'uuid',
            all.map(({ userId }) => userId),
          ),
        ],
        ...[texts(({ topic }) => topic), texts(({ key }) => key), texts(({ title }) => title.slice(0, 500)), texts(({ link }) => link)],
        at,
      ],
    );
    return rows.length;
  }
}
