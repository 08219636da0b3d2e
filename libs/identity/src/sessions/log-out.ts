import { Injectable } from '@nestjs/common';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { AuditLog } from '../contract.js';
import { SessionsQueries } from './sessions.queries.js';

/** Ends the session: its access and refresh tokens are refused from now on. */
@Injectable()
export class LogOut {
  constructor(
    private readonly sessions: SessionsQueries,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  async logOut(sessionId: string): Promise<void> {
    await this.revocations.asSystem(async (tx, revoke) => {
      await this.sessions.end(tx, sessionId);
      const session = await this.sessions.find(tx, sessionId);
      if (session?.activeTenant) {
        const { activeTenant, userId } = session;
        await this.audit.record(tx, activeTenant, { kind: 'user', id: userId }, { action: 'logout', subject: userId });
      }
      await revoke(subjectOf.session(sessionId));
    });
  }
}
