import { createHash } from 'node:crypto';
import { Clock, canonicalJson } from '#kernel';
import { UnitOfWork } from '#persistence';
import { holdErasuresSince } from '#sealed-contents';
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
  /** Erasures that it is without. */
  readonly erasures: number;
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

  /** @returns the passport with its version from now on; null where something was erased since it was composed */
  async publish(tenantId: string, issued: IssuedPassport, publication: Publication): Promise<IssuedPassport | null> {
    const { counted, document, eventIds, erasures } = publication;
    const contentHash = sha256(canonicalJson({ counted, document }));
    if (issued.contentHash === contentHash) return issued;
    const at = this.clock.now();
    return this.work.inTransaction({ tenantId }, async (tx) => {
      if (!(await holdErasuresSince(tx, erasures))) return null;
      const published = await this.passports.publish(tx, issued, contentHash, at);
      if (!published) return (await this.passports.byId(tx, issued.id)) ?? issued;
      const { version, updatedAt } = published;
      const text = canonicalJson({ ...document, lastUpdated: updatedAt.toISOString() });
      await this.versions.add(tx, issued.id, { version, from: updatedAt, document: text, hash: sha256(text) }, eventIds);
      return { ...issued, ...published, contentHash };
    });
  }
}
