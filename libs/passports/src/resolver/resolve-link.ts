import { BatchedQuestions, SharedWork } from '#http';
import { type DigitalLink, SharedCache, heldBytes } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { digitalLinkNotFound, passportWithdrawn } from '../errors.js';
import { type FoundLink, type Offers, offersOf } from './resolver-links.js';
import { type LinkQuestion, ResolverQueries } from './resolver.queries.js';

/** A withdrawal, or a change of a link, shows after so long at most. */
const CHECK_MS = 2_000;
const MiB = 1024 * 1024;
const KEPT = { whole: 8 * MiB, share: 8 * MiB };

export type OfTenants = Extract<Offers, { readonly of: 'tenants' }>['tenants'];

/** Finds what a Digital Link leads to, in memory where somebody asked for it a moment ago. */
@Injectable()
export class ResolveLink {
  private readonly kept = new SharedCache<{ readonly offers: Offers; readonly at: number }>(KEPT);
  private readonly pending = new SharedWork<string, Offers>();
  private readonly questions = new BatchedQuestions<LinkQuestion, readonly FoundLink[]>((questions) =>
    this.work.readAsSystem((tx) => this.found.find(tx, questions)),
  );

  constructor(
    private readonly work: UnitOfWork,
    private readonly found: ResolverQueries,
  ) {}

  /** @param tenant slug of the only tenant to ask; null: all @throws DomainError 404 `digital_link_not_found`, 410 `passport_withdrawn` */
  async resolve(link: DigitalLink, tenant: string | null): Promise<OfTenants> {
    const key = JSON.stringify([link.levels, link.lot, tenant]);
    const known = this.kept.get('', key);
    const isFresh = known !== undefined && performance.now() - known.at < CHECK_MS;
    const offers = isFresh ? known.offers : await this.pending.run(key, () => this.load(link, tenant, key));
    if (offers.of === 'tenants') return offers.tenants;
    throw offers.wasThere ? passportWithdrawn() : digitalLinkNotFound();
  }

  private async load(link: DigitalLink, tenant: string | null, key: string): Promise<Offers> {
    const at = performance.now();
    const offers = offersOf(await this.questions.ask({ link, tenant }), link.levels);
    // What is not there yet shows at once, and keys that somebody tries take no room.
    if (offers.of === 'tenants') this.kept.set('', key, { offers, at }, key.length + heldBytes(offers));
    return offers;
  }
}
