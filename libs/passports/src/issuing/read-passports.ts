import type { Actor, Page, PageRequest } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { passportNotFound } from '../errors.js';
import { SettingsQueries } from '../settings/settings.queries.js';
import { type IssuedPassport, choiceOf } from './issued-passport.js';
import { PassportsQueries } from './passports.queries.js';
import { PublicPassportsQueries } from './public-passports.queries.js';

/** A passport with what its links are made of. */
export interface LinkedPassport {
  readonly passport: IssuedPassport;
  /** `https://host` of the tenant's links; null: that of the request. */
  readonly resolver: string | null;
  /** Behind the path of its Digital Link, where other tenants show a passport at it, too; else empty. */
  readonly choice: string;
}

/** Reads passports for their tenant. */
@Injectable()
export class ReadPassports {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly addressed: PublicPassportsQueries,
    private readonly settings: SettingsQueries,
  ) {}

  /** Newest first. */
  async list(actor: Actor, request: PageRequest): Promise<Page<LinkedPassport>> {
    const [page, { resolver }] = await this.work.read(actor, (tx) =>
      Promise.all([this.passports.list(tx, request), this.settings.read(tx)]),
    );
    return { ...page, data: await this.linked(actor, page.data, resolver) };
  }

  /** @throws DomainError 404 `passport_not_found` */
  async byId(actor: Actor, id: string): Promise<LinkedPassport> {
    const [passport, { resolver }] = await this.work.read(actor, (tx) =>
      Promise.all([this.passports.byId(tx, id), this.settings.read(tx)]),
    );
    if (!passport) throw passportNotFound();
    return (await this.linked(actor, [passport], resolver))[0]!;
  }

  private async linked(
    { tenantId, tenantSlug }: Actor,
    passports: readonly IssuedPassport[],
    resolver: string | null,
  ): Promise<LinkedPassport[]> {
    const links = passports.flatMap(({ link }) => link ?? []);
    const shared =
      links.length === 0 ? new Set<string>() : await this.work.readAsSystem((tx) => this.addressed.shared(tx, tenantId, links));
    return passports.map((passport) => ({ passport, resolver, choice: shared.has(passport.link ?? '') ? choiceOf(tenantSlug) : '' }));
  }
}
