import { ChainHead } from '#chain';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { notForPassports, passportNotFound, passportsOff } from '../domain/errors.js';
import type { PublicPassport } from '../domain/passport.js';
import { PassportSettings, Passports } from '../ports.js';
import { ComposePassport } from './compose-passport.js';
import { newPassportId } from './issue-passports.js';

/** The passport of one lot: as it is, as it would be, or now. */
@Injectable()
export class IssueOne {
  constructor(
    private readonly work: UnitOfWork,
    private readonly lots: Lots,
    private readonly passports: Passports,
    private readonly settings: PassportSettings,
    private readonly composePassport: ComposePassport,
    private readonly head: ChainHead,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `passport_not_found` for a lot that is not there */
  async preview(actor: Actor, tokenId: bigint, origin: string): Promise<PublicPassport> {
    const { lot, issued } = await this.work.inTransaction(actor, async (tx) => ({
      lot: await this.lots.mintOf(tx, tokenId),
      issued: await this.passports.ofLot(tx, tokenId),
    }));
    if (!lot) throw passportNotFound();
    if (!issued) return this.composePassport.draft(actor.tenantId, tokenId, lot.tlc, origin);
    return (await this.composePassport.compose(actor.tenantId, issued.id, origin)).passport;
  }

  /** @returns its id @throws DomainError 404 `passport_not_found`, 409 `passports_off`, `not_for_passports` */
  issue(actor: Actor, tokenId: bigint): Promise<string> {
    return this.work.inTransaction(actor, async (tx) => {
      const mint = await this.lots.mintOf(tx, tokenId);
      if (!mint) throw passportNotFound();
      if (!(await this.settings.of(tx)).enabled) throw passportsOff();
      const candidate = await this.passports.candidate(tx, tokenId);
      if (!candidate || mint.block > (await this.head.position(tx)).final) throw notForPassports();
      await this.passports.add(tx, [{ ...candidate, id: newPassportId() }], this.clock.now());
      return (await this.passports.ofLot(tx, tokenId))!.id;
    });
  }
}
