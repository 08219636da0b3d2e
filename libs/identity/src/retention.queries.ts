import { type RetentionRule, deleteOldest } from '#persistence';

/** With the memberships that they never accepted. An invitation that is still valid, or a new one, begins the time again. */
const NEVER_ACCEPTED = `
  with old as materialized (
    select u.id from identity.app_user u
    where u.created_at < $1 and u.password_hash is null and not u.platform_admin
      and not exists (select from identity.member m where m.user_id = u.id
        and (m.accepted_at is not null or m.wallet is not null or m.created_at >= $1))
      and not exists (select from identity.wallet w where w.user_id = u.id)
      and not exists (select from identity.session s where s.user_id = u.id)
      and not exists (select from identity.passkey p where p.user_id = u.id)
      and not exists (select from identity.invitation i where i.user_id = u.id and i.created_at >= $1)
      and not exists (select from identity.password_reset r where r.user_id = u.id)
    order by u.created_at limit $2 for update of u skip locked
  ), links as (
    delete from identity.invitation i using old where i.user_id = old.id
  ), places as (
    delete from identity.member m using old where m.user_id = old.id
  ), gone as (
    delete from identity.app_user u using old where u.id = old.id returning 1
  )
  select count(*)::int as deleted from gone`;

export const identityRetention: readonly RetentionRule[] = [
  {
    table: 'identity.audit_entry',
    settings: ['AUDIT_KEPT_DAYS'],
    // Nobody may change an entry, so nobody can lock one.
    sql: deleteOldest({ table: 'identity.audit_entry', where: 'at < $1', oldestBy: 'at', canLock: false }),
  },
  {
    table: 'identity.api_key',
    settings: ['API_KEYS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'identity.api_key', where: 'least(revoked_at, expires_at) < $1' }),
  },
  {
    // Longer than an event that they record can be sent.
    table: 'identity.account_call',
    settings: ['PREPARED_EVENT_SECONDS'],
    sql: deleteOldest({ table: 'identity.account_call', where: 'created_at < $1', oldestBy: 'created_at' }),
  },
  { table: 'identity.app_user', settings: ['INVITED_USERS_KEPT_DAYS'], sql: NEVER_ACCEPTED },
  {
    table: 'identity.session',
    settings: ['SESSIONS_KEPT_DAYS'],
    sql: deleteOldest({ table: 'identity.session', where: 'revoked_at < $1', oldestBy: 'revoked_at' }),
  },
  {
    // Until none of its refresh tokens can be valid.
    table: 'identity.session',
    settings: ['REFRESH_MAX_SECONDS'],
    sql: deleteOldest({ table: 'identity.session', where: 'last_used_at < $1', oldestBy: 'last_used_at' }),
  },
];
