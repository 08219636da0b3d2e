import { UnitOfWork } from '#persistence';
import type { DomainError } from '#kernel';
import { Injectable } from '@nestjs/common';
import { passportNotFound, passportWithdrawn } from '../errors.js';
import { type PassportAddress, type PassportKey, PassportsQueries, PublicPassportsQueries } from '../issuing/passports.queries.js';
import { SettingsQueries } from '../settings/settings.queries.js';

/** A passport that an address leads to, shown or not. */
export interface FoundPassport extends PassportKey {
  /** Why it is not shown; null where it is. */
  readonly refusal: DomainError | null;
  /** The text that changes with what its page says of the lot itself. */
  readonly stamp: string | null;
}

/** Finds what the public may be shown at an address. */
@Injectable()
export class FindPassport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly addressed: PublicPassportsQueries,
    private readonly passports: PassportsQueries,
    private readonly settings: SettingsQueries,
  ) {}

  /** @throws DomainError 404 `passport_not_found` */
  find(address: PassportAddress): Promise<FoundPassport> {
    return this.work.asSystem(async (tx) => {
      const found = await this.addressed.find(tx, address);
      if (!found) throw passportNotFound();
      return tx.forTenant(found.tenantId, async (own) => {
        const issued = await this.passports.byId(own, found.id);
        if (!issued) return { ...found, refusal: passportNotFound(), stamp: null };
        // A tenant that turned passports off has withdrawn them all; a reader who has the goods learns that and no more.
        if (issued.withdrawnAt || !(await this.settings.read(own)).enabled) return { ...found, refusal: passportWithdrawn(), stamp: null };
        return { ...found, refusal: null, stamp: await this.addressed.stamp(own, found.id) };
      });
    });
  }
}
