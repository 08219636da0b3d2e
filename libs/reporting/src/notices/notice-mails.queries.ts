import { newId } from '#kernel';
import { type SystemTx, UnitOfWork, arrayParameter } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { NoticeTopic } from './notice.js';

/** A mail that is tried. */
export interface LeasedMail {
  readonly tenantId: string;
  readonly id: string;
  readonly userId: string;
  readonly attempts: number;
  readonly createdAt: Date;
}

export interface MailedNotice {
  readonly topic: NoticeTopic;
  readonly title: string;
  readonly link: string | null;
}

const NOTICES_OF_MAIL = 50;
const PEOPLE_AT_ONCE = 200;
/** Older notices are no news: mail may be configured late, or have been away. */
const STALE = "interval '7 days'";

/** Mails with notices: what is in them, and how far they are. */
@Injectable()
export class NoticeMailQueries {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Makes a mail for each person with notices that wait: a recall at once, others when the mail before is old enough. A person has one mail
   * underway at a time, so that what waits behind it comes in the next one.
   */
  makeMails(now: Date, lastBefore: Date): Promise<void> {
    return this.unitOfWork.asSystem((tx) => makeMails(tx, now, lastBefore));
  }

  /** Takes mails to try; until `until` no other process takes them. */
  lease(now: Date, until: Date, limit: number): Promise<readonly LeasedMail[]> {
    return this.unitOfWork.asSystem((tx) =>
      tx.sql<LeasedMail>(
        `update reporting.notice_mail m set attempts = attempts + 1, next_at = $2 from (
         select tenant_id, id from reporting.notice_mail where state = 'waiting' and next_at <= $1 order by next_at limit $3 for update skip locked
       ) d where m.tenant_id = d.tenant_id and m.id = d.id
       returning m.tenant_id as "tenantId", m.id, m.user_id as "userId", m.attempts, m.created_at as "createdAt"`,
        [now, until, limit],
      ),
    );
  }

  /** What is in a mail, without topics of which its person wants no mail any more, and the name of its tenant. */
  contents({ tenantId, id }: LeasedMail): Promise<{ readonly tenant: string; readonly notices: readonly MailedNotice[] }> {
    return this.unitOfWork.asSystem(async (tx) => {
      const [tenant] = await tx.sql<{ name: string }>('select name from identity.tenant_v1 where tenant_id = $1', [tenantId]);
      const notices = await tx.sql<MailedNotice>(
        `select n.topic, n.title, n.link from reporting.notice n
         left join reporting.notice_choice c on c.tenant_id = n.tenant_id and c.user_id = n.user_id and c.topic = n.topic
         where n.tenant_id = $1 and n.mail_id = $2 and coalesce(c.by_mail, true) order by n.created_at, n.id`,
        [tenantId, id],
      );
      return { tenant: tenant?.name ?? '', notices };
    });
  }

  async end({ tenantId, id }: LeasedMail, state: 'sent' | 'gone' | 'refused' | 'failed', at: Date): Promise<void> {
    await this.unitOfWork.writeAsSystem((tx) =>
      tx.sql('update reporting.notice_mail set state = $3, ended_at = $4, error = null where tenant_id = $1 and id = $2', [
        ...[tenantId, id, state, at],
      ]),
    );
  }

  async tryAgain({ tenantId, id }: LeasedMail, next: Date, error: string): Promise<void> {
    await this.unitOfWork.writeAsSystem((tx) =>
      tx.sql('update reporting.notice_mail set next_at = $3, error = $4 where tenant_id = $1 and id = $2', [
        ...[tenantId, id, next, error.slice(0, 500)],
      ]),
    );
  }
}

async function makeMails(tx: SystemTx, now: Date, lastBefore: Date): Promise<void> {
  const due = await tx.sql<{ tenant_id: string; user_id: string }>(
    `select n.tenant_id, n.user_id from reporting.notice n
     left join lateral (
       select max(m.created_at) as last, bool_or(m.state = 'waiting') as waits from reporting.notice_mail m
       where m.tenant_id = n.tenant_id and m.user_id = n.user_id and (m.created_at > $1 or m.state = 'waiting')
     ) m on true
     where n.by_mail and n.mail_id is null and n.read_at is null and n.created_at > $2::timestamptz - ${STALE}
     group by n.tenant_id, n.user_id having not coalesce(bool_or(m.waits), false) and (bool_or(n.topic = 'recall') or max(m.last) is null)
     limit ${PEOPLE_AT_ONCE}`,
    [lastBefore, now],
  );
  const people = due.map((one) => ({ ...one, id: newId() }));
  if (people.length === 0) return;
  const ids = [people.map((one) => one.tenant_id), people.map((one) => one.user_id), people.map(({ id }) => id)].map((all) =>
    arrayParameter('uuid', all),
  );
  await tx.sql(
    `with person as (select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as p(tenant_id, user_id, mail_id)
     ), taken as materialized (
       select n.tenant_id, n.id, p.user_id, p.mail_id from person p cross join lateral (
         select n.tenant_id, n.id from reporting.notice n
         where n.tenant_id = p.tenant_id and n.user_id = p.user_id and n.by_mail and n.mail_id is null and n.read_at is null and n.created_at > $4::timestamptz - ${STALE}
         order by n.created_at, n.id limit ${NOTICES_OF_MAIL} for update skip locked) n
     ), mail as (
       insert into reporting.notice_mail (tenant_id, id, user_id, state, next_at, created_at)
       select distinct tenant_id, mail_id, user_id, 'waiting', $4::timestamptz, $4::timestamptz from taken
     )
     update reporting.notice n set mail_id = taken.mail_id from taken where n.tenant_id = taken.tenant_id and n.id = taken.id`,
    [...ids, now],
  );
}
