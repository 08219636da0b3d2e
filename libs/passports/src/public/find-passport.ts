import type { DomainError } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { passportNotFound, passportWithdrawn } from '../errors.js';
import { choiceOf } from '../issuing/issued-passport.js';
import type { PassportAddress } from '../issuing/passport-address.js';
import { type AddressedPassport, type PassportKey, PublicPassportsQueries } from '../issuing/public-passports.queries.js';
import type { PassportChoices } from './passport-choices.js';

/** A passport that an address leads to, shown or not. */
export interface FoundPassport extends PassportKey {
  /** Why it is not shown; null where it is. */
  readonly refusal: DomainError | null;
  /** What its Digital Link has behind its path, since it leads to passports of several tenants; empty where it does not. */
  readonly choice: string;
  /** The text that changes with what its page says of the lot itself. */
  readonly stamp: string | null;
}

/** Of one link; who needs another one knows its tenant. */
const MOST_CHOICES = 100;

/** Finds what the public may be shown at an address (docs/adr/0024-several-tenants-may-have-one-key.md). */
@Injectable()
export class FindPassport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly addressed: PublicPassportsQueries,
  ) {}

  /** @throws DomainError 404 `passport_not_found` */
  find(address: PassportAddress): Promise<FoundPassport | PassportChoices> {
    return this.work.asSystem(async (tx) => {
      const all = await this.addressed.find(tx, address, MOST_CHOICES);
      const [first] = all;
      if (!first) throw passportNotFound();
      const shown = all.filter(({ isShown }) => isShown);
      if ('link' in address && shown.length > 1)
        return {
          link: address.link,
          choices: shown.map(({ tenantName, tenantSlug }) => ({ tenantName, path: address.link + choiceOf(tenantSlug) })),
        };
      return this.one(tx, first);
    });
  }

  private async one(tx: SystemTx, { tenantId, id, link, tenantSlug, isShown }: AddressedPassport): Promise<FoundPassport> {
    // A tenant that turned passports off has withdrawn them all; a reader who has the goods learns that and no more.
    if (!isShown) return { tenantId, id, refusal: passportWithdrawn(), choice: '', stamp: null };
    const isShared = link !== null && (await this.addressed.shared(tx, tenantId, [link])).has(link);
    const choice = isShared ? choiceOf(tenantSlug) : '';
    const stamp = await tx.forTenant(tenantId, (own) => this.addressed.stamp(own, id));
    return { tenantId, id, refusal: null, choice, stamp: `${stamp}${choice}` };
  }
}
