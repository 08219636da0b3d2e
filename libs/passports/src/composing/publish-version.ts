import { createHash } from 'node:crypto';
import { Clock, canonicalJson } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { VersionsQueries } from '../archive/versions.queries.js';
import type { IssuedPassport } from '../issuing/issued-passport.js';
import { PassportsQueries } from '../issuing/passports.queries.js';
import type { DppDocument } from './dpp-document.js';

/** What everybody reads of a passport from now on. */
interface Publication {
  /** What a version counts apart from the document. */
  readonly counted: object;
  readonly document: Omit<DppDocument, 'lastUpdated'>;
  /** Of the lot's history. */
  readonly eventIds: readonly string[];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Counts and archives what is published, where it differs from the version before. */
@Injectable()
export class PublishVersion {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly versions: VersionsQueries,
    private readonly clock: Clock,
  ) {}

  /** @returns the passport with its version from now on */
  async publish(tenantId: string, issued: IssuedPassport, { counted, document, eventIds }: Publication): Promise<IssuedPassport> {
    const contentHash = sha256(canonicalJson({ counted, document }));
    if (issued.contentHash === contentHash) return issued;
    const at = this.clock.now();
    return this.work.inTransaction({ tenantId }, async (tx) => {
      const published = await this.passports.publish(tx, issued, contentHash, at);
      if (!published) return (await this.passports.byId(tx, issued.id)) ?? issued;
      const { version, updatedAt } = published;
      const text = canonicalJson({ ...document, lastUpdated: updatedAt.toISOString() });
      await this.versions.add(tx, issued.id, { version, from: updatedAt, document: text, hash: sha256(text) }, eventIds);
      return { ...issued, ...published, contentHash };
    });
  }
}
