import { Injectable } from '@nestjs/common';
import { Clock, type Actor, type Role } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { Principal, TokenUse } from '../access/principal.js';
import { ApiKey } from '../api-keys/api-key.js';
import type { RoleScopes } from '../access/grants.js';

/** What an access token says about its holder. */
interface TokenSubject {
  readonly sessionId: string;
  readonly userId: string;
  readonly tenantId: string | null;
  readonly use: TokenUse;
}

interface GrantRow {
  readonly tenant_id: string | null;
  readonly slug: string;
  readonly tier: string | null;
  readonly roles: Role[];
  readonly role_scopes: RoleScopes;
  readonly org_id: string | null;
  readonly wallet: string | null;
  /** The organisation's, and for a user those bound to it. */
  readonly wallets: string[];
}

/** The current rights of a credential, from the database: one round trip for a token. */
@Injectable()
export class PrincipalsQueries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Null when the session has ended, the user is disabled or the membership is revoked. */
  async ofSession({ sessionId, userId, tenantId, use }: TokenSubject): Promise<Principal | null> {
    const [row] = await this.unitOfWork.readAsSystem((tx) =>
      tx.sql<GrantRow & { readonly platform_admin: boolean }>(
        `select u.platform_admin and s.wallet is null and s.only_tenant is null as platform_admin, t.id as tenant_id, t.slug, t.tier,
                m.roles, m.role_scopes, m.org_id, m.wallet,
                array(select w.address from identity.wallet w
                      where w.tenant_id = m.tenant_id and (w.org_id = m.org_id or w.user_id = m.user_id) order by w.address) as wallets
         from identity.session s
         join identity.app_user u on u.id = s.user_id and u.disabled_at is null
         left join identity.member m on m.user_id = u.id and m.tenant_id = $3 and m.revoked_at is null
           and coalesce(s.wallet = m.wallet, s.wallet is null) and coalesce(s.only_tenant = m.tenant_id, true)
         left join identity.tenant t on t.id = m.tenant_id and t.status = 'active'
         where s.id = $1 and s.user_id = $2 and s.revoked_at is null`,
        [sessionId, userId, tenantId],
      ),
    );
    if (!row || (use === 'full' && row.tenant_id === null) || (use === 'platform' && !row.platform_admin)) return null;
    const actor = use === 'full' ? actorOf('user', userId, row) : null;
    return { kind: 'user', use, userId, sessionId, isPlatformAdmin: row.platform_admin, actor, ...tierOf(row) };
  }

  /** With the time (milliseconds since the epoch) until which this secret is valid; infinity when it does not expire. */
  async ofApiKey(keyId: string, secret: Buffer): Promise<{ readonly principal: Principal; readonly expiresAt: number } | null> {
    const [[key], [row]] = await this.unitOfWork.readAsSystem((tx) =>
      Promise.all([
        tx.find(ApiKey, 'identity.api_key where id = $1', [keyId]),
        tx.sql<GrantRow>(
          `select t.id as tenant_id, t.slug, t.tier, k.roles, k.role_scopes, k.org_id, k.wallet,
                  array(select w.address from identity.wallet w where w.tenant_id = k.tenant_id and w.org_id = k.org_id order by w.address) as wallets
           from identity.api_key k join identity.tenant t on t.id = k.tenant_id and t.status = 'active'
           where k.id = $1`,
          [keyId],
        ),
      ]),
    );
    const until = key?.validUntil(secret, this.clock.now()) ?? null;
    if (!key || until === null || !row) return null;
    return { principal: { kind: 'api_key', actor: actorOf('api_key', key.id, row), ...tierOf(row) }, expiresAt: until };
  }
}

const tierOf = ({ tier }: GrantRow): { readonly tier?: string } => (tier === null ? {} : { tier });

const actorOf = (kind: Actor['kind'], id: string, row: GrantRow): Actor => ({
  kind,
  id,
  tenantId: row.tenant_id!,
  tenantSlug: row.slug,
  roles: row.roles,
  roleScopes: row.role_scopes,
  orgId: row.org_id,
  wallet: row.wallet,
  wallets: [...new Set([...(row.wallet === null ? [] : [row.wallet]), ...row.wallets])],
});
