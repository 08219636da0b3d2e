import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, canonicalJson } from '#kernel';
import { type SnapshotTx, UnitOfWork } from '#persistence';
import { buildPassport, countedPart } from '../domain/build-passport.js';
import { passportNotFound } from '../domain/errors.js';
import type { Issued, PassportFacts, PassportSetting } from '../domain/facts.js';
import type { PublicPassport } from '../domain/passport.js';
import { PassportSettings, Passports, PublicFacts } from '../ports.js';
import { type Totals, TreeTotals, WIDEST } from './tree-totals.js';

export interface Composed {
  readonly passport: PublicPassport;
  readonly issued: Issued;
  readonly setting: PassportSetting;
}

interface Gathered extends Totals {
  readonly setting: PassportSetting;
  readonly facts: PassportFacts;
}

/** What the public reads of a lot, from what its tenant's other contexts publish, all of one moment. */
@Injectable()
export class ComposePassport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: Passports,
    private readonly settings: PassportSettings,
    private readonly facts: PublicFacts,
    private readonly totals: TreeTotals,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `passport_not_found` where the lot is not there any more */
  async compose(tenantId: string, id: string, origin: string): Promise<Composed> {
    const { issued, ...gathered } = await this.work.inSnapshot({ tenantId }, async (tx) => {
      const found = await this.passports.issued(tx, id);
      if (!found) throw passportNotFound();
      return { issued: found, ...(await this.gather(tx, found.tokenId, found.tlc)) };
    });
    const today = this.today();
    const passport = buildPassport({ ...gathered, issued, origin, today });
    const contentHash = createHash('sha256')
      .update(canonicalJson(countedPart(passport)))
      .digest('hex');
    const now = issued.contentHash === contentHash ? issued : await this.publish(tenantId, issued, contentHash);
    const published = { version: now.version, lastUpdated: now.updatedAt.toISOString() };
    return { passport: { ...passport, ...published }, issued: now, setting: gathered.setting };
  }

  /** As it would be, of any lot of the tenant. @throws DomainError 404 `passport_not_found` */
  draft(tenantId: string, tokenId: bigint, tlc: string, origin: string): Promise<PublicPassport> {
    return this.work.inSnapshot({ tenantId }, async (tx) => {
      const gathered = await this.gather(tx, tokenId, tlc);
      return buildPassport({ ...gathered, issued: null, origin, today: this.today() });
    });
  }

  private async gather(tx: SnapshotTx, tokenId: bigint, tlc: string): Promise<Gathered> {
    // The two take about as long, and a lot of a thousand ancestors is to be shown in 150 ms.
    const aside = tx.aside((beside) => this.totals.of(beside, tokenId));
    const [facts, totals] = await Promise.all([this.facts.of(tx, tokenId, tlc, WIDEST.maxNodes), aside]);
    if (!facts) throw passportNotFound();
    return { setting: await this.settings.of(tx), facts, ...totals };
  }

  private async publish(tenantId: string, issued: Issued, contentHash: string): Promise<Issued> {
    const at = this.clock.now();
    const now = await this.work.inTransaction({ tenantId }, (tx) => this.passports.published(tx, issued, contentHash, at));
    return { ...issued, ...now, contentHash };
  }

  private today(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }
}
