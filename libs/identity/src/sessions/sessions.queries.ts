import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import type { SystemTx } from '#persistence';
import { Session } from './session.js';

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
