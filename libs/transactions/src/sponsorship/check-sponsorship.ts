import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import type { TenantTx } from '#persistence';
import { notSponsorable, sponsorshipExhausted } from '../errors.js';
import { refusedBy } from './sponsorship.js';
import { type SponsorState, SponsorshipQueries } from './sponsorship.queries.js';

/** A sponsor reads the chain every half minute at least. */
const SILENT_AFTER_MS = 120_000;

/** Whether the sponsor pays for a relay. */
@Injectable()
export class CheckSponsorship {
  constructor(
    private readonly sponsorships: SponsorshipQueries,
    private readonly clock: Clock,
  ) {}

  now(): Date {
    return this.clock.now();
  }

  /** Who would send. @throws DomainError 422 `not_sponsorable` */
  async sponsor(tx: TenantTx): Promise<SponsorState> {
    const sponsor = await this.sponsorships.sponsor(tx);
    if (!sponsor) throw notSponsorable('no_sponsor');
    return sponsor;
  }

  /** Else what is relayed would wait for nobody until its deadline. @throws DomainError 422 `not_sponsorable` */
  requireRunning({ seenAt }: SponsorState): void {
    if (this.clock.now().getTime() - seenAt.getTime() > SILENT_AFTER_MS) throw notSponsorable('no_sponsor');
  }

  /**
   * Relays of one tenant are checked one after another, each until its transaction ends. Starts its statements at once, the lock first.
   * @param wei the most that it can cost @returns when it was checked
   * @throws DomainError 422 `not_sponsorable`, 429 `sponsorship_exhausted`
   */
  async require(tx: TenantTx, userId: string, wei: bigint): Promise<Date> {
    const at = this.clock.now();
    const [, sponsorship, use, member] = await Promise.all([
      this.sponsorships.lock(tx),
      this.sponsorships.of(tx),
      this.sponsorships.use(tx, at),
      this.sponsorships.useOfMember(tx, userId, at),
    ]);
    const refused = refusedBy(sponsorship, use, member, { wei, at });
    if (refused === 'paused') throw notSponsorable('paused');
    if (refused) throw sponsorshipExhausted(refused.of, refused.retryAfterSeconds);
    return at;
  }
}
