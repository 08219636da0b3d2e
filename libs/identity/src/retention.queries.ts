import { type RetentionRule, deleteOldest } from '#persistence';

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
