import { AuditLog } from '#identity';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { passportNotFound, passportRecalled } from '../errors.js';
import type { IssuedPassport } from './issued-passport.js';
import { PassportsQueries } from './passports.queries.js';

/** Hides a passport, and shows it again. Withdrawing twice is withdrawing once. */
@Injectable()
export class WithdrawPassport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `passport_not_found`, 409 `passport_recalled` */
  withdraw(actor: Actor, id: string, reason: string): Promise<void> {
    return this.work.inTransaction(actor, async (tx) => {
      const issued = await this.issued(tx, id);
      if (issued.withdrawnAt) return;
      if (await this.passports.isRecalled(tx, issued.tokenId)) throw passportRecalled();
      await this.passports.withdraw(tx, id, { id: actor.id, at: this.clock.now(), reason });
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'passport.withdrawn',
        details: { passportId: id, tlc: issued.tlc, reason },
      });
    });
  }

  /** @throws DomainError 404 `passport_not_found` */
  reinstate(actor: Actor, id: string): Promise<void> {
    return this.work.inTransaction(actor, async (tx) => {
      const issued = await this.issued(tx, id);
      if (!issued.withdrawnAt) return;
      await this.passports.withdraw(tx, id, null);
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passport.reinstated', details: { passportId: id, tlc: issued.tlc } });
    });
  }

  private async issued(tx: TenantTx, id: string): Promise<IssuedPassport> {
    const issued = await this.passports.byId(tx, id);
    if (!issued) throw passportNotFound();
    return issued;
  }
}
