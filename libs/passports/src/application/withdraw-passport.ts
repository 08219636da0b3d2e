import { AuditLog } from '#identity';
import { type Actor, Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { passportNotFound, passportRecalled } from '../domain/errors.js';
import type { Issued } from '../domain/facts.js';
import { Passports } from '../ports.js';

/** Shown no more, and shown again. Withdrawing twice is withdrawing once. */
@Injectable()
export class WithdrawPassport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: Passports,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `passport_not_found`, 409 `passport_recalled` */
  withdraw(actor: Actor, id: string, reason: string): Promise<void> {
    return this.work.inTransaction(actor, async (tx) => {
      const issued = await this.found(tx, id);
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
      const issued = await this.found(tx, id);
      if (!issued.withdrawnAt) return;
      await this.passports.withdraw(tx, id, null);
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passport.reinstated', details: { passportId: id, tlc: issued.tlc } });
    });
  }

  private async found(tx: TenantTx, id: string): Promise<Issued> {
    const issued = await this.passports.issued(tx, id);
    if (!issued) throw passportNotFound();
    return issued;
  }
}
