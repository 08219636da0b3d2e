import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import type { SystemTx } from '#persistence';
import { Session } from './session.js';

export type OwnSession = Pick<
  Session,
  'id' | 'wallet' | 'onlyTenant' | 'activeTenant' | 'createdAt' | 'lastUsedAt' | 'browser' | 'system'
> & {
  readonly tenantName: string | null;
};

@Injectable()
export class SessionsQueries {
  constructor(private readonly clock: Clock) {}

  async find(tx: SystemTx, id: string): Promise<Session | null> {
    const [session] = await tx.find(Session, 'identity.session where id = $1', [id]);
    return session ?? null;
  }

  async lock(tx: SystemTx, id: string): Promise<Session | null> {
    const [session] = await tx.find(Session, 'identity.session where id = $1 for update', [id]);
    return session ?? null;
  }

  /**
   * Those of the same user that were not ended, the one last used first. A session of a wallet reaches those of that wallet, one of a passkey those of its
   * tenant: an administrator who binds wallets in one tenant learns nothing of another.
   */
  openWithin(tx: SystemTx, id: string): Promise<OwnSession[]> {
    return tx.sql<OwnSession>(
      `select s.id, s.wallet, s.only_tenant as "onlyTenant", s.active_tenant as "activeTenant", t.name as "tenantName",
         s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.browser, s.system
       from identity.session own
       join identity.session s on s.user_id = own.user_id and s.revoked_at is null
         and (own.wallet is null or s.wallet = own.wallet) and (own.only_tenant is null or s.only_tenant = own.only_tenant)
       left join identity.tenant t on t.id = s.active_tenant
       where own.id = $1 order by s.last_used_at desc, s.id`,
      [id],
    );
  }

  async insert(tx: SystemTx, session: Session): Promise<void> {
    await tx.repository(Session).insert(session);
  }

  async save(tx: SystemTx, session: Session): Promise<void> {
    await tx.repository(Session).save(session);
  }

  async selectTenant(tx: SystemTx, { id, activeTenant, loginFingerprint }: Session): Promise<void> {
    await tx.repository(Session).update({ id }, { activeTenant, loginFingerprint });
  }

  /** Who signs in to a tenant has accepted its membership, and who does so with a wallet has proved the wallet for it. */
  async acceptMembership(tx: SystemTx, { userId, wallet }: Pick<Session, 'userId' | 'wallet'>, tenantId: string): Promise<void> {
    if (wallet !== null) {
      await tx.sql(
        `update identity.wallet set proven_at = $4 where tenant_id = $1 and address = $2 and user_id = $3 and proven_at is null`,
        [tenantId, wallet, userId, this.clock.now()],
      );
      return;
    }
    await tx.sql('update identity.member set accepted_at = $3 where tenant_id = $1 and user_id = $2 and accepted_at is null', [
      tenantId,
      userId,
      this.clock.now(),
    ]);
  }

  async end(tx: SystemTx, id: string): Promise<void> {
    await tx.repository(Session).update({ id }, { revokedAt: this.clock.now() });
  }
}
