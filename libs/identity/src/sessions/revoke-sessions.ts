import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { AuditLog } from '../contract.js';
import { sessionNotFound } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { hasEnded } from './session.js';
import { type OwnSession, SessionsQueries } from './sessions.queries.js';

interface Caller {
  readonly userId: string;
  readonly sessionId: string;
}

/** The sessions of who is signed in, as far as the caller's own session reaches. */
@Injectable()
export class OwnSessions {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: SessionsQueries,
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {}

  list({ sessionId }: Caller): Promise<readonly OwnSession[]> {
    return this.unitOfWork.readAsSystem(async (tx) => {
      const found = await this.sessions.openWithin(tx, sessionId);
      return found.filter((session) => session.id === sessionId || !hasEnded(session, this.clock.now(), this.settings.sessions));
    });
  }
}

/** Ends sessions of one's own: a device that is lost, or all but this one. */
@Injectable()
export class RevokeSessions {
  constructor(
    private readonly sessions: SessionsQueries,
    private readonly revocations: RevocationsQueries,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 404 `session_not_found`, also for a session that the caller's does not reach */
  async one(caller: Caller, id: string): Promise<void> {
    if ((await this.end(caller, (session) => session.id === id)) === 0) throw sessionNotFound();
  }

  async others(caller: Caller): Promise<void> {
    await this.end(caller, ({ id }) => id !== caller.sessionId);
  }

  /** @returns how many */
  private end({ userId, sessionId }: Caller, which: (session: OwnSession) => boolean): Promise<number> {
    return this.revocations.asSystem(async (tx, revoke) => {
      const ending = (await this.sessions.openWithin(tx, sessionId)).filter(which);
      for (const { id, activeTenant } of ending) {
        await this.sessions.end(tx, id);
        await revoke(subjectOf.session(id));
        if (activeTenant === null) continue;
        const entry = { action: 'session.revoked', subject: userId, details: { reason: 'ended_by_user' } } as const;
        await this.audit.record(tx, activeTenant, { kind: 'user', id: userId }, entry);
      }
      return ending.length;
    });
  }
}
