import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { AuditLog } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { passportNotFound } from '../errors.js';
import { PassportsQueries } from '../issuing/passports.queries.js';

/** Signs links that open the restricted file of one passport for a time, for everybody who has the link (docs/spec/domain.md#passports). */
export class LinkSigner {
  private readonly key: Buffer;

  /** @param secret of the service; the key of the links is derived from it and opens nothing else */
  constructor(secret: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'passport bundle links', 32));
  }

  /** @param until seconds since the epoch */
  sign(id: string, until: number): string {
    return createHmac('sha256', this.key).update(`${id}|${until}`).digest('base64url');
  }

  isValid(id: string, until: string, signature: string, now: Date): boolean {
    if (!/^\d{1,12}$/.test(until) || Number(until) * 1_000 < now.getTime()) return false;
    const [given, expected] = [Buffer.from(signature), Buffer.from(this.sign(id, Number(until)))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

interface SignedLink {
  /** Path and query. */
  readonly path: string;
  readonly expiresAt: string;
}

/** Links to the whole evidence of a passport, with all bytes. Each link is in the audit log. */
@Injectable()
export class IssueEvidenceLink {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly links: LinkSigner,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `passport_not_found` */
  async issue(actor: Actor, id: string, seconds: number): Promise<SignedLink> {
    const until = Math.floor(this.clock.now().getTime() / 1_000) + seconds;
    const expiresAt = new Date(until * 1_000).toISOString();
    await this.work.inTransaction(actor, async (tx) => {
      if (!(await this.passports.byId(tx, id))) throw passportNotFound();
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passport.evidence_shared', details: { passportId: id, expiresAt } });
    });
    return { path: `/p/${id}/bundle?until=${until}&key=${this.links.sign(id, until)}`, expiresAt };
  }

  /** Whether these parameters of a link open the restricted file now. */
  opens(id: string, until: unknown, key: unknown): boolean {
    return typeof until === 'string' && typeof key === 'string' && this.links.isValid(id, until, key, this.clock.now());
  }
}
