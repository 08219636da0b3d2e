import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AuditLog } from '../contract.js';
import { subjectOf } from '../domain/revocation.js';
import { Session } from '../domain/session.js';
import { Revocations } from '../ports.js';

/** Ends the session: its access and refresh tokens are refused from now on. */
@Injectable()
export class LogOut {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly revocations: Revocations,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  async logOut(sessionId: string): Promise<void> {
    const subjects = [subjectOf.session(sessionId)];
    await this.unitOfWork.asSystem(async (tx) => {
      await tx.repository(Session).update({ id: sessionId }, { revokedAt: this.clock.now() });
      const session = await tx.repository(Session).findOneBy({ id: sessionId });
      if (session?.activeTenant)
        await this.audit.record(
          tx,
          session.activeTenant,
          { kind: 'user', id: session.userId },
          { action: 'logout', subject: session.userId },
        );
      await this.revocations.record(tx, subjects);
    });
    this.revocations.forget(subjects);
  }
}
