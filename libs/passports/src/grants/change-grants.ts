import { createHash, randomBytes } from 'node:crypto';
import { AuditLog } from '#identity';
import { type Actor, Clock, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { passportNotFound } from '../errors.js';
import { PassportsQueries } from '../issuing/passports.queries.js';
import type { Grant } from './grant.js';
import { GrantsQueries } from './grants.queries.js';

/** Only the hash is kept: a grant that was lost is withdrawn, and another one made. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

type GrantWords = Pick<Grant, 'kind' | 'accessClass' | 'grantee' | 'purpose'>;

/** Gives persons and organisations outside of the tenant more of a passport than everybody reads. Each change is in the audit log. */
@Injectable()
export class ChangeGrants {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly grants: GrantsQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @returns the token, which nobody can read again @throws DomainError 404 `passport_not_found`, 429 `quota_exceeded` */
  async create(actor: Actor, passportId: string, words: GrantWords, seconds: number): Promise<{ grant: Grant; token: string }> {
    const token = `dpg_${randomBytes(32).toString('base64url')}`;
    const createdAt = this.clock.now();
    const grant: Grant = {
      ...words,
      ...{ id: newId(), passportId, createdAt, createdBy: actor.id, expiresAt: new Date(createdAt.getTime() + seconds * 1_000) },
      ...{ uses: 0, usedAt: null, withdrawnAt: null },
    };
    await this.work.inTransaction(actor, async (tx) => {
      if (!(await this.passports.byId(tx, passportId))) throw passportNotFound();
      await this.grants.add(tx, grant, tokenHash(token));
      const details = { passportId, ...words, expiresAt: grant.expiresAt.toISOString() };
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passport.grant_created', subject: grant.id, details });
    });
    return { grant, token };
  }

  /** From now on it opens nothing. Withdrawing twice is withdrawing once. @throws DomainError 404 `grant_not_found` */
  withdraw(actor: Actor, passportId: string, id: string): Promise<void> {
    return this.work.inTransaction(actor, async (tx) => {
      const grant = await this.grants.forChange(tx, passportId, id);
      if (grant.withdrawnAt !== null) return;
      await this.grants.withdraw(tx, grant.id, this.clock.now());
      const details = { passportId, grantee: grant.grantee };
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passport.grant_withdrawn', subject: grant.id, details });
    });
  }
}
