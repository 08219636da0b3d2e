import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { subjectOf } from '../domain/revocation.js';
import { Session } from '../domain/session.js';
import { Revocations } from '../ports.js';

/** Ends the session: its access and refresh tokens are refused from now on. */
@Injectable()
export class LogOut {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly revocations: Revocations,
    private readonly clock: Clock,
  ) {}

  async logOut(sessionId: string): Promise<void> {
    const subjects = [subjectOf.session(sessionId)];
    await this.unitOfWork.asSystem(async (tx) => {
      await tx.repository(Session).update({ id: sessionId }, { revokedAt: this.clock.now() });
      await this.revocations.record(tx, subjects);
    });
    this.revocations.forget(subjects);
  }
}
